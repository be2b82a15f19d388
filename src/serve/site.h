// The page's files. They are listed when the server starts; a request is looked up in that list and never becomes a path.
#ifndef KEIKO_SERVE_SITE_H
#define KEIKO_SERVE_SITE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct site site;

typedef struct site_file {
    char *url; // "/app.js"
    char *path;
    const char *type;
    char etag[40];
    bool zipped; // beside it lies path.gz
    size_t size, zipped_size;
} site_file;

err site_open(site **out,
              const char *dir); // ERR_MISSING when there is no index.html in it. Caller frees with site_close
void site_close(site *s);
const site_file *site_find(const site *s, const char *url); // NULL: there is none. "/" is "/index.html"

#endif
