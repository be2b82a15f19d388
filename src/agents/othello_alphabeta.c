// Othello's own player: `alphabeta`, the engine of search/othello with limits as parameters.
//
// Without a clock it searches to `depth` (or `nodes`, `seconds`) and solves the last `exact` empties. On a clock it takes a
// share of what is left instead, `depth` then only being an upper bound where it was given.
#include "agents/careless.h"
#include "games/othello/othello.h"
#include "search/othello/oth_book.h"
#include "search/othello/oth_search.h"

#include <stdio.h>
#include <string.h>

typedef struct params {
    int64_t depth, exact, threads, best, hash, nodes;
    double seconds, random, within;
    const char *weights, *book;
} params;

extern const agent_type agent_othello_alphabeta;

typedef struct mind {
    oth_engine *engine;
    const oth_weights *own; // of a file named in the spec
    oth_book book;          // likewise; empty without
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_INT("depth", AT(depth), "N", "8", 0, 60, "Search depth in plies; 0 = limited by nodes or seconds only"),
    ROW_INT("exact", AT(exact), "N", "-1", -1, 36,
            "Solve exactly when at most N squares are empty; -1 = twice the depth, at most 20"),
    ROW_INT("nodes", AT(nodes), "N", "0", 0, 1e15, "Maximum positions per move; 0 = no limit"),
    ROW_NUMBER("seconds", AT(seconds), "S", "0", 0, 1e6,
               "Maximum seconds per move; 0 = no limit. Results then vary between runs"),
    ROW_INT("threads", AT(threads), "N", "1", 1, 256,
            "Number of threads; with more than one, results vary between runs"),
    ROW_INT("multipv", AT(best), "N", "1", 1, 32, "Number of best moves to report"),
    ROW_INT("hash", AT(hash), "N", "20", 10, 30, "Hash table size: 2^N entries of 16 bytes"),
    ROW_FILE("weights", AT(weights), NULL,
             "Pattern weights file; 'none' = simple evaluation (mobility and corners); default: the built-in weights"),
    ROW_FILE("book", AT(book), NULL,
             "Opening book (keiko tune othello-book) to play from while it knows the position; default: none"),
    CARELESS_OPTS(params),
};

static err open_engine(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    const oth_weights *w = NULL;
    if (p->weights == NULL) {
        w = oth_weights_shipped(); // without them it plays on, weaker
    } else if (strcmp(p->weights, "none") != 0) {
        err e = oth_weights_open(&m->own, p->weights);
        if (e != ERR_OK) return e;
        w = m->own;
    }
    if (p->depth == 0 && p->nodes == 0 && p->seconds == 0)
        return err_set(ERR_USAGE, "alphabeta: depth=0 needs nodes or seconds");
    if (p->book != NULL) {
        err e = oth_book_load(&m->book, p->book);
        if (e != ERR_OK) return e;
    }
    return oth_engine_new(&m->engine,
                          &(oth_engine_options){.hash = (int)p->hash, .threads = (int)p->threads, .weights = w});
}

static void close_engine(agent *a)
{
    mind *m = a->mind;
    oth_engine_free(m->engine);
    oth_weights_close(m->own);
    oth_book_free(&m->book);
}

static void begin_game(agent *a) // games do not depend on those before
{
    mind *m = a->mind;
    oth_engine_clear(m->engine);
}

// A share of the clock: moves in the middle get most, and a tenth is kept back for slow machines.
static double share_of_clock(const agent_clock *c, int empties)
{
    double turn = c->turn > 0 ? 0.9 * c->turn : 1e9;
    if (c->left <= 0) return c->turn > 0 ? turn : 0;
    int mine = c->moves_left > 0 ? c->moves_left : (empties + 1) / 2;
    double share = 0.9 * c->left / (mine > 1 ? mine * 0.7 + 1 : 1);
    return share < turn ? share : turn;
}

// "final +4 f5 d6 c3 …": the score in discs and how play goes on.
static int describe(const oth_found_move *m, bool solved, int most, char *text, int room)
{
    char name[5];
    int n = snprintf(text, (size_t)room, "%s %+d", solved ? "final" : "about", m->score);
    for (int k = 0; k < m->n_line && k < most && n < room - 8; k++)
        n += snprintf(text + n, (size_t)(room - n), " %s", oth_square_name(m->line[k], name));
    return n;
}

static void fill(const oth_state *s, const oth_found *f, int i, agent_choice *out)
{
    out->move = (move_t)f->move[i].sq;
    out->value = (float)oth_points(f->move[i].score, oth_count(oth_empty(s->b)), f->solved);
    out->nodes = f->nodes;
    out->depth = f->depth;
    out->has_margin = true;
    out->margin = (float)f->move[i].score;
    for (out->n_line = 0; out->n_line < f->move[i].n_line && out->n_line < AGENT_LINE; out->n_line++)
        out->line[out->n_line] = (move_t)f->move[i].line[out->n_line];
}

