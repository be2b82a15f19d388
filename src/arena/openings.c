// Opening sets. See openings.h.
//
// Balanced lines are drawn at random and evaluated by the game's own alpha-beta. The evaluator is asked for the mover's expected
// score, so one rule ("within `slack` of a half") serves every game; the game's table says how long lines are and which agent
// evaluates them. In renju and gomoku an evaluator that is quick enough to be asked here is wrong too often: the first mover
// won four of five games from lines that it called even. Their lines come from the game's table, made once with more effort
// (learn/tune/tune_openings.h).
#include "arena/openings.h"

#include "agents/agent.h"
#include "base/memory.h"
#include "base/stop.h"
#include "games/history.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const openings_kinds = "auto|balanced|named|start";

err openings_add(openings *o, const opening *line)
{
    if (!GROW(o->line, o->n, o->room)) return err_set(ERR_MEMORY, "no memory for the openings");
    o->line[o->n++] = *line;
    return ERR_OK;
}

void openings_free(openings *o)
{
    free(o->line);
    *o = (openings){0};
}

const opening *openings_at(const openings *o, uint32_t i)
{
    static const opening start;
    return o == NULL || o->n == 0 ? &start : &o->line[i % o->n];
}

// A line from the text of its moves.
static err line_parse(const game *g, const char *settings, const char *text, opening *out)
{
    history h = {0};
    err e = history_begin(&h, g, settings, NULL, (game_key){0, 0});
    if (e == ERR_OK) e = history_play_list(&h, text);
    if (e == ERR_OK && h.ply > OPENING_PLIES)
        e = err_set(ERR_LIMIT, "an opening of %d plies; at most %d are taken", h.ply, OPENING_PLIES);
    if (e == ERR_OK && g->result(history_now(&h)).over) e = err_set(ERR_PARSE, "the game is over after this opening");
    if (e == ERR_OK) {
        out->plies = (uint16_t)h.ply;
        for (int i = 0; i < h.ply; i++) out->moves[i] = h.moves[i];
    }
    history_free(&h);
    return e;
}

// --- balanced lines

static const game_openings plain = {.plies = 2, .evaluator = "mcts:sims=200", .slack = 0.15};

static const game_openings *recipe_of(const game *g)
{
    return g->openings != NULL && g->openings->evaluator != NULL ? g->openings : &plain;
}

static const char *named_lines(const game *g) // NULL = none
{
    return g->openings != NULL ? g->openings->named : NULL;
}

typedef struct maker {
    const game *g;
    const char *settings;
    const game_openings *how;
    agent *evaluator;
    char *state;
    move_t *legal;
    uint64_t *seen; // hashes of the lines kept, up to symmetry
    uint64_t seed;
} maker;

static bool is_legal(maker *m, const void *s, move_t move)
{
    int n = m->g->legal(s, m->legal);
    for (int i = 0; i < n; i++)
        if (m->legal[i] == move) return true;
    return false;
}

static err begin_state(maker *m, void *s)
{
    memset(s, 0, m->g->state_size);
    return m->g->init(s, m->settings, (game_key){0, 0});
}

// The same number for lines that lead to the same position up to a symmetry. A symmetry under which the start is not
// itself makes illegal lines, which are left out.
static err canonical(maker *m, const opening *o, uint64_t *out)
{
    *out = UINT64_MAX;
    for (int sym = 0; sym < m->g->n_syms; sym++) {
        err e = begin_state(m, m->state);
        if (e != ERR_OK) return e;
        int ply = 0;
        for (; ply < o->plies; ply++) {
            move_t move = m->g->sym_move(sym, o->moves[ply]);
            if (!is_legal(m, m->state, move)) break;
            m->g->play(m->state, move, NULL);
        }
        uint64_t hash = m->g->hash(m->state);
        if (ply == o->plies && hash < *out) *out = hash;
    }
    return ERR_OK;
}

// Draws line number k of the seed; *ok is false when it ends the game.
static err draw_line(maker *m, uint64_t k, opening *o, bool *ok)
{
    rng r = rng_at(rng_mix(m->seed ^ 0x6f70656e696e6773u), k, 0);
    *ok = true;
    *o = (opening){0};
    err e = begin_state(m, m->state);
    if (e != ERR_OK) return e;
    while (o->plies < m->how->plies) {
        int n = m->g->legal(m->state, m->legal);
        *ok = n > 0;
        if (!*ok) break;
        move_t move = m->legal[rng_below(&r, (uint32_t)n)];
        m->g->play(m->state, move, NULL);
        o->moves[o->plies++] = move;
    }
    *ok = *ok && !m->g->result(m->state).over;
    return ERR_OK;
}

