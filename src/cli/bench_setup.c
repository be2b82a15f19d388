// From words to a setup: players on the command line or in a JSON file, levels, tests. See bench.h.
#include "base/json.h"
#include "cli/bench.h"
#include "keiko.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool given(const bench_options *o, const char *name)
{
    return opt_given(opt_values_of(o), name);
}

const char *bench_asked_for(const bench_options *o)
{
    static const char *const names[] = {"game",   "options",  "players",   "games",      "schedule",     "config",
                                        "levels", "openings", "max-plies", "adjudicate", "resign-moves", "sprt"};
    for (int i = 0; i < COUNT(names); i++)
        if (given(o, names[i])) return names[i];
    return NULL;
}

bool bench_described(const bench_options *o)
{
    return bench_asked_for(o) != NULL || given(o, "seed");
}

// --- levels

// A player's name as a spec: its own, or that of the level so called.
static void level_spec(const game *g, const char *name, char *spec, size_t n)
{
    if (!agent_level(g, name, spec, n)) snprintf(spec, n, "%s", name);
}

static err add_levels(tour_setup *s)
{
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < AGENT_LEVELS; i++) {
        char spec[64];
        if (agent_level(s->g, agent_levels[i], spec, sizeof spec)) e = tour_add_player(s, agent_levels[i], spec);
    }
    if (e == ERR_OK && s->n_players == 0)
        e = err_set(ERR_USAGE, "%s has no levels; say who plays: --players 'random;greedy'", s->g->name);
    return e;
}

// --- --players

// NAME=SPEC where '=' comes before any ':'; else the spec is its own name. Level names of puyo are understood.
static err add_player(tour_setup *s, char *word)
{
    while (isspace((unsigned char)*word)) word++;
    for (size_t n = strlen(word); n > 0 && isspace((unsigned char)word[n - 1]);) word[--n] = 0;
    if (*word == 0) return err_set(ERR_USAGE, "--players has an empty name");
    char *eq = strchr(word, '='), *colon = strchr(word, ':'), spec[TOUR_TEXT];
    const char *agent_name = word;
    if (eq != NULL && (colon == NULL || eq < colon)) {
        *eq = 0;
        agent_name = eq + 1;
    }
    if (strlen(agent_name) >= sizeof spec) return err_set(ERR_LIMIT, "player '%s': at most 255 characters", word);
    level_spec(s->g, agent_name, spec, sizeof spec);
    return tour_add_player(s, word, spec);
}

static err add_players(tour_setup *s, const char *list)
{
    // Parameters have commas of their own, so a comma parts names only where there are no parameters at all.
    const char *by = strpbrk(list, ";:") == NULL ? "," : ";";
    char *all = strdup(list);
    err e = all == NULL ? err_set(ERR_MEMORY, "no memory") : ERR_OK;
    for (char *p = all; e == ERR_OK && p != NULL;) {
        char *end = p;
        char quote = 0;
        for (; *end && (quote || *end != *by); end++) { // an engine's command may hold a ';' in quotes
            if (quote == 0 && (*end == '\'' || *end == '"'))
                quote = *end;
            else if (*end == quote)
                quote = 0;
        }
        char *next = *end ? end + 1 : NULL;
        *end = 0;
        e = add_player(s, p);
        p = next;
    }
    free(all);
    return e;
}

// --- --config

// {"depth": 4, "enableLMR": true} as "depth=4,enableLMR=yes", added to the spec.
static err add_params(const json_val *params, char *spec, size_t n)
{
    json_val v;
    const char *key, *text;
    bool first = strchr(spec, ':') == NULL;
    for (void *it = NULL; json_each(params, &it, &key, &v);) {
        char value[TOUR_TEXT];
        double number;
        bool flag;
        json_kind kind = json_kind_of(&v);
        if (kind == JK_BOOL && json_get_bool(&v, &flag) == ERR_OK)
            snprintf(value, sizeof value, "%s", flag ? "yes" : "no");
        else if ((kind == JK_INT || kind == JK_NUMBER) && json_get_number(&v, -1e18, 1e18, &number) == ERR_OK)
            snprintf(value, sizeof value, "%.15g", number);
        else if (kind == JK_TEXT && json_get_text(&v, &text) == ERR_OK && strpbrk(text, "'\"\n") == NULL &&
                 strlen(text) < sizeof value - 2)
            snprintf(value, sizeof value, strpbrk(text, ", ") != NULL ? "'%s'" : "%s", text);
        else
            return json_refuse(&v, "must be a number, a text without quotes, true or false");
        size_t at = strlen(spec);
        int len = snprintf(spec + at, n - at, "%c%s=%s", first ? ':' : ',', key, value);
        if (len < 0 || at + (size_t)len >= n) return json_refuse(&v, "makes the player's parameters too long");
        first = false;
    }
    return ERR_OK;
}

