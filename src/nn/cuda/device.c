// See device.h.
#include "nn/cuda/device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

err cuda_check(int code, const char *what)
{
    if (code == (int)cudaSuccess) return ERR_OK;
    const char *text = cudaGetErrorString((cudaError_t)code);
    cudaGetLastError(); // forget it
    return err_set(code == (int)cudaErrorMemoryAllocation ? ERR_MEMORY : ERR_IO, "CUDA, %s: %s", what, text);
}

err cuda_use(int device, cuda_device *out)
{
    err e = cuda_check((int)cudaSetDevice(device), "choosing the device");
    if (e != ERR_OK || out == NULL) return e;
    struct cudaDeviceProp p;
    e = cuda_check((int)cudaGetDeviceProperties(&p, device), "asking for the device's properties");
    if (e != ERR_OK) return e;
    *out = (cuda_device){.major = p.major, .minor = p.minor, .sms = p.multiProcessorCount, .memory = p.totalGlobalMem};
    snprintf(out->name, sizeof out->name, "%.127s", p.name);
    if (p.major < 8)
        return err_set(ERR_MISSING, "%s has compute capability %d.%d; the CUDA backend needs 8.0 or more", out->name,
                       p.major, p.minor);
    return ERR_OK;
}

static void *keep(cuda_pool *p, int code, void *at, bool host)
{
    if (code == (int)cudaSuccess && p->n == p->room) {
        int room = p->room * 2 + 32;
        void **more = realloc(p->at, (size_t)room * sizeof *more);
        if (more != NULL) p->at = more;
        bool *flags = realloc(p->host, (size_t)room * sizeof *flags);
        if (flags != NULL) p->host = flags;
        if (more == NULL || flags == NULL)
            code = (int)cudaErrorMemoryAllocation;
        else
            p->room = room;
    }
    if (code != (int)cudaSuccess) {
        p->failed = cuda_check(code, host ? "taking pinned memory" : "taking device memory");
        return NULL;
    }
    p->at[p->n] = at;
    p->host[p->n++] = host;
    return at;
}

void *cuda_take(cuda_pool *p, size_t bytes)
{
    if (p->failed != ERR_OK) return NULL;
    void *at = NULL;
    int code = (int)cudaMalloc(&at, bytes == 0 ? 16 : bytes);
    if (code == (int)cudaSuccess) code = (int)cudaMemset(at, 0, bytes == 0 ? 16 : bytes);
    // the handles' streams do not wait for the one that clears: without this a busy GPU clears what was already sent
    if (code == (int)cudaSuccess) code = (int)cudaStreamSynchronize(NULL);
    return keep(p, code, at, false);
}

void *cuda_take_host(cuda_pool *p, size_t bytes)
{
    if (p->failed != ERR_OK) return NULL;
    void *at = NULL;
    int code = (int)cudaHostAlloc(&at, bytes == 0 ? 16 : bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    return keep(p, code, at, true);
}

void cuda_pool_free(cuda_pool *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->host[i])
            cudaFreeHost(p->at[i]);
        else
            cudaFree(p->at[i]);
    free(p->at), free(p->host);
    *p = (cuda_pool){0};
}
