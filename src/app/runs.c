// See runs.h.
#include "app/runs.h"

#include "base/file.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>

err runs_list(const char *dir, runs_entry **out, int *n)
{
    char **names = NULL, path[FILE_PATH];
    int all = 0;
    *out = NULL;
    *n = 0;
    err e = file_list(dir, NULL, &names, &all);
    if (e != ERR_OK) return e;
    runs_entry *list = calloc((size_t)all + 1, sizeof *list);
    if (list == NULL) e = err_set(ERR_MEMORY, "no memory for a list of %d runs", all);
    for (int i = 0; i < all && e == ERR_OK; i++) {
        run_info info;
        if (file_join(path, sizeof path, dir, names[i]) != ERR_OK || run_info_read(&info, path) != ERR_OK) continue;
        if (run_state_read(&list[*n].s, path) == ERR_OK)
            snprintf(list[(*n)++].name, sizeof list->name, "%s", names[i]);
        else
            log_warn("%s is left out: %s", path, err_text());
    }
    file_list_free(names, all);
    if (e == ERR_OK) *out = list;
    return e;
}

void runs_json(const runs_entry *r, int n, json_writer *w)
{
    json_open_array(w);
    for (int i = 0; i < n; i++) {
        json_open_object(w);
        json_pair_text(w, "name", r[i].name);
        json_key(w, "state");
        run_state_json(&r[i].s, w);
        json_close(w);
    }
    json_close(w);
}
