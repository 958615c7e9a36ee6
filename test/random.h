// Random numbers for tests: the same sequence on every machine, from a seed that the test keeps.
#ifndef CORD_TEST_RANDOM_H
#define CORD_TEST_RANDOM_H

#include <cordage/cordage.h>

// A linear congruential generator (Knuth's MMIX constants); its upper bits are the better ones.
static inline uint64_t random_bits(uint64_t* seed)
{
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

static inline double random_in(uint64_t* seed, double from, double to) // uniform in [from, to)
{
    return from + (to - from) * ((double)(random_bits(seed) >> 11) * 0x1p-53);
}

static inline int random_int(uint64_t* seed, int count) // 0 to count - 1
{
    return (int)random_in(seed, 0.0, count);
}

// Each component lies in [-size, size).
static inline CordVec3 random_vec3(uint64_t* seed, double size)
{
    double x = random_in(seed, -size, size), y = random_in(seed, -size, size),
           z = random_in(seed, -size, size);
    return (CordVec3){x, y, z};
}

#endif
