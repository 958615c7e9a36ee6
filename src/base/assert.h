// Our own mistakes stop debug and test builds; data from outside never reaches an assert.
#ifndef CORD_BASE_ASSERT_H
#define CORD_BASE_ASSERT_H

#ifdef CORD_ASSERTS
#include <stdlib.h>
#define CORD_ASSERT(condition) ((condition) ? (void)0 : abort())
#else
#define CORD_ASSERT(condition) ((void)0)
#endif

#endif
