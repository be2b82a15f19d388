// Sessions in files: the format follows from the file's ending, else from its content.
#ifndef KEIKO_APP_GAME_FILE_H
#define KEIKO_APP_GAME_FILE_H

#include "app/session.h"

// `g` may be NULL where the file says which game it is; `options` are for a bare list of moves. `which`: of several games in the
// file, from 0. Errors begin with the path.
err game_file_load(session **out, const char *path, const game *g, const char *options, game_key key, int which);

// The line to the current node becomes the main line, which is what formats without variations hold.
err game_file_save(session *s, const char *path);

#endif
