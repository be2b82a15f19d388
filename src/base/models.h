// Where the weights that ship are found.
//
// A name such as "othello-patterns.bin" is looked for in the folder of the environment variable KEIKO_MODELS, if set, and
// there alone; else in the installed share/keiko/models beside the program's bin, then in a `models` folder beside the
// program or up to four folders above it (a build in the source tree), then in ./models.
#ifndef KEIKO_BASE_MODELS_H
#define KEIKO_BASE_MODELS_H

#include "base/err.h"

#include <stddef.h>

err models_find(const char *name, char *path, size_t n); // ERR_MISSING: the sentence says where it was looked for

// A network as people name it: a file, or one that ships; either way ".safetensors" may be left out.
err models_network(const char *name, char *path, size_t n);

#endif
