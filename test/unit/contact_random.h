// Random points and what goes wrong with them: what the tests of contact draw from.
#ifndef CORDAGE_TEST_CONTACT_RANDOM_H
#define CORDAGE_TEST_CONTACT_RANDOM_H

#include "math/vec3.h"

static inline double random_in(uint64_t* seed, double from, double to)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * ((double)(*seed >> 11) * 0x1p-53);
}

static inline int random_int(uint64_t* seed, int count) // 0 to count - 1
{
    return (int)random_in(seed, 0.0, (double)count);
}

static inline CordVec3 random_vec3(uint64_t* seed, double size)
{
    double x = random_in(seed, -size, size), y = random_in(seed, -size, size),
           z = random_in(seed, -size, size);
    return (CordVec3){x, y, z};
}

static inline double random_power(uint64_t* seed, double from, double to) // of ten
{
    return pow(10.0, random_in(seed, from, to));
}

static inline CordVec3 between(CordVec3 a, CordVec3 b, double s)
{
    return vec3_madd(a, vec3_sub(b, a), s);
}

#endif
