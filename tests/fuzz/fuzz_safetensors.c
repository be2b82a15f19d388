// Any bytes as a weights file: parsed or refused, never a crash; what parses is written and parses to the same again.
#include "base/file.h"
#include "nn/net.h"
#include "nn/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok) abort();
}

static void write_again(const st_file *f)
{
    static char path[64];
    if (path[0] == 0) snprintf(path, sizeof path, "/tmp/keiko_fuzz_st_%d", (int)getpid());
    int n = st_count(f), n_meta = st_meta_count(f);
    st_tensor *t = calloc((size_t)n + 1, sizeof *t);
    st_meta *m = calloc((size_t)n_meta + 1, sizeof *m);
    for (int i = 0; i < n; i++) t[i] = *st_at(f, i);
    for (int i = 0; i < n_meta; i++) m[i] = st_meta_at(f, i);
    check(st_write(path, t, n, m, n_meta) == ERR_OK);
    char *data;
    size_t size;
    st_file *g;
    check(file_read(path, (size_t)1 << 30, &data, &size) == ERR_OK);
    check(st_parse(&g, data, size) == ERR_OK);
    check(st_count(g) == n && st_meta_count(g) == n_meta);
    for (int i = 0; i < n; i++) {
        const st_tensor *a = st_find(g, t[i].name);
        check(a != NULL && a->size == t[i].size && a->n_dims == t[i].n_dims && a->dtype == t[i].dtype);
        check(a->size == 0 || memcmp(a->data, t[i].data, a->size) == 0);
    }
    for (int i = 0; i < n_meta; i++) check(strcmp(st_find_meta(g, m[i].key), m[i].value) == 0);
    st_free(g);
    free(data);
    unlink(path);
    free(t);
    free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    st_file *f;
    nn_net *net;
    if (st_parse(&f, data, size) == ERR_OK) {
        static unsigned count;
        if (count++ % 8 == 0) write_again(f); // files are slow
        st_free(f);
    }
    if (nn_net_from_bytes(&net, data, size) == ERR_OK) nn_net_free(net);
    return 0;
}
