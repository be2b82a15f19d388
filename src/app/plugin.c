// See plugin.h. A library that was loaded stays so: its functions are the game.
#include "app/plugin.h"

#include "base/file.h"
#include "games/own/own.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const keiko_rules *plugin_fn(int i, int api_version);

static void *loaded[GAME_MORE];
static int n_loaded;

static err take_games(plugin_fn *give, const char *path)
{
    int n = 0;
    const keiko_rules *r;
    for (; n <= GAME_MORE && (r = give(n, KEIKO_API_VERSION)) != NULL; n++) {
        const game *g;
        err e = err_prefix(own_game_add(r, &g), "%s", path);
        if (e != ERR_OK) return e;
    }
    if (n == 0) return err_set(ERR_USAGE, "%s: keiko_plugin gives no game", path);
    return ERR_OK;
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
        if (loaded[i] == lib) { // named twice, on the command line and in a configuration
            dlclose(lib);
            return ERR_OK;
        }
    plugin_fn *give;
    *(void **)&give = dlsym(lib, "keiko_plugin");
    if (give == NULL) {
        dlclose(lib);
        return err_set(ERR_USAGE, "%s is no game library: it has no function keiko_plugin (see docs/plugins.md)", path);
    }
    err e = take_games(give, path);
    if (n_loaded < GAME_MORE) loaded[n_loaded++] = lib; // even with a mistake in it: some of its games may be known now
    return e;
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
