# Toolchain of the browser's build: clang and wasi-libc to WebAssembly with SIMD. cmake --preset web
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_COMPILER_WORKS ON) # a program for no system has no entry, so none can be linked to see
set(CMAKE_C_FLAGS_INIT "-msimd128 -mbulk-memory") # every browser that has the first has the second
set(CORDAGE_WEB ON)
