// The safetensors file format, both ways: 8 bytes of header length, a JSON header, then the tensors' bytes.
//
// The reader trusts nothing: lengths, offsets, shapes and types must agree with each other and with the file's size, the
// tensors must cover the data exactly and without overlap, and names must be unique. It needs no JSON library.
#ifndef KEIKO_NN_SAFETENSORS_H
#define KEIKO_NN_SAFETENSORS_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

enum { ST_NAME = 128, ST_MAX_DIMS = 8, ST_MAX_TENSORS = 1 << 16, ST_MAX_HEADER = 64 << 20 };

typedef enum st_dtype {
    ST_BOOL,
    ST_U8,
    ST_I8,
    ST_I16,
    ST_U16,
    ST_F16,
    ST_BF16,
    ST_I32,
    ST_U32,
    ST_F32,
    ST_F64,
    ST_I64,
    ST_U64,
    ST_DTYPES
} st_dtype;

typedef struct st_tensor {
    char name[ST_NAME];
    st_dtype dtype;
    int n_dims;
    uint64_t dims[ST_MAX_DIMS];
    const void *data; // read: into the parsed bytes
    size_t size;      // bytes
} st_tensor;

typedef struct st_meta {
    const char *key, *value; // value NULL = leave the pair out
} st_meta;

typedef struct st_file st_file;

err st_parse(st_file **out, const void *data, size_t size); // borrows `data`; caller frees with st_free
void st_free(st_file *f);
int st_count(const st_file *f);
const st_tensor *st_at(const st_file *f, int i);              // in the order of their bytes
const st_tensor *st_find(const st_file *f, const char *name); // NULL = none
const char *st_find_meta(const st_file *f, const char *key);  // NULL = none; NUL-terminated
int st_meta_count(const st_file *f);
st_meta st_meta_at(const st_file *f, int i);

err st_write(const char *path, const st_tensor *t, int n, const st_meta *meta, int n_meta); // atomic
err st_bytes(text_buf *out, const st_tensor *t, int n, const st_meta *meta, int n_meta);    // the same bytes, appended

#endif
