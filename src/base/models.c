// Looking for the weights that ship. See models.h.
#include "base/models.h"

#include "base/embedded.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "embedded:";

static const char *const shipped[] = {
#define MODEL(name, file, ...) file,
#include "base/model_rows.h"
#undef MODEL
};

bool models_ships(const char *file)
{
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        if (strcmp(shipped[i], file) == 0) return true;
    return false;
}

static bool is_file(const char *path)
{
    return file_exists(path) && !file_is_dir(path);
}

static bool try_folder(const char *folder, const char *name, char *path, size_t n)
{
    return file_join(path, n, folder, name) == ERR_OK && is_file(path);
}

static bool try_embedded(const char *name, const char **data, size_t *size)
{
    char whole[256];
    return snprintf(whole, sizeof whole, "models/%s", name) < (int)sizeof whole && embedded_find(whole, data, size);
}

// `dir` becomes the folder above it; false at the root.
static bool go_up(char *dir)
{
    char *slash = strrchr(dir, '/');
    if (slash == NULL || slash == dir) return false;
    *slash = 0;
    return true;
}

// In a folder of models beside the file `from` or up to four folders above it. Changes `from`.
static bool try_above(char *from, const char *name, char *path, size_t n)
{
    static const char *const places[] = {"share/keiko/models", "models"};
    char folder[FILE_PATH + 32];
    for (int up = 0; up < 5 && go_up(from); up++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(folder, sizeof folder, "%s/%s", from, places[i]);
            if (try_folder(folder, name, path, n)) return true;
        }
    return false;
}

const char *models_folder(void)
{
    const char *own = getenv("KEIKO_MODELS");
    return own != NULL && *own != 0 ? own : NULL;
}

err models_find(const char *name, char *path, size_t n)
{
    const char *own = models_folder();
    if (own != NULL) {
        if (try_folder(own, name, path, n)) return ERR_OK;
        return err_set(ERR_MISSING, "the folder named by KEIKO_MODELS, %s, has no %s", own, name);
    }
    char from[FILE_PATH];
    if (file_program(from) && try_above(from, name, path, n)) return ERR_OK;
    if (file_library(from) && try_above(from, name, path, n)) return ERR_OK;
    if (try_folder("models", name, path, n)) return ERR_OK;
    const char *data;
    size_t size;
    if (try_embedded(name, &data, &size) && snprintf(path, n, "%s%s", prefix, name) < (int)n) return ERR_OK;
    return err_set(ERR_MISSING,
                   "%s is in no models folder near the program or the library, nor in ./models; set KEIKO_MODELS "
                   "to the folder that holds it, or install keiko with make install",
                   name);
}

// The folder of a run is not a network, but holds some.
static err refuse_folder(const char *name)
{
    static const char *const best[] = {"best.safetensors", "final.safetensors"};
    char path[FILE_PATH];
    for (size_t i = 0; i < sizeof best / sizeof *best; i++)
        if (try_folder(name, best[i], path, sizeof path))
            return err_set(ERR_USAGE, "%s is a folder; a network in it is %s", name, path);
    return err_set(ERR_USAGE, "%s is a folder; name the .safetensors file of a network", name);
}

err models_network(const char *name, char *path, size_t n)
{
    static const char ending[] = ".safetensors";
    char longer[FILE_PATH];
    size_t len = strlen(name), tail = sizeof ending - 1;
    if (len + sizeof ending > sizeof longer) return err_set(ERR_LIMIT, "the name of a network is too long");
    bool whole = len > tail && strcmp(name + len - tail, ending) == 0; // the ending is there
    snprintf(longer, sizeof longer, "%s%s", name, whole ? "" : ending);
    if (is_file(name)) return file_join(path, n, "", name);
    if (is_file(longer)) return file_join(path, n, "", longer);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) { // a location
        const char *data;
        size_t size;
        if (try_embedded(longer + sizeof prefix - 1, &data, &size)) return file_join(path, n, "", longer);
        return err_set(ERR_MISSING, "no %s is compiled into this program", longer + sizeof prefix - 1);
    }
    if (strchr(name, '/') != NULL && file_is_dir(name)) return refuse_folder(name);
    if (strchr(name, '/') != NULL)
        return whole ? err_set(ERR_MISSING, "there is no %s", name)
                     : err_set(ERR_MISSING, "there is no %s, nor %s", name, longer);
    if (models_find(longer, path, n) == ERR_OK) return ERR_OK;
    err e = models_find(name, path, n);
    return e != ERR_OK && file_is_dir(name) ? refuse_folder(name) : e;
}

err models_read(model_bytes *out, const char *location, size_t most)
{
    *out = (model_bytes){0};
    if (strncmp(location, prefix, sizeof prefix - 1) == 0 && !file_exists(location)) {
        const char *data;
        if (!try_embedded(location + sizeof prefix - 1, &data, &out->size))
            return err_set(ERR_MISSING, "no %s is compiled into this program", location + sizeof prefix - 1);
        out->data = data;
        return ERR_OK;
    }
    err e = file_read(location, most, &out->owned, &out->size);
    out->data = out->owned;
    return e;
}

void models_free(model_bytes *b)
{
    free(b->owned);
    *b = (model_bytes){0};
}
