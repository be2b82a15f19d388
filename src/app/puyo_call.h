// Puyo for the page beyond sessions: the advisor, guided practice, simulations, chains of an edited field, and a match in real
// time. Like session_call: a verb with named texts in, one JSON object out.
//
//   advise field pair [next mode reach colours pairs turns index]    what to do, with reasons (advise_json)
//   practice seed number [turns mode pairs colours shown moves]      a game of the advisor's: the position after `moves`, the
//                                                                   advice for it, what the last move did, whether it counts
//   simulate turns seed first games [mode pairs colours before hits] some games; the interval counts earlier ones, too
//   placements field pair [reach]                                   where the pair may go and where it comes to rest
//   chain field [pairs]                                             what pops; the field as a puyop.com address
//   live-new [seed options]    live-rest seat move frame            a match in frames (py_match_rest, py_match_pass)
//   live-pass frame            live-ask seat                        live-rest answers no steps where the match had ended by then
#ifndef KEIKO_APP_PUYO_CALL_H
#define KEIKO_APP_PUYO_CALL_H

#include "app/session_call.h"
#include "games/puyo/puyo_match.h"

typedef struct puyo_live { // one match; zero before live-new
    py_match match;
    bool open;
} puyo_live;

// On an error nothing is appended to `out`, and the match is as before.
err puyo_call(puyo_live *live, const char *verb, const call_arg *args, int n, text_buf *out);

#endif