static err config_player(tour_setup *s, const json_val *p)
{
    static const char *const keys[] = {"id", "difficulty", "agent", "customParams"};
    const char *id = NULL, *difficulty = NULL, *named = NULL;
    char spec[TOUR_TEXT];
    err e = json_get_object(p);
    if (e == ERR_OK) e = json_only(p, keys, COUNT(keys));
    if (e == ERR_OK) e = json_maybe_text(p, "id", &id);
    if (e == ERR_OK) e = json_maybe_text(p, "difficulty", &difficulty);
    if (e == ERR_OK) e = json_maybe_text(p, "agent", &named);
    if (e != ERR_OK) return e;
    if ((difficulty == NULL) == (named == NULL)) return json_refuse(p, "needs a difficulty or an agent, one of them");
    const char *what = difficulty != NULL ? difficulty : named;
    if (strlen(what) >= sizeof spec) return json_refuse(p, "has a name of more than 255 characters");
    level_spec(s->g, what, spec, sizeof spec);
    json_val params = json_member(p, "customParams");
    if (json_kind_of(&params) != JK_NONE && json_kind_of(&params) != JK_NULL) {
        e = json_get_object(&params);
        if (e == ERR_OK) e = add_params(&params, spec, sizeof spec);
    }
    // A wrong name or parameter is told here, with the place in the file.
    agent *a = NULL;
    if (e == ERR_OK && agent_open(&a, s->g, spec) != ERR_OK) e = json_refuse(p, "is no player: %s", err_text());
    agent_close(a);
    return e == ERR_OK ? tour_add_player(s, id != NULL ? id : what, spec) : e;
}

// Copies a text of the config unless the option was given.
static err config_text(const bench_options *asked, const json_val *root, const char *key, const char *option,
                       const char **io, char *keep, size_t n)
{
    const char *text = NULL;
    err e = json_maybe_text(root, key, &text);
    if (e != ERR_OK || text == NULL || given(asked, option)) return e;
    json_val v = json_member(root, key);
    if (strlen(text) >= n) return json_refuse(&v, "is longer than %zu characters", n - 1);
    strcpy(keep, text);
    *io = keep;
    return ERR_OK;
}

static err config_int(const bench_options *asked, const json_val *root, const char *key, const char *option,
                      int64_t low, int64_t high, int64_t *io)
{
    int64_t v = *io;
    err e = json_maybe_int(root, key, low, high, &v);
    if (e == ERR_OK && !given(asked, option)) *io = v;
    return e;
}

// Texts of the config live as long as the process: a command runs once.
typedef struct config_texts {
    char game[64], settings[TOUR_TEXT], schedule[32], openings[TOUR_TEXT], format[16], sprt[TOUR_TEXT];
} config_texts;

// `asked` is the command line itself, `o` a copy that the file may change.
static err read_config(bench_options *o, const bench_options *asked, tour_setup *s, config_texts *keep)
{
    static const char *const keys[] = {"players",    "gamesPerPair", "outputFormat", "game",     "options",
                                       "seed",       "openings",     "openingCount", "schedule", "maxPlies",
                                       "adjudicate", "resignMoves",  "sprt"};
    json_doc *doc = NULL;
    err e = json_read_file(&doc, o->config, 16 << 20);
    if (e != ERR_OK) return e;
    json_val root = json_root(doc);
    e = json_get_object(&root);
    if (e == ERR_OK) e = json_only(&root, keys, COUNT(keys));
    if (e == ERR_OK) e = config_text(asked, &root, "game", "game", &o->game, keep->game, sizeof keep->game);
    if (e == ERR_OK)
        e = config_text(asked, &root, "options", "options", &o->settings, keep->settings, sizeof keep->settings);
    if (e == ERR_OK)
        e = config_text(asked, &root, "schedule", "schedule", &o->schedule, keep->schedule, sizeof keep->schedule);
    if (e == ERR_OK)
        e = config_text(asked, &root, "openings", "openings", &o->openings, keep->openings, sizeof keep->openings);
    if (e == ERR_OK)
        e = config_text(asked, &root, "outputFormat", "format", &o->format, keep->format, sizeof keep->format);
    if (e == ERR_OK) e = config_text(asked, &root, "sprt", "sprt", &o->sprt, keep->sprt, sizeof keep->sprt);
    if (e == ERR_OK) e = config_int(asked, &root, "gamesPerPair", "games", 1, (int64_t)4e9, &o->games);
    if (e == ERR_OK) e = config_int(asked, &root, "seed", "seed", 0, (int64_t)9e15, &o->seed);
    if (e == ERR_OK) e = config_int(asked, &root, "openingCount", "opening-count", 1, OPENINGS_MOST, &o->opening_count);
    if (e == ERR_OK) e = config_int(asked, &root, "maxPlies", "max-plies", 0, MATCH_MAX_PLIES, &o->max_plies);
    if (e == ERR_OK) e = config_int(asked, &root, "adjudicate", "adjudicate", 0, 24, &o->adjudicate);
    if (e == ERR_OK) e = config_int(asked, &root, "resignMoves", "resign-moves", 0, 1000, &o->resign_moves);
    if (e == ERR_OK && o->format != NULL && strcmp(o->format, "json") != 0 && strcmp(o->format, "csv") != 0) {
        json_val v = json_member(&root, "outputFormat");
        e = json_refuse(&v, "must be json or csv");
    }
    if (e == ERR_OK) e = game_find(o->game, &s->g);
    json_val players = json_member(&root, "players");
    int n = 0;
    if (e == ERR_OK && o->players == NULL && json_kind_of(&players) != JK_NONE) {
        e = json_get_array(&players, STATS_MAX_PLAYERS, &n);
        for (int i = 0; e == ERR_OK && i < n; i++) {
            json_val p = json_item(&players, i);
            e = config_player(s, &p);
        }
    }
    json_free(doc);
    return e;
}

