// The rows of `keiko speed` about the game cores.
#include "cli/speed.h"
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
    {"othello", "perft, last ply counted, no hash", "leaves", othello_perft, 9},
    {"othello", "random games", "games", othello_games, 4000},
    {"othello", "random moves through the table", "moves", table_moves, 0},
    {"contrast", "perft, every position played", "positions", contrast_perft, 3},
    {"contrast", "random moves through the table", "moves", table_moves, 1},
    {"renju", "play + undo with patterns", "pairs", renju_play_undo, 20000},
    {"renju", "complete maps of forbidden points", "maps", renju_fouls, 500},
    {"renju", "random moves through the table", "moves", table_moves, 2},
    {"freestyle20", "random moves through the table", "moves", table_moves, 3},
    {"puyo", "19-chain", "chains", puyo_links, 0},
    {"puyo", "19-chain, with score and frames", "chains", puyo_scored, 0},
    {"puyo", "9-chain with nuisance", "chains", puyo_links, 1},
    {"puyo", "9-chain with nuisance, score and frames", "chains", puyo_scored, 1},
    {"puyo", "5-chain", "chains", puyo_links, 2},
    {"puyo", "5-chain, with score and frames", "chains", puyo_scored, 2},
    {"puyo", "nothing pops", "chains", puyo_links, 3},
    {"puyo", "nothing pops, with score and frames", "chains", puyo_scored, 3},
    {"puyo", "versus, random moves through the table", "moves", table_moves, 4},
    {"puyo-solo", "random moves through the table", "moves", table_moves, 5},
    {"tictactoe", "random moves through the table", "moves", table_moves, 6},
};

const int n_speed_games = (int)(sizeof speed_games / sizeof *speed_games);
