// Which instruction set to run: chosen once, at run time.
//
// Files named *_avx2.c and *_avx512.c are compiled for x86-64-v3 and x86-64-v4 and may be called only when cpu_simd()
// says so. A test, a person or a bug hunt can lower the level with cpu_limit() or KEIKO_SIMD=scalar|avx2|avx512.
#ifndef KEIKO_BASE_CPU_H
#define KEIKO_BASE_CPU_H

#include "base/err.h"

typedef enum simd { SIMD_SCALAR, SIMD_AVX2, SIMD_AVX512 } simd;

simd cpu_simd(void);             // the level to use now
simd cpu_simd_best(void);        // what this machine has
err cpu_limit(const char *name); // "auto", "scalar", "avx2", "avx512"; an error when the machine lacks it
const char *cpu_simd_name(simd s);
const char *cpu_model(void); // "AMD EPYC …", or "unknown"
int cpu_count(void);         // cores this process may run on

// A moment in a loop that waits for another thread. With more turns the core is left to other threads, then the thread
// sleeps for 50 us at a time.
void cpu_relax(int turn);

#endif
