// UNROLL(n) before a loop: straight code for the kernels' constant loops. Under a sanitizer, loops stay loops: checked
// accesses by the hundred in one function would make the compilers run for minutes.
#ifndef KEIKO_NN_UNROLL_H
#define KEIKO_NN_UNROLL_H

#define NN_PRAGMA(x) _Pragma(#x)
#define INLINE       static inline __attribute__((always_inline))

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NN_CHECKED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NN_CHECKED 1
#endif

#if defined(NN_CHECKED)
#define UNROLL(n)
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // at -O1 nothing is unrolled, and that is fine
#define UNROLL(n) NN_PRAGMA(clang loop unroll(full))
#else
#define UNROLL(n) NN_PRAGMA(GCC unroll n)
#endif

#endif
