// What the CUDA backend's C files share: the device, its errors, memory that is freed together.
#ifndef KEIKO_NN_CUDA_DEVICE_H
#define KEIKO_NN_CUDA_DEVICE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cuda_device {
    char name[128];
    int major, minor, sms;
    size_t memory; // bytes
} cuda_device;

// ERR_OK for 0; else the sentence names the device's own words.
err cuda_check(int code, const char *what);
err cuda_use(int device, cuda_device *out); // bind this thread; out may be NULL

// Device memory (zeroed) and pinned host memory, freed together. After a failure all further calls return NULL.
typedef struct cuda_pool {
    void **at;
    bool *host;
    int n, room;
    err failed;
} cuda_pool;

void *cuda_take(cuda_pool *p, size_t bytes);      // on the device
void *cuda_take_host(cuda_pool *p, size_t bytes); // pinned, seen by the device at the same address
void cuda_pool_free(cuda_pool *p);

#endif
