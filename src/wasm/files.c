// Files in the browser: what the page has fetched and handed over, and nothing else. Stands in for base/file.c and
// base/embedded.c; a name is the file's path in the source tree, as it is for files compiled into the program.
#include "base/embedded.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 32 };

static struct {
    char *name;
    const char *data;
    size_t size;
} files[FILES];
static int n_files;

void wasm_file_put(const char *name, const char *data, size_t size);

// A file given again replaces the first one for whoever looks later.
void wasm_file_put(const char *name, const char *data, size_t size)
{
    int i = 0;
    while (i < n_files && strcmp(files[i].name, name) != 0) i++;
    if (i == FILES) return;
    if (i == n_files) {
        files[i].name = strdup(name);
        if (files[i].name == NULL) return;
        n_files++;
    }
    files[i].data = data;
    files[i].size = size;
}

bool embedded_find(const char *name, const char **data, size_t *size)
{
    for (int i = 0; i < n_files; i++)
        if (strcmp(files[i].name, name) == 0) {
            *data = files[i].data;
            *size = files[i].size;
            return true;
        }
    return false;
}

const char *embedded_name(int i)
{
    return i < n_files ? files[i].name : NULL;
}

bool file_exists(const char *path)
{
    (void)path;
    return false;
}

bool file_is_dir(const char *path)
{
    (void)path;
    return false;
}

bool file_program(char path[FILE_PATH])
{
    (void)path;
    return false;
}

bool file_library(char path[FILE_PATH])
{
    (void)path;
    return false;
}

err file_read(const char *path, size_t most, char **data, size_t *size)
{
    (void)most;
    (void)data;
    (void)size;
    return err_set(ERR_MISSING, "%s: the browser has no files", path);
}

err file_join(char *out, size_t n, const char *dir, const char *name)
{
    int len = snprintf(out, n, "%s%s%s", dir, dir[0] != 0 ? "/" : "", name);
    return len < (int)n ? ERR_OK : err_set(ERR_LIMIT, "a path is too long");
}

bool file_is_device(const char *path)
{
    (void)path;
    return false;
}
