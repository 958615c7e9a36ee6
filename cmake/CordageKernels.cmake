# cord_add_kernels(FILE...): sources of cord_core that hold kernels written on math/wide.h.
#
# Each is compiled plainly and, on x86-64, a second time with AVX2 and CORD_KERNEL_AVX2=1; which of the two runs is
# decided when the program starts. A file's names must differ between the two. Results do not.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT CORDAGE_SCALAR)
    set(CORDAGE_AVX2 ON)
else()
    set(CORDAGE_AVX2 OFF)
endif()

function(cord_add_kernels)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    target_sources(cord_core PRIVATE ${ARGN})
    # Compilers warn that values wider than the target's registers are passed differently elsewhere. Here none is passed:
    # every function that takes one is inlined.
    # Fuzzers hardly run them, and clang takes up to a minute to optimize one with all its checks.
    set_source_files_properties(${ARGN} TARGET_DIRECTORY cord_core PROPERTIES COMPILE_OPTIONS "-Wno-psabi;$<$<BOOL:${CORDAGE_FUZZ}>:-O0>")
    if(NOT CORDAGE_AVX2)
        return()
    endif()
    if(NOT TARGET cord_core_avx2)
        add_library(cord_core_avx2 OBJECT)
        target_include_directories(cord_core_avx2 PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_compile_options(cord_core_avx2 PRIVATE -mavx2)
        target_compile_definitions(cord_core_avx2 PRIVATE CORD_KERNEL_AVX2=1)
    endif()
    target_sources(cord_core_avx2 PRIVATE ${ARGN})
endfunction()
