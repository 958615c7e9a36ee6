# How everything in this tree is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
if(NOT CORDAGE_WEB) # whose one module is loaded at one place
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
    set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()

# The same bits from every compiler: products and sums are rounded one by one, so never -ffast-math and never -mfma.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    -ffp-contract=off)
if(CMAKE_C_FLAGS MATCHES "-ffast-math|-Ofast|-funsafe-math-optimizations")
    message(FATAL_ERROR "CMAKE_C_FLAGS has ${CMAKE_MATCH_0}, which changes results; remove it")
endif()

include_directories(${PROJECT_SOURCE_DIR}/include)

if(CORDAGE_ASSERTS OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_definitions(CORD_ASSERTS=1)
endif()
if(CORDAGE_SCALAR)
    add_compile_definitions(CORD_NO_AVX2=1)
endif()

set(sanitizers "")
if(CORDAGE_SANITIZE)
    list(APPEND sanitizers address undefined float-cast-overflow)
endif()
if(CORDAGE_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "CORDAGE_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang-14")
    endif()
    list(APPEND sanitizers fuzzer-no-link)
endif()
if(sanitizers)
    list(JOIN sanitizers "," sanitizers)
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${sanitizers})
endif()