static int fill_lines(const oth_state *s, const oth_found *f, int want, agent_choice *out)
{
    int n = f->n < want ? f->n : want;
    for (int i = 0; i < n; i++) {
        out[i] = (agent_choice){0};
        fill(s, f, i, &out[i]);
        describe(&f->move[i], f->solved, 24, out[i].text, (int)sizeof out[i].text);
    }
    return n;
}

typedef struct listener {
    const agent *a;
    const oth_state *s;
} listener;

static void hear_depth(void *ctx, const oth_found *so_far)
{
    const listener *l = ctx;
    agent_choice lines[OTH_MAX_MOVES];
    agent_tell_lines(l->a, lines, fill_lines(l->s, so_far, OTH_MAX_MOVES, lines));
}

static err think(agent *a, const void *obs, int best, oth_found *f)
{
    const oth_state *s = obs;
    const params *p = a->params;
    mind *m = a->mind;
    listener heard = {a, s};
    double share = share_of_clock(&a->clock, oth_count(oth_empty(s->b)));
    // Levels keep their depth on a clock: it is what makes them that level.
    bool lifted = share > 0 && a->type == &agent_othello_alphabeta && !agent_given(a, "depth");
    int64_t depth = lifted ? 0 : p->depth;
    int exact = (int)(p->exact >= 0 ? p->exact : depth * 2 < 20 && depth > 0 ? depth * 2 : 20);
    oth_limits l = {.depth = (int)depth,
                    .exact = exact,
                    .best = best,
                    .nodes = (uint64_t)p->nodes,
                    .seconds = p->seconds,
                    .stop = agent_stop_of(a)};
    if (share > 0 && (l.seconds == 0 || share < l.seconds)) l.seconds = share;
    if (agent_watched(a)) l.each = hear_depth, l.each_ctx = &heard;
    oth_engine_search(m->engine, s->b, &l, f);
    return f->n == 0 ? err_set(ERR_USAGE, "the game is over") : ERR_OK;
}

// The book's best move; false where it does not know the position.
static bool from_book(const agent *a, const oth_state *s, agent_choice *out)
{
    const mind *m = a->mind;
    oth_book_move move[OTH_BOOK_MOVES];
    char name[5];
    int n = oth_book_find(&m->book, s->b, move), at = 0, room = (int)sizeof out->text;
    if (n == 0) return false;
    *out = (agent_choice){.move = (move_t)move[0].sq, .has_margin = true, .margin = (float)move[0].score};
    out->value = (float)oth_points(move[0].score, oth_count(oth_empty(s->b)), false);
    for (int i = 0; i < n && at < room - 16; i++)
        at += snprintf(out->text + at, (size_t)(room - at), "%s %s %+d", i == 0 ? "book:" : ",",
                       oth_square_name(move[i].sq, name), move[i].score);
    return true;
}

// Adds what the book says of each move to the search's lines.
static void add_book(const agent *a, const oth_state *s, agent_choice *line, int n)
{
    const mind *m = a->mind;
    oth_book_move move[OTH_BOOK_MOVES];
    int known = oth_book_find(&m->book, s->b, move);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < known; k++) {
            size_t at = strlen(line[i].text);
            if (line[i].move != (move_t)move[k].sq) continue;
            snprintf(line[i].text + at, sizeof line[i].text - at, "; book %+d", move[k].score);
        }
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    oth_found f;
    bool drew;
    err e = agent_careless(a, obs, p->random, p->within, out, &drew);
    if (e != ERR_OK || drew || from_book(a, obs, out)) return e;
    e = think(a, obs, (int)p->best, &f);
    if (e != ERR_OK) return e;
    fill(obs, &f, 0, out);
    const int room = (int)sizeof out->text;
    for (int i = 0, n = 0; i < f.n && n < room - 24; i++) {
        if (i > 0) n += snprintf(out->text + n, (size_t)(room - n), "; ");
        n += describe(&f.move[i], f.solved, f.n > 1 ? 6 : 16, out->text + n, room - n);
    }
    return ERR_OK;
}

static err analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    oth_found f;
    err e = think(a, obs, want, &f);
    if (e != ERR_OK) return e;
    *n = fill_lines(obs, &f, want, out);
    add_book(a, obs, out, *n);
    return ERR_OK;
}

const agent_type agent_othello_alphabeta = {
    NAMED("alphabeta", "othello", "Alpha-beta search with a learned pattern evaluation; solves the endgame exactly"),
    WITH_MIND(opts, params, mind, open_engine, begin_game, close_engine),
    .choose = choose,
    .analyse = analyse,
};
