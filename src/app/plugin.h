// Games from shared libraries: `keiko --game-lib ./libhex.so`, or the same list in the environment variable KEIKO_GAME_LIB.
//
// The variable is how a library's name reaches other processes: the command line puts what it loaded there (with full paths), so
// that the training runs and benches which `keiko serve` starts know the same games.
#ifndef KEIKO_APP_PLUGIN_H
#define KEIKO_APP_PLUGIN_H

#include "base/err.h"
#include "base/text.h"
#include "games/game.h"

#define PLUGIN_VARIABLE "KEIKO_GAME_LIB"

// Registers every game that the library's keiko_plugin() gives. A name without a slash is looked for in the current folder
// first. The library stays loaded. Before other threads look at games.
err plugin_load(const char *path);

// Several, separated by ':'.
err plugin_load_all(const char *paths);

void plugin_list(text_buf *out);      // those that are loaded, as plugin_load_all reads them
const char *plugin_of(const game *g); // the library that brought this game, borrowed; NULL: none did

// Loads what a line "game-lib = PATH" of a configuration names, and blanks that line: it is no option of a trainer.
err plugin_from_config(char *text);

#endif
