# Toolchain of the browser build: the distribution's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32.
#   cmake --preset wasm && cmake --build --preset wasm
set(CMAKE_SYSTEM_NAME Generic) # CMake 3.25 does not know WASI
set(KEIKO_WASM ON)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program cannot be linked before we say how
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
