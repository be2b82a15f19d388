// The rows of `keiko speed` about the game cores.
#include "app/speed.h"
#include "games/contrast/contrast.h"
#include "games/othello/othello.h"
#include "games/puyo/puyo.h"
#include "games/renju/renju.h"

#include <stdlib.h>

static uint64_t othello_perft(int depth, uint64_t round)
{
    (void)round;
    return oth_perft(oth_start(), depth);
}

static uint64_t othello_games(int n, uint64_t round)
{
    return oth_random_games(1, round * (uint64_t)n, (uint64_t)n).games;
}

static uint64_t contrast_perft(int depth, uint64_t round)
{
    (void)round;
    ctr_board b = ctr_start();
    return ctr_perft(&b, depth);
}

static volatile uint64_t sink; // what a loop computed must be used

static uint64_t renju_play_undo(int n, uint64_t round)
{
    sink = rj_speed_play_undo((uint64_t)n, round);
    return (uint64_t)n;
}

static uint64_t renju_fouls(int n, uint64_t round)
{
    sink = rj_speed_forbidden((uint64_t)n, round);
    return (uint64_t)n;
}

// --- Puyo chains: boards of the kinds that chain simulators are usually compared on

static const struct {
    const char *field;
    int links; // checked, so that a wrong simulator cannot look fast
} boards[] = {
    {"..RYGR/RBBRYB/GBRYGG/RBRYGB/GYBGYB/YBGYRB/GYBGYR/GYBGYR/GRRBRB/RBYGBB/GRBYGR/GRBYGR/GRBYGR", 19},
    {"O..OOB/B..OOY/B..YOG/O.GGRB/O.GGYB/O.GYYG/OBRGRR/OYRGYR/BORYGG/YOOBBG/YROGYB/YBOYYB/BBOGGB", 9},
    {".RBRB./RBRBR./RBRBR./RBRBRR", 5},
    {"RYGBRY/GBRYGB/RYGBRY/GBRYGB/RYGBRY/GBRYGB/RYGBRY/GBRYGB", 0},
};

enum { CHAINS_A_ROUND = 2000 };

static const py_field *board(int i)
{
    static py_field fields[sizeof boards / sizeof *boards];
    static bool ready;
    for (size_t k = 0; !ready && k < sizeof boards / sizeof *boards; k++)
        if (py_field_parse(boards[k].field, &fields[k]) != ERR_OK) fields[k] = (py_field){0};
    ready = true;
    return &fields[i];
}

static uint64_t puyo_scored(int i, uint64_t round)
{
    const py_field *start = board(i);
    int64_t sum = 0;
    (void)round;
    for (int k = 0; k < CHAINS_A_ROUND; k++) {
        py_field f = *start;
        sum += py_chain(&f).links;
    }
    return sum == (int64_t)boards[i].links * CHAINS_A_ROUND ? CHAINS_A_ROUND : 0;
}

static uint64_t puyo_links(int i, uint64_t round)
{
    const py_field *start = board(i);
    int64_t sum = 0;
    (void)round;
    for (int k = 0; k < CHAINS_A_ROUND; k++) {
        py_field f = *start;
        sum += py_links(&f);
    }
    return sum == (int64_t)boards[i].links * CHAINS_A_ROUND ? CHAINS_A_ROUND : 0;
}

// --- random games through the game table: what a general program gets. Units are moves, since games differ in length.

static const char *const names[] = {"othello", "contrast", "renju", "freestyle20", "puyo", "puyo-solo", "tictactoe"};

static uint64_t table_moves(int i, uint64_t round)
{
    const game *g;
    uint64_t moves = 0;
    if (game_find(names[i], &g) != ERR_OK) return 0;
    void *s = malloc(g->state_size);
    for (uint64_t k = 0; s != NULL && k < 20; k++) {
        rng r = rng_at(1, round * 20 + k, 0);
        if (g->init(s, "", (game_key){1, round * 20 + k}) != ERR_OK) break;
        moves += (uint64_t)game_random_playout(g, s, &r, 100000);
    }
    free(s);
    return moves;
}

const speed_row speed_games[] = {
    {.group = "othello", .name = "perft, last ply counted, no hash", .unit = "leaves", .work = othello_perft, .arg = 9},
    {.group = "othello", .name = "random games", .unit = "games", .work = othello_games, .arg = 4000},
    {.group = "othello", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 0},
    {.group = "contrast",
     .name = "perft, every position played",
     .unit = "positions",
     .work = contrast_perft,
     .arg = 3},
    {.group = "contrast", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 1},
    {.group = "renju", .name = "play + undo with patterns", .unit = "pairs", .work = renju_play_undo, .arg = 800000},
    {.group = "renju", .name = "complete maps of forbidden points", .unit = "maps", .work = renju_fouls, .arg = 100000},
    {.group = "renju", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 2},
    {.group = "freestyle20", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 3},
    {.group = "puyo", .name = "19-chain", .unit = "chains", .work = puyo_links, .arg = 0},
    {.group = "puyo", .name = "19-chain, with score and frames", .unit = "chains", .work = puyo_scored, .arg = 0},
    {.group = "puyo", .name = "9-chain with nuisance", .unit = "chains", .work = puyo_links, .arg = 1},
    {.group = "puyo",
     .name = "9-chain with nuisance, score and frames",
     .unit = "chains",
     .work = puyo_scored,
     .arg = 1},
    {.group = "puyo", .name = "5-chain", .unit = "chains", .work = puyo_links, .arg = 2},
    {.group = "puyo", .name = "5-chain, with score and frames", .unit = "chains", .work = puyo_scored, .arg = 2},
    {.group = "puyo", .name = "nothing pops", .unit = "chains", .work = puyo_links, .arg = 3},
    {.group = "puyo", .name = "nothing pops, with score and frames", .unit = "chains", .work = puyo_scored, .arg = 3},
    {.group = "puyo", .name = "versus, random moves through the table", .unit = "moves", .work = table_moves, .arg = 4},
    {.group = "puyo-solo", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 5},
    {.group = "tictactoe", .name = "random moves through the table", .unit = "moves", .work = table_moves, .arg = 6},
};

const int n_speed_games = (int)(sizeof speed_games / sizeof *speed_games);
