// Asserts stop debug and test builds at the library's own mistakes. Data from outside must never reach one.
#ifndef CORD_BASE_ASSERT_H
#define CORD_BASE_ASSERT_H

#ifdef CORD_ASSERTS
#include <stdlib.h>
#define CORD_ASSERT(condition) ((condition) ? (void)0 : abort())
#else
#define CORD_ASSERT(condition) ((void)0)
#endif

#endif
