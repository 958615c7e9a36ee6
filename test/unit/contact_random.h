// Random points and what goes wrong with them: what the tests of contact draw from.
#ifndef CORDAGE_TEST_CONTACT_RANDOM_H
#define CORDAGE_TEST_CONTACT_RANDOM_H

#include "math/vec3.h"
#include "random.h"

static inline double random_power(uint64_t* seed, double from, double to) // of ten
{
    return pow(10.0, random_in(seed, from, to));
}

static inline CordVec3 between(CordVec3 a, CordVec3 b, double s)
{
    return vec3_madd(a, vec3_sub(b, a), s);
}

#endif
