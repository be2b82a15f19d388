// keiko perft: count the leaves of the game tree, the oldest test of a move generator.
#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "games/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *settings, *position, *moves;
    int64_t depth;
    bool slow, divide, only;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ARG_GAME(options, true),
    ROW_INT("DEPTH", AT(depth), NULL, NULL, 0, 100, "Depth in plies", .required = true),
};

static const opt opts[] = {
    OPT_SETTINGS(options),
    OPT_POSITION(options),
    OPT_MOVES(options),
    ROW_FLAG("only", AT(only), NULL, "Print only the last depth"),
    ROW_FLAG("divide", AT(divide), NULL, "At the last depth, print the count for each move"),
    ROW_FLAG("slow", AT(slow), NULL, "Use the generic game interface instead of the game's fast core"),
};

static uint64_t count(const options *o, const game *g, const void *s, int depth)
{
    return g->perft != NULL && !o->slow ? g->perft(s, depth) : game_perft(g, s, depth);
}

static void divide(const options *o, const game *g, const void *s)
{
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    char *next = malloc(g->state_size), *obs = malloc(g->obs_size), text[256];
    int n = moves != NULL && next != NULL && obs != NULL ? g->legal(s, moves) : 0;
    for (int i = 0; i < n; i++) {
        game_observe(g, s, g->seat(s), obs);
        g->move_print(obs, moves[i], text, sizeof text);
        memcpy(next, s, g->state_size);
        g->play(next, moves[i], NULL);
        printf("  %-10s %" PRIu64 "\n", text, count(o, g, next, (int)o->depth - 1));
    }
    FREE_ALL(obs, next, moves);
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("perft");
    history h = {0};
    if (history_begin(&h, g, o->settings, o->position, (game_key){1, 0}) != ERR_OK ||
        history_play_list(&h, o->moves) != ERR_OK) {
        history_free(&h);
        return cli_fail("perft");
    }
    const void *s = history_now(&h);
    for (int d = o->only || o->depth == 0 ? (int)o->depth : 1; d <= o->depth; d++) {
        double start = clock_seconds();
        uint64_t leaves = count(o, g, s, d);
        double seconds = clock_seconds() - start;
        printf("perft %d = %" PRIu64 "\n", d, leaves);
        fflush(stdout);
        if (o->all.verbose)
            fprintf(stderr, "  %.3f s, %.1f M leaves/s\n", seconds,
                    (double)leaves / 1e6 / (seconds > 0 ? seconds : 1e-9));
    }
    if (o->divide && o->depth > 0) divide(o, g, s);
    history_free(&h);
    return 0;
}

const command cmd_perft = {
    CALLED("perft", "Count the leaves of the game tree at a depth"),
    .about =
        "Counts the move sequences of exactly DEPTH plies. A pass is a ply; a game that ends earlier counts as one leaf. Prints one line per depth. Compare with published counts to check the rules. --verbose adds the time and speed per depth.",
    .examples =
        "keiko perft othello 9\nkeiko perft contrast 3 --divide\nkeiko perft othello 11 --only --simd scalar  # without vector instructions",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
