// Arithmetic of a tournament. See schedule.h.
#include "arena/schedule.h"

#include <assert.h>
#include <stdlib.h>

const char *const schedule_names[SCHEDULE_KINDS] = {"round-robin", "gauntlet", "neighbours"};

static bool plays(schedule_kind kind, int a, int b) // a < b
{
    return kind == SCHEDULE_ROUND_ROBIN || (kind == SCHEDULE_GAUNTLET && a == 0) ||
           (kind == SCHEDULE_NEIGHBOURS && b == a + 1);
}

err schedule_make(schedule *out, schedule_kind kind, int players, uint64_t games)
{
    if (players < 2) return err_set(ERR_USAGE, "a match needs at least two players");
    if (players > STATS_MAX_PLAYERS) return err_set(ERR_LIMIT, "at most %d players", STATS_MAX_PLAYERS);
    schedule s = {.kind = kind, .players = players, .games = games};
    s.pairing = malloc((size_t)players * (size_t)(players - 1) / 2 * sizeof *s.pairing);
    if (s.pairing == NULL) return err_set(ERR_MEMORY, "no memory for the schedule");
    for (int a = 0; a < players; a++)
        for (int b = a + 1; b < players; b++)
            if (plays(kind, a, b)) {
                s.pairing[s.n_pairings][0] = (uint16_t)a;
                s.pairing[s.n_pairings++][1] = (uint16_t)b;
            }
    s.n = games * (uint64_t)s.n_pairings;
    // A pair's number has 32 bits in stats/results.h, with one of them taken for "none".
    if (games > UINT32_MAX || s.n > UINT32_MAX - 1) {
        schedule_free(&s);
        return err_set(ERR_LIMIT, "more than four thousand million games");
    }
    *out = s;
    return ERR_OK;
}

void schedule_free(schedule *s)
{
    free(s->pairing);
    *s = (schedule){0};
}

uint64_t schedule_rounds(const schedule *s)
{
    return (s->games + 1) / 2;
}

// Games in rounds that have two a pairing.
static uint64_t in_whole_rounds(const schedule *s)
{
    return s->games / 2 * 2 * (uint64_t)s->n_pairings;
}

int schedule_pairing(const schedule *s, uint64_t i)
{
    assert(i < s->n);
    uint64_t whole = in_whole_rounds(s), pairings = (uint64_t)s->n_pairings;
    return (int)(i < whole ? i / 2 % pairings : (i - whole) % pairings);
}

uint32_t schedule_round(const schedule *s, uint64_t i)
{
    uint64_t whole = in_whole_rounds(s);
    return (uint32_t)(i < whole ? i / (2 * (uint64_t)s->n_pairings) : s->games / 2);
}

uint32_t schedule_pair(const schedule *s, uint64_t i)
{
    return schedule_round(s, i) * (uint32_t)s->n_pairings + (uint32_t)schedule_pairing(s, i);
}

match_game schedule_game(const schedule *s, uint64_t i)
{
    const uint16_t *p = s->pairing[schedule_pairing(s, i)];
    bool swapped = i < in_whole_rounds(s) && i % 2 == 1;
    return (match_game){
        .id = i, .player = {p[swapped], p[!swapped]}, .opening = schedule_round(s, i), .pair = schedule_pair(s, i)};
}
