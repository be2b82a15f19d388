// See usage_cuda.h. Events tell milliseconds between each other as floats: the reference is renewed before those get coarse.
#include "nn/cuda/usage_cuda.h"

#include "base/spans.h"

#include <pthread.h>
#include <stdatomic.h>

#define RENEW_MS 8192.0f // a float of this size still tells half a microsecond

static atomic_bool wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all below
static cudaStream_t stream;
static cudaEvent_t origin[2]; // the reference, and the next one
static double origin_at;      // seconds
static spans busy[2], any;
static double kernels, copies;

bool cuda_usage_wanted(void)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed);
}

static bool mark_origin(int i)
{
    return cudaEventRecord(origin[i], stream) == cudaSuccess && cudaEventSynchronize(origin[i]) == cudaSuccess;
}

static bool begin(void)
{
    if (stream != NULL) return true;
    bool ok = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
              cudaEventCreate(&origin[0]) == cudaSuccess && cudaEventCreate(&origin[1]) == cudaSuccess &&
              mark_origin(0);
    if (!ok) cudaGetLastError(); // statistics never make a run fail
    return ok;
}

static void renew(void)
{
    float ms;
    if (!mark_origin(1) || cudaEventElapsedTime(&ms, origin[0], origin[1]) != cudaSuccess) return;
    cudaEvent_t old = origin[0];
    origin[0] = origin[1];
    origin[1] = old;
    origin_at += (double)ms * 1e-3;
}

void cuda_usage_kernels(cuda_work what, cudaEvent_t from, cudaEvent_t to)
{
    float a, b;
    pthread_mutex_lock(&lock);
    if (begin() && cudaEventElapsedTime(&a, origin[0], from) == cudaSuccess &&
        cudaEventElapsedTime(&b, origin[0], to) == cudaSuccess) {
        double start = origin_at + (double)a * 1e-3, end = origin_at + (double)b * 1e-3;
        spans_add(&busy[what], start, end);
        spans_add(&any, start, end);
        if (what == CUDA_INFER) kernels += end - start;
        if (b > RENEW_MS) renew();
    } else {
        cudaGetLastError();
    }
    pthread_mutex_unlock(&lock);
}

void cuda_usage_copy(cudaEvent_t from, cudaEvent_t to)
{
    float ms;
    if (cudaEventElapsedTime(&ms, from, to) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    pthread_mutex_lock(&lock);
    copies += (double)ms * 1e-3;
    pthread_mutex_unlock(&lock);
}

void cuda_usage(nn_usage *out)
{
    pthread_mutex_lock(&lock);
    atomic_store(&wanted, true);
    *out = (nn_usage){.infer = spans_covered(&busy[CUDA_INFER]),
                      .learn = spans_covered(&busy[CUDA_LEARN]),
                      .any = spans_covered(&any),
                      .kernel = kernels,
                      .transfer = copies};
    pthread_mutex_unlock(&lock);
}