// Is the position after the line (in m->state) balanced?
static err evaluate_line(maker *m, bool *ok)
{
    agent_choice c;
    agent_begin(m->evaluator, (game_key){m->seed, 0}, m->g->seat(m->state));
    err e = agent_choose(m->evaluator, m->state, &c);
    if (e != ERR_OK) return e;
    double off = (double)c.value - 0.5;
    *ok = c.value < 0 || (off <= m->how->slack && off >= -m->how->slack);
    return ERR_OK;
}

static bool seen_before(maker *m, uint64_t hash, uint32_t kept)
{
    for (uint32_t i = 0; i < kept; i++)
        if (m->seen[i] == hash) return true;
    m->seen[kept] = hash;
    return false;
}

static err fill_balanced(maker *m, openings *out, uint32_t want)
{
    enum { PATIENCE = 500 }; // some games have few such lines: give up after this many in vain
    uint64_t last = 0;       // the line kept last
    uint32_t kept = 0;
    for (uint64_t k = 0; k - last < PATIENCE && kept < want; k++) {
        opening o;
        bool ok;
        uint64_t hash;
        if (stop_requested()) return stop_check();
        err e = draw_line(m, k, &o, &ok);
        if (e == ERR_OK && ok) e = evaluate_line(m, &ok);
        if (e == ERR_OK && ok) e = canonical(m, &o, &hash);
        if (e != ERR_OK) return e;
        if (!ok || seen_before(m, hash, kept)) continue;
        e = openings_add(out, &o);
        if (e != ERR_OK) return e;
        last = k;
        kept++;
    }
    return ERR_OK;
}

// The order is drawn, so that a short match does not always begin with the same openings.
static void shuffle(openings *o, uint64_t seed)
{
    rng r = rng_at(rng_mix(seed ^ 0x73687566666c65u), 0, 0);
    for (uint32_t i = o->n; i > 1; i--) {
        uint32_t j = rng_below(&r, i);
        opening t = o->line[i - 1];
        o->line[i - 1] = o->line[j];
        o->line[j] = t;
    }
}

// Lines of the game's fixed set.
static err add_even(openings *out, const game *g, const char *settings, uint32_t want, uint64_t seed)
{
    openings all = {0};
    err e = openings_read(&all, g, settings, g->openings->even, "even openings");
    if (e == ERR_OK) shuffle(&all, seed);
    for (uint32_t i = 0; e == ERR_OK && i < all.n && i < want; i++) e = openings_add(out, &all.line[i]);
    openings_free(&all);
    return e;
}

static err add_balanced(openings *out, const game *g, const char *settings, uint32_t want, uint64_t seed)
{
    if (g->flags & (G_HIDDEN | G_CHANCE))
        return err_set(ERR_USAGE, "%s begins with chance: its games need no openings, say --openings start", g->name);
    if (g->openings != NULL && g->openings->even != NULL) return add_even(out, g, settings, want, seed);
    maker m = {.g = g, .settings = settings, .how = recipe_of(g), .seed = seed};
    err e = agent_open(&m.evaluator, g, m.how->evaluator);
    m.state = calloc(1, g->state_size);
    m.legal = calloc((size_t)g->max_legal, sizeof *m.legal);
    m.seen = calloc(want, sizeof *m.seen);
    if (e == ERR_OK && (m.state == NULL || m.legal == NULL || m.seen == NULL))
        e = err_set(ERR_MEMORY, "no memory for %u openings", want);
    if (e == ERR_OK) e = fill_balanced(&m, out, want);
    agent_close(m.evaluator);
    FREE_ALL(m.state, m.legal, m.seen);
    return e;
}

