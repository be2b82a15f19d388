// Reading a run's folder from outside. See run_status.h.
#include "learn/run_status.h"

#include "base/file.h"
#include "base/opt.h"

#include <stdio.h>
#include <string.h>

typedef struct info_text {
    const char *game, *algo, *began, *version;
} info_text;

static const opt info_rows[] = {
    {.name = "game", .kind = OPT_TEXT, .at = offsetof(info_text, game), .preset = ""},
    {.name = "algo", .kind = OPT_TEXT, .at = offsetof(info_text, algo), .preset = ""},
    {.name = "began", .kind = OPT_TEXT, .at = offsetof(info_text, began), .preset = ""},
    {.name = "version", .kind = OPT_TEXT, .at = offsetof(info_text, version), .preset = ""},
};

err run_info_read(run_info *info, const char *dir)
{
    enum { ROWS = sizeof info_rows / sizeof *info_rows };
    char path[FILE_PATH];
    info_text t;
    opt_values *keep = opt_keep();
    err e = keep == NULL ? err_set(ERR_MEMORY, "out of memory while reading %s", dir) : ERR_OK;
    if (e == ERR_OK) e = file_join(path, sizeof path, dir, "run.txt");
    if (e == ERR_OK && !file_exists(path)) e = err_set(ERR_MISSING, "%s holds no training run (no run.txt there)", dir);
    if (e == ERR_OK) e = opt_defaults(info_rows, ROWS, &t);
    if (e == ERR_OK) e = opt_config_file(info_rows, ROWS, &t, path, keep);
    if (e == ERR_OK) {
        snprintf(info->game, sizeof info->game, "%s", t.game);
        snprintf(info->algo, sizeof info->algo, "%s", t.algo);
        snprintf(info->began, sizeof info->began, "%s", t.began);
        snprintf(info->version, sizeof info->version, "%s", t.version);
    }
    opt_free(keep);
    return e;
}
