// See game_file.h.
#include "app/game_file.h"

#include "base/file.h"

#include <stdlib.h>

enum { MOST_BYTES = 64 << 20 };

err game_file_load(session **out, const char *path, const game *g, const char *options, game_key key, int which)
{
    char *text = NULL;
    size_t size = 0;
    err e = file_read(path, MOST_BYTES, &text, &size);
    if (e != ERR_OK) return e;
    e = session_import(out, &(session_source){.text = text,
                                              .size = size,
                                              .format = session_format_by_name(path),
                                              .g = g,
                                              .options = options,
                                              .key = key,
                                              .which = which});
    free(text);
    return err_prefix(e, "%s", path);
}

err game_file_save(session *s, const char *path)
{
    text_buf t = {0};
    session_promote(s, session_at(s));
    err e = session_export(s, session_format_by_name(path), &t);
    if (e == ERR_OK) e = file_write_atomic(path, text_str(&t), t.len);
    text_free(&t);
    return e;
}