// --- tests

typedef struct sprt_words {
    double elo0, elo1, alpha, beta;
    const char *scale;
} sprt_words;

static const opt sprt_opts[] = {
    {.name = "elo0",
     .kind = OPT_NUMBER,
     .at = offsetof(sprt_words, elo0),
     .value = "E",
     .preset = "0",
     .help = "not stronger"},
    {.name = "elo1",
     .kind = OPT_NUMBER,
     .at = offsetof(sprt_words, elo1),
     .value = "E",
     .preset = "30",
     .help = "stronger"},
    {.name = "alpha",
     .kind = OPT_NUMBER,
     .at = offsetof(sprt_words, alpha),
     .value = "P",
     .preset = "0.05",
     .help = "error"},
    {.name = "beta",
     .kind = OPT_NUMBER,
     .at = offsetof(sprt_words, beta),
     .value = "P",
     .preset = "0.05",
     .help = "error"},
    {.name = "scale",
     .kind = OPT_CHOICE,
     .at = offsetof(sprt_words, scale),
     .value = "KIND",
     .preset = "logistic",
     .choices = "logistic|normalised",
     .help = "of Elo"},
};

static err read_test(tour_setup *s, const char *text)
{
    sprt_words w;
    opt_values *keep = opt_keep();
    err e = keep == NULL ? err_set(ERR_MEMORY, "no memory") : opt_defaults(sprt_opts, COUNT(sprt_opts), &w);
    if (e == ERR_OK) e = opt_pairs(sprt_opts, COUNT(sprt_opts), &w, text, "--sprt", keep);
    if (e == ERR_OK) {
        s->has_sprt = true;
        s->sprt = (sprt_test){w.elo0, w.elo1, w.alpha, w.beta,
                              strcmp(w.scale, "normalised") == 0 ? SPRT_NORMALISED : SPRT_LOGISTIC};
        e = err_prefix(sprt_check(&s->sprt), "--sprt");
    }
    opt_free(keep);
    if (e == ERR_OK && s->n_players != 2)
        e = err_set(ERR_USAGE, "--sprt tests the first of two players, but there are %d", s->n_players);
    return e;
}

// --- the whole

static err choose_schedule(tour_setup *s, const bench_options *o)
{
    const char *kind = o->schedule != NULL ? o->schedule : o->levels != NULL ? "neighbours" : "round-robin";
    if (strcmp(kind, "pair") == 0) {
        if (s->n_players != 2) return err_set(ERR_USAGE, "--schedule pair is for two players, not %d", s->n_players);
        kind = "round-robin";
    }
    for (int i = 0; i < SCHEDULE_KINDS; i++)
        if (strcmp(schedule_names[i], kind) == 0) {
            s->schedule = (schedule_kind)i;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "unknown schedule '%s'; there are round-robin, gauntlet, neighbours and pair", kind);
}

static err copy_texts(tour_setup *s, const bench_options *o)
{
    if (strlen(o->settings) >= sizeof s->settings) return err_set(ERR_LIMIT, "--options: at most 255 characters");
    if (strlen(o->openings) >= sizeof s->openings) return err_set(ERR_LIMIT, "--openings: at most 255 characters");
    strcpy(s->settings, o->settings);
    strcpy(s->openings, o->openings);
    snprintf(s->build, sizeof s->build, "%s %s", keiko_version(), keiko_build());
    return ERR_OK;
}

