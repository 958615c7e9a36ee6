// Kernels are inner loops written on math/wide.h. The build compiles a file of them once for every
// instruction set (cmake/CordageKernels.cmake), and the program chooses one when it runs. All compilations
// give the same bits.
#ifndef CORD_MATH_KERNEL_H
#define CORD_MATH_KERNEL_H

#include <stdbool.h>

// In a file of kernels: the name in this compilation of what is known outside.
#ifdef CORD_KERNEL_AVX2
#define KERNEL(name) name##_avx2
#else
#define KERNEL(name) name##_plain
#endif

// Elsewhere: declares a table of kernels in both compilations, and points to the one for this processor.
#define KERNEL_DECLARE(type, name) extern const type name##_plain, name##_avx2
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
#define KERNEL_CHOOSE(name) (kernel_has_avx2() ? &name##_avx2 : &name##_plain)
#else
#define KERNEL_CHOOSE(name) (&name##_plain)
#endif

static inline bool kernel_has_avx2(void)
{
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#endif
