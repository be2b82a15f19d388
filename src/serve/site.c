// See site.h.
#define _DEFAULT_SOURCE
#include "serve/site.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 4096, DEPTH = 6 };

struct site {
    site_file *file;
    int n, room;
};

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending, *type;
    } types[] = {{".html", "text/html; charset=utf-8"},
                 {".js", "text/javascript; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".wasm", "application/wasm"},
                 {".json", "application/json"},
                 {".map", "application/json"},
                 {".svg", "image/svg+xml"},
                 {".png", "image/png"},
                 {".webmanifest", "application/manifest+json"},
                 {".txt", "text/plain; charset=utf-8"},
                 {".woff2", "font/woff2"}};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t k = strlen(types[i].ending);
        if (n > k && strcmp(name + n - k, types[i].ending) == 0) return types[i].type;
    }
    return "application/octet-stream";
}

static err add_file(site *s, const char *url, const char *path, const struct stat *st)
{
    char zipped[FILE_PATH + 4];
    struct stat z;
    if (s->n == MOST) return err_set(ERR_LIMIT, "the page has more than %d files", MOST);
    if (!GROW(s->file, s->n, s->room)) return err_set(ERR_MEMORY, "no memory for the page's files");
    site_file *f = &s->file[s->n];
    *f = (site_file){.url = strdup(url), .path = strdup(path), .type = type_of(url), .size = (size_t)st->st_size};
    if (f->url == NULL || f->path == NULL) {
        free(f->url);
        free(f->path);
        return err_set(ERR_MEMORY, "no memory for the page's files");
    }
    s->n++;
    snprintf(f->etag, sizeof f->etag, "\"%llx-%llx\"", (unsigned long long)st->st_size,
             (unsigned long long)st->st_mtim.tv_sec * 1000000000ull + (unsigned long long)st->st_mtim.tv_nsec);
    snprintf(zipped, sizeof zipped, "%s.gz", path);
    f->zipped = stat(zipped, &z) == 0 && S_ISREG(z.st_mode) && z.st_mtime >= st->st_mtime; // not of an older build
    if (f->zipped) f->zipped_size = (size_t)z.st_size;
    return ERR_OK;
}

static err add_folder(site *s, const char *dir, const char *url, int depth)
{
    char path[FILE_PATH], inner[1024], **names = NULL;
    int n = 0;
    struct stat st;
    err e = file_list(dir, NULL, &names, &n);
    for (int i = 0; i < n && e == ERR_OK; i++) {
        if (names[i][0] == '.' || file_join(path, sizeof path, dir, names[i]) != ERR_OK || stat(path, &st) != 0)
            continue;
        if (snprintf(inner, sizeof inner, "%s/%s", url, names[i]) >= (int)sizeof inner) continue;
        if (S_ISDIR(st.st_mode) && depth < DEPTH)
            e = add_folder(s, path, inner, depth + 1);
        else if (S_ISREG(st.st_mode))
            e = add_file(s, inner, path, &st);
    }
    file_list_free(names, n);
    return e;
}

err site_open(site **out, const char *dir)
{
    site *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for the page's files");
    err e = add_folder(s, dir, "", 0);
    if (e == ERR_OK && site_find(s, "/") == NULL)
        e = err_set(ERR_MISSING, "%s has no index.html; make site builds it", dir);
    return HAND_OVER(e, out, s, site_close);
}

void site_close(site *s)
{
    if (s == NULL) return;
    for (int i = 0; i < s->n; i++) {
        free(s->file[i].url);
        free(s->file[i].path);
    }
    free(s->file);
    free(s);
}

const site_file *site_find(const site *s, const char *url)
{
    if (strcmp(url, "/") == 0) url = "/index.html";
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->file[i].url, url) == 0) return &s->file[i];
    return NULL;
}
