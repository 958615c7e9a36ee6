// Which instruction sets this processor runs.
#ifndef CORD_MATH_CPU_H
#define CORD_MATH_CPU_H

#include <stdbool.h>

static inline bool cpu_has_avx2(void)
{
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
#define CPU_CHOOSE(avx2_table, plain_table) (cpu_has_avx2() ? (avx2_table) : (plain_table))
#else
#define CPU_CHOOSE(avx2_table, plain_table) (plain_table)
#endif

#endif