err openings_random(openings *out, const game *g, uint32_t n, uint64_t seed)
{
    enum { PLIES = 4 };
    err e = ERR_OK;
    openings set = {0};
    void *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    if (state == NULL || moves == NULL) e = err_set(ERR_MEMORY, "no memory for openings");
    for (uint32_t i = 0; e == ERR_OK && i < n; i++) {
        opening line = {0};
        rng r = rng_at(seed, i, 0x6f70);
        int want = 2 + (int)rng_below(&r, PLIES - 1);
        e = g->init(state, "", (game_key){seed, i});
        while (e == ERR_OK && line.plies < want) {
            int k = g->legal(state, moves);
            if (k == 0) break;
            move_t m = moves[rng_below(&r, (uint32_t)k)];
            g->play(state, m, NULL);
            if (g->result(state).over) break; // a game that is over before it began tells nothing
            line.moves[line.plies++] = m;
        }
        if (e == ERR_OK) e = openings_add(&set, &line);
    }
    free(state);
    free(moves);
    if (e != ERR_OK)
        openings_free(&set);
    else
        *out = set;
    return e;
}

// --- all kinds

err openings_make(openings *out, const game *g, const char *settings, const char *kind, uint32_t want, uint64_t seed)
{
    openings o = {0};
    err e = ERR_OK;
    bool automatic = strcmp(kind, "auto") == 0, all_named = strcmp(kind, "named") == 0;
    const char *named = named_lines(g);
    if (settings == NULL) settings = "";
    if (want < 1 || want > OPENINGS_MOST) return err_set(ERR_USAGE, "a set has 1 to %d openings", OPENINGS_MOST);
    if (all_named && named == NULL)
        return err_set(ERR_USAGE, "%s has no named openings; try --openings balanced", g->name);
    if (all_named || (automatic && named != NULL && g->openings->named_first)) {
        e = openings_read(&o, g, settings, named, "named openings");
        shuffle(&o, seed);
        if (o.n > want) o.n = want;
    }
    bool chance = g->flags & (G_HIDDEN | G_CHANCE);
    bool balanced = strcmp(kind, "balanced") == 0 || (automatic && !chance);
    if (e == ERR_OK && balanced && o.n < want) e = add_balanced(&o, g, settings, want - o.n, seed);
    if (e == ERR_OK && !all_named && !balanced && !automatic && strcmp(kind, "start") != 0)
        e = err_set(ERR_USAGE, "unknown openings '%s'; there are: %s, or the name of a file", kind, openings_kinds);
    if (e == ERR_OK && o.n == 0) e = openings_add(&o, &(opening){0}); // the start is an opening too
    if (e != ERR_OK) {
        openings_free(&o);
        return e;
    }
    *out = o;
    return ERR_OK;
}

// "name: moves" or "moves"; the name is split off in place.
static char *split_name(char *line, opening *o)
{
    char *colon = strchr(line, ':');
    if (colon == NULL) return line;
    *colon = 0;
    while (isspace((unsigned char)*line)) line++;
    snprintf(o->name, sizeof o->name, "%.*s", OPENING_NAME - 1, line);
    for (size_t n = strlen(o->name); n > 0 && isspace((unsigned char)o->name[n - 1]);) o->name[--n] = 0;
    return colon + 1;
}

err openings_read(openings *out, const game *g, const char *settings, const char *text, const char *name)
{
    openings o = {0};
    err e = ERR_OK;
    int line = 0;
    for (const char *p = text; *p && e == ERR_OK;) {
        size_t n = strcspn(p, "\n");
        char one[1024];
        line++;
        if (n >= sizeof one) {
            e = err_set(ERR_LIMIT, "%s, line %d: longer than %zu characters", name, line, sizeof one - 1);
            break;
        }
        memcpy(one, p, n);
        one[n] = 0;
        one[strcspn(one, "#\r")] = 0;
        p += n + (p[n] == '\n');
        if (one[strspn(one, " \t")] == 0) continue;
        opening a = {0};
        const char *moves = split_name(one, &a);
        e = err_prefix(line_parse(g, settings == NULL ? "" : settings, moves, &a), "%s, line %d", name, line);
        if (e == ERR_OK && o.n == OPENINGS_MOST)
            e = err_set(ERR_LIMIT, "%s: more than %d openings", name, OPENINGS_MOST);
        if (e == ERR_OK) e = openings_add(&o, &a);
    }
    if (e == ERR_OK && o.n == 0) e = err_set(ERR_PARSE, "%s has no openings", name);
    if (e != ERR_OK) {
        openings_free(&o);
        return e;
    }
    *out = o;
    return ERR_OK;
}
