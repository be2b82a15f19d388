// Games from shared libraries: `keiko --game-lib ./libhex.so`.
#ifndef KEIKO_APP_PLUGIN_H
#define KEIKO_APP_PLUGIN_H

#include "base/err.h"

// Registers every game that the library's keiko_plugin() gives. A name without a slash is looked for in the current folder
// first. The library stays loaded. Before other threads look at games.
err plugin_load(const char *path);

// Several, separated by ':'.
err plugin_load_all(const char *paths);

// Loads what a line "game-lib = PATH" of a configuration names, and blanks that line: it is no option of a trainer.
err plugin_from_config(char *text);

#endif
