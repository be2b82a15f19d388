// Looking up embedded files. See embedded.h.
#include "base/embedded.h"

#include <string.h>

#ifndef KEIKO_EMBED
const embedded_file embedded_files[1];
const int embedded_count = 0;
#endif

const char *embedded_name(int i)
{
    return i >= 0 && i < embedded_count ? embedded_files[i].name : NULL;
}

bool embedded_find(const char *name, const char **data, size_t *size)
{
    for (int i = 0; i < embedded_count; i++) {
        const embedded_file *f = &embedded_files[i];
        if (strcmp(f->name, name) != 0) continue;
        *data = f->begin;
        *size = (size_t)(f->end - f->begin);
        return true;
    }
    return false;
}
