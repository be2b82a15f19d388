// The rules and the notation of a game as text for people: docs/rules and docs/ja/rules, compiled into the program.
#ifndef KEIKO_GAMES_RULES_H
#define KEIKO_GAMES_RULES_H

#include "games/game.h"

// Markdown of at most 80 columns. `language` is "en" or "ja"; a game that another program brings has one text for both. The
// text is borrowed for ever and ends with a NUL. ERR_MISSING where there is none: a build without embedded files.
err game_rules(const game *g, const char *language, const char **text);

#endif