err bench_setup(tour_setup *out, const bench_options *asked, bench_options *settled)
{
    static config_texts keep;
    bench_options o = *asked;
    tour_setup s = {0};
    err e = ERR_OK;
    if (o.levels != NULL) o.game = o.levels;
    if (o.config != NULL)
        e = read_config(&o, asked, &s, &keep);
    else
        e = game_find(o.game, &s.g);
    if (e == ERR_OK) e = copy_texts(&s, &o);
    if (e == ERR_OK && o.levels != NULL && o.players != NULL)
        e = err_set(ERR_USAGE, "--levels brings its own players; leave --players out");
    if (e == ERR_OK && o.players != NULL) e = add_players(&s, o.players);
    if (e == ERR_OK && s.n_players == 0) e = add_levels(&s);
    // The settings are known only now, and they are part of what a player is.
    for (int i = 0; e == ERR_OK && i < s.n_players; i++) tour_config_hash(&s, s.player[i].spec, s.player[i].config);
    if (e == ERR_OK && s.n_players < 2) e = err_set(ERR_USAGE, "a match needs at least two players");
    if (e == ERR_OK && o.sprt != NULL) e = read_test(&s, o.sprt);
    if (e == ERR_OK) e = choose_schedule(&s, &o);
    s.games = (uint64_t)(o.games > 0 ? o.games : s.has_sprt ? 40000 : o.levels != NULL ? 200 : 50);
    s.seed = (uint64_t)o.seed;
    s.rules = (match_rules){.max_plies = (int)o.max_plies,
                            .adjudicate = (int)o.adjudicate,
                            .resign = o.resign_moves > 0 ? o.resign : 0,
                            .resign_moves = (int)o.resign_moves};
    *settled = o;
    if (e != ERR_OK)
        tour_setup_free(&s);
    else
        *out = s;
    return e;
}

err bench_openings(tour_setup *s, const bench_options *o)
{
    static const char *const kinds[] = {"auto", "balanced", "named", "start"};
    uint64_t want = (s->games + 1) / 2;
    if (want > (uint64_t)o->opening_count) want = (uint64_t)o->opening_count;
    if (want < 1) want = 1;
    for (int i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i], s->openings) == 0)
            return openings_make(&s->set, s->g, s->settings, s->openings, (uint32_t)want, s->seed);
    char *text = NULL;
    if (!file_exists(s->openings))
        return err_set(ERR_USAGE, "--openings %s: neither one of %s nor a file", s->openings, openings_kinds);
    err e = file_read(s->openings, 64 << 20, &text, NULL);
    if (e == ERR_OK) e = openings_read(&s->set, s->g, s->settings, text, s->openings);
    free(text);
    return e;
}

// Who an agent is once defaults are filled in, as text; false where it cannot be written down.
static bool describe(const agent *a, text_buf *to)
{
    text_printf(to, "%s\n", a->type->name);
    return opt_config_print(a->type->opts, a->type->n_opts, a->params, NULL, to) == ERR_OK && !to->failed;
}

err bench_check_players(const tour_setup *s, bool quiet)
{
    text_buf *who = calloc((size_t)s->n_players, sizeof *who);
    err e = who == NULL ? err_set(ERR_MEMORY, "no memory for the players") : ERR_OK;
    for (int i = 0; e == ERR_OK && i < s->n_players; i++) {
        agent *a = NULL;
        e = err_prefix(agent_open(&a, s->g, s->player[i].spec), "player '%s'", s->player[i].name);
        bool known = e == ERR_OK && describe(a, &who[i]);
        agent_close(a);
        if (!known) text_clear(&who[i]);
        for (int k = 0; known && !quiet && k < i; k++)
            if (strcmp(text_str(&who[i]), text_str(&who[k])) == 0) {
                fprintf(stderr, "note: '%s' and '%s' are the same player: between them only chance decides\n",
                        s->player[k].name, s->player[i].name);
                break;
            }
    }
    for (int i = 0; who != NULL && i < s->n_players; i++) text_free(&who[i]);
    free(who);
    return e;
}

err bench_view_options(view_options *out, const rating_words *w, int64_t seed)
{
    static const char *const kinds[] = {"best", "information", "sandwich", "pairs", "bootstrap"};
    *out = (view_options){.anchors = w->anchor, .level = w->confidence, .seed = (uint64_t)seed};
    for (int i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i], w->errors) == 0) out->errors = (rating_errors)i;
    err e = rating_model_parse(w->model, &out->rating);
    out->rating.prior_draws = w->prior;
    return e;
}
