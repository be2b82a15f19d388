// See plugin.h. A library that was loaded stays so: its functions are the game.
#define _XOPEN_SOURCE 700 // realpath
#include "app/plugin.h"

#include "base/file.h"
#include "games/own/own.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const keiko_rules *plugin_fn(int i, int api_version);

typedef struct library {
    void *handle;
    char path[FILE_PATH + 4]; // absolute where it is a path
    const game *games[GAME_MORE];
    int n;
} library;

static library loaded[GAME_MORE];
static int n_loaded;

static err take_games(library *l, plugin_fn *give, const char *path)
{
    int n = 0;
    const keiko_rules *r;
    for (; n <= GAME_MORE && (r = give(n, KEIKO_API_VERSION)) != NULL; n++) {
        const game *g;
        err e = err_prefix(own_game_add(r, &g), "%s", path);
        if (e != ERR_OK) return e;
        l->games[l->n++] = g;
    }
    if (n == 0)
        return err_set(ERR_USAGE, "%s: keiko_plugin(0, %d) gives no game; %d is the api_version of this keiko", path,
                       KEIKO_API_VERSION, KEIKO_API_VERSION);
    return ERR_OK;
}

const char *plugin_of(const game *g)
{
    for (int i = 0; i < n_loaded; i++)
        for (int k = 0; k < loaded[i].n; k++)
            if (loaded[i].games[k] == g) return loaded[i].path;
    return NULL;
}

void plugin_list(text_buf *out)
{
    for (int i = 0; i < n_loaded; i++) text_printf(out, "%s%s", i > 0 ? ":" : "", loaded[i].path);
}

static void keep_path(library *l, const char *name)
{
    char *full = strchr(name, '/') != NULL ? realpath(name, NULL) : NULL;
    snprintf(l->path, sizeof l->path, "%s", full != NULL && strlen(full) < sizeof l->path ? full : name);
    free(full);
}

err plugin_load(const char *path)
{
    char name[FILE_PATH + 4];
    // Without a slash dlopen looks in the system's folders only.
    bool here = strchr(path, '/') == NULL && file_exists(path);
    if (snprintf(name, sizeof name, "%s%s", here ? "./" : "", path) >= (int)sizeof name)
        return err_set(ERR_LIMIT, "the path of a game library is too long");
    void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) {
        const char *why = dlerror();
        return err_set(ERR_MISSING, "cannot load the game library: %s", why != NULL ? why : path);
    }
    for (int i = 0; i < n_loaded; i++)
        if (loaded[i].handle == lib) { // named twice, on the command line and in a configuration
            dlclose(lib);
            return ERR_OK;
        }
    plugin_fn *give;
    *(void **)&give = dlsym(lib, "keiko_plugin");
    if (give == NULL) {
        dlclose(lib);
        return err_set(ERR_USAGE, "%s is no game library: it has no function keiko_plugin (see docs/plugins.md)", path);
    }
    if (n_loaded == GAME_MORE) {
        dlclose(lib);
        return err_set(ERR_LIMIT, "%s: at most %d games can be added", path, GAME_MORE);
    }
    library *l = &loaded[n_loaded++]; // even with a mistake in it: some of its games may be known
    l->handle = lib;
    keep_path(l, name);
    return take_games(l, give, path);
}

err plugin_from_config(char *text)
{
    static const char key[] = "game-lib";
    for (char *line = text; *line != 0;) {
        size_t n = strcspn(line, "\n");
        char *at = line + strspn(line, " \t");
        bool ours = strncmp(at, key, sizeof key - 1) == 0;
        if (ours) at += sizeof key - 1, at += strspn(at, " \t");
        if (ours && *at == '=') {
            char path[FILE_PATH];
            at += 1 + strspn(at + 1, " \t\"'");
            size_t length = strcspn(at, "\r\n\"'");
            while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) length--;
            if (length >= sizeof path) return err_set(ERR_LIMIT, "the path of a game library is too long");
            memcpy(path, at, length);
            path[length] = 0;
            memset(line, ' ', n);
            err e = plugin_load_all(path);
            if (e != ERR_OK) return e;
        }
        line += n + (line[n] == '\n');
    }
    return ERR_OK;
}

err plugin_load_all(const char *paths)
{
    err e = ERR_OK;
    for (const char *at = paths; e == ERR_OK && *at != 0;) {
        char one[FILE_PATH];
        size_t n = strcspn(at, ":");
        if (n >= sizeof one) return err_set(ERR_LIMIT, "the path of a game library is too long");
        memcpy(one, at, n);
        one[n] = 0;
        if (n > 0) e = plugin_load(one);
        at += n + (at[n] == ':');
    }
    return e;
}
