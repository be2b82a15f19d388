// What the files of the game tables share. Private to this folder; the state itself is in renju.h.
#ifndef KEIKO_GAMES_RENJU_GAME_H
#define KEIKO_GAMES_RENJU_GAME_H

#include "games/game.h"
#include "games/renju/renju.h"

static inline const rj_variant *rj_variant_of(const rj_state *s)
{
    return &rj_variants[s->variant];
}

static inline const uint64_t *rj_stones(const rj_state *s, int colour)
{
    return s->stones + (colour ? rj_variant_of(s)->words : 0);
}

static inline bool rj_taken(const rj_state *s, int p)
{
    return (rj_stones(s, 0)[p / 64] | rj_stones(s, 1)[p / 64]) >> p % 64 & 1;
}

static inline int rj_stone_count(const rj_state *s)
{
    int n = 0;
    for (int w = 0; w < 2 * rj_variant_of(s)->words; w++) n += __builtin_popcountll(s->stones[w]);
    return n;
}

// renju_game.c
void rj_state_init(rj_state *s, int variant);
void rj_state_put(rj_state *s, int p, int colour); // a stone and nothing else: no turn, no judgement
void rj_state_judge(rj_state *s);                  // sets reason and winner from the stones, `last` and `cap`
void rj_state_play(rj_state *s, int p);
bool rj_state_has_five(const rj_state *s, int colour); // anywhere on the board, one that wins

// renju_text.c
err rj_move_parse(const void *obs, const char *text, move_t *m);
int rj_move_print(const void *obs, move_t m, char *buf, size_t n);
err rj_state_parse(int variant, const char *text, rj_state *out);
int rj_state_print(const void *s, char *buf, size_t n);
void rj_view(const void *obs, json_writer *w);
bool rj_opening_name(const move_t *m, int n, opening_name *out); // the 26 openings; 15x15
int rj_draw(const void *obs, move_t last, bool colour, char *buf, size_t n);

// renju_openings.c: even lines for matches, as in a file of openings; written by `keiko tune renju-openings`
extern const char rj_even_renju[], rj_even_gomoku[], rj_even_freestyle[], rj_even_freestyle20[];

// renju_encode.c
extern const encoding rj_encodings_renju[3], rj_encodings_gomoku[2];
move_t rj_sym_point(int size, int sym, move_t m);
void rj_sym_planes(int size, int sym, int planes, const uint64_t *in, uint64_t *out);

#endif
