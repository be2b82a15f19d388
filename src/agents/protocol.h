// How GTP writes a move: what our server and the agent that plays through a GTP program share.
//
// Letters without I on boards wider than 8; moves that are not one square as the game prints them. `obs` as for move_print.
#ifndef KEIKO_AGENTS_PROTOCOL_H
#define KEIKO_AGENTS_PROTOCOL_H

#include "games/game.h"

int gtp_print(const game *g, const void *obs, move_t m, char *buf, size_t n);
err gtp_parse(const game *g, const void *obs, const char *text, move_t *m);

#endif
