// Looking for the weights that ship. See models.h.
#include "base/models.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static err try_folder(const char *folder, const char *name, char *path, size_t n)
{
    err e = file_join(path, n, folder, name);
    if (e == ERR_OK && !file_exists(path)) e = err_set(ERR_MISSING, "there is no %s", path);
    return e;
}

// `dir` becomes the folder above it; false at the root.
static bool go_up(char *dir)
{
    char *slash = strrchr(dir, '/');
    if (slash == NULL || slash == dir) return false;
    *slash = 0;
    return true;
}

err models_find(const char *name, char *path, size_t n)
{
    const char *own = getenv("KEIKO_MODELS");
    if (own != NULL && *own != 0) return err_prefix(try_folder(own, name, path, n), "KEIKO_MODELS");
    char dir[FILE_PATH], folder[FILE_PATH + 32];
    ssize_t len = readlink("/proc/self/exe", dir, sizeof dir - 1);
    if (len > 0) {
        dir[len] = 0;
        for (int up = 0; up < 5 && go_up(dir); up++) {
            snprintf(folder, sizeof folder, "%s/%s", dir, up == 1 ? "share/keiko/models" : "models");
            if (try_folder(folder, name, path, n) == ERR_OK) return ERR_OK;
            snprintf(folder, sizeof folder, "%s/models", dir);
            if (up == 1 && try_folder(folder, name, path, n) == ERR_OK) return ERR_OK;
        }
    }
    if (try_folder("models", name, path, n) == ERR_OK) return ERR_OK;
    return err_set(ERR_MISSING,
                   "%s is in no models folder beside the program or above it, nor in ./models; set KEIKO_MODELS "
                   "to the folder that holds it",
                   name);
}

static bool is_file(const char *path)
{
    return file_exists(path) && !file_is_dir(path);
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
    if (strchr(name, '/') != NULL)
        return whole ? err_set(ERR_MISSING, "there is no %s", name)
                     : err_set(ERR_MISSING, "there is no %s, nor %s", name, longer);
    if (models_find(longer, path, n) == ERR_OK) return ERR_OK;
    return models_find(name, path, n);
}
