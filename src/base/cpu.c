// Run-time choice of the instruction set. See cpu.h.
#define _GNU_SOURCE
#include "base/cpu.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {"scalar", "avx2", "avx512"};

static _Atomic int chosen = -1; // -1 = not decided yet

const char *cpu_simd_name(simd s)
{
    return names[s];
}

simd cpu_simd_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("fma"))
        return SIMD_SCALAR;
    // x86-64-v4, as the *_avx512.c files are compiled
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return SIMD_AVX512;
    return SIMD_AVX2;
#else
    return SIMD_SCALAR;
#endif
}

err cpu_limit(const char *name)
{
    int best = (int)cpu_simd_best();
    if (strcmp(name, "auto") == 0) {
        atomic_store(&chosen, best);
        return ERR_OK;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        if (i > best) return err_set(ERR_USAGE, "this machine has no %s; the best it has is %s", name, names[best]);
        atomic_store(&chosen, i);
        return ERR_OK;
    }
    return err_set(ERR_USAGE, "unknown instruction set '%s'; choose auto, scalar, avx2 or avx512", name);
}

simd cpu_simd(void)
{
    int now = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (now < 0) {
        // A level from the environment that the machine lacks is ignored here; cpu_limit() is the call that reports.
        const char *want = getenv("KEIKO_SIMD");
        if (want == NULL || cpu_limit(want) != ERR_OK) atomic_store(&chosen, (int)cpu_simd_best());
        now = atomic_load(&chosen);
    }
    return (simd)now;
}

const char *cpu_model(void)
{
    static _Thread_local char model[128];
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    strcpy(model, "unknown");
    while (f != NULL && fgets(line, sizeof line, f)) {
        if (strncmp(line, "model name", 10) != 0) continue;
        char *value = strchr(line, ':');
        if (value != NULL) {
            value += strspn(value, ": \t");
            value[strcspn(value, "\n")] = 0;
            snprintf(model, sizeof model, "%s", value);
        }
        break;
    }
    if (f != NULL) fclose(f);
    return model;
}

int cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? n : 1;
}

void cpu_relax(int turn)
{
    enum { SPINS = 400, YIELDS = 400 }; // about 10 us of looking
    if (turn >= SPINS + YIELDS)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    else if (turn >= SPINS)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}
