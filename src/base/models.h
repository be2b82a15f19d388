// Where the weights that ship are found, and their bytes.
//
// A name such as "othello-patterns.bin" is looked for in the folder of the environment variable KEIKO_MODELS, if set, and
// there alone. Otherwise in a folder `share/keiko/models` (installed) or `models` (a build in the source tree) beside the
// program or up to four folders above it, then beside the library or above it, then in ./models, and at last among the
// files compiled into the program. What is found has a location: a file's path, or "embedded:NAME". Locations are read with
// models_read, and may be given wherever a network's file may.
#ifndef KEIKO_BASE_MODELS_H
#define KEIKO_BASE_MODELS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

err models_find(const char *name, char *location, size_t n); // ERR_MISSING: the sentence says where it was looked for

// A network as people name it: a file, or one that ships; either way ".safetensors" may be left out.
err models_network(const char *name, char *location, size_t n);

bool models_ships(const char *file); // is it one of base/model_rows.h?

const char *models_folder(void); // what KEIKO_MODELS says; NULL = it is not set

// The bytes at a location, or of any file of at most `most` bytes.
typedef struct model_bytes {
    const void *data;
    size_t size;
    char *owned; // NULL where the bytes are the program's own
} model_bytes;
err models_read(model_bytes *out, const char *location, size_t most); // caller frees with models_free
void models_free(model_bytes *b);

#endif
