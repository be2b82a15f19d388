// Files compiled into the program: small models and the texts that commands print. cmake/embed.cmake lists them.
//
// A name is the file's path in the source tree, e.g. "models/othello-patterns.bin". A build with -DKEIKO_EMBED=OFF has none.
// For models use base/models.h, which looks into folders first.
#ifndef KEIKO_BASE_EMBEDDED_H
#define KEIKO_BASE_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct embedded_file {
    const char *name, *begin, *end; // *end is 0, so that a text is a C string
} embedded_file;

bool embedded_find(const char *name, const char **data, size_t *size); // borrowed for ever; false = there is none
const char *embedded_name(int i);                                      // NULL behind the last

extern const embedded_file embedded_files[]; // of the generated file
extern const int embedded_count;

#endif
