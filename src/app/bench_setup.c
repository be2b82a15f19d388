// From what was asked to a setup: players in a list or in JSON, levels, tests. See bench.h.
#include "agents/levels.h"
#include "app/bench.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- levels

// All that have a name; where nobody asked for them, without the last one, which takes its time.
static err add_levels(tour_setup *s, bool all)
{
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < level_count(s->g) - !all; i++) {
        const level_row *l = level_at(s->g, i);
        if (l->name[0] != 0) e = tour_add_player(s, l->name, l->spec);
    }
    if (e == ERR_OK && s->n_players == 0)
        e = err_set(ERR_USAGE, "%s has no levels; say who plays: --players 'random;greedy'", s->g->name);
    return e;
}

// --- --players

// Without a name the spec is its own. A level is kept as what it stands for, so that a run can be told from one with another
// table of levels.
static err add_player(tour_setup *s, char *word)
{
    while (isspace((unsigned char)*word)) word++;
    for (size_t n = strlen(word); n > 0 && isspace((unsigned char)word[n - 1]);) word[--n] = 0;
    if (*word == 0) return err_set(ERR_USAGE, "--players has an empty name");
    char spec[TOUR_TEXT];
    const char *player = agent_behind_name(word);
    if (player != word) word[player - word - 1] = 0;
    err e = level_expand(s->g, player, spec, sizeof spec);
    return e == ERR_OK ? tour_add_player(s, word, spec) : err_prefix(e, "player '%.40s'", word);
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

// A player as --players takes it: "hard", "quick=mcts:sims=50".
static err config_word(tour_setup *s, const json_val *p)
{
    const char *text = NULL;
    char word[TOUR_TEXT];
    err e = json_get_text(p, &text);
    if (e == ERR_OK && snprintf(word, sizeof word, "%s", text) >= (int)sizeof word) e = json_refuse(p, "is too long");
    if (e == ERR_OK && add_player(s, word) != ERR_OK) e = json_refuse(p, "is no player: %s", err_text());
    return e;
}

static err config_player(tour_setup *s, const json_val *p)
{
    static const char *const keys[] = {"id", "difficulty", "agent", "customParams"};
    const char *id = NULL, *difficulty = NULL, *named = NULL;
    char spec[TOUR_TEXT];
    if (json_kind_of(p) == JK_TEXT) return config_word(s, p);
    err e = json_get_object(p);
    if (e == ERR_OK) e = json_only(p, keys, ROWS(keys));
    if (e == ERR_OK) e = json_maybe_text(p, "id", &id);
    if (e == ERR_OK) e = json_maybe_text(p, "difficulty", &difficulty);
    if (e == ERR_OK) e = json_maybe_text(p, "agent", &named);
    if (e != ERR_OK) return e;
    if ((difficulty == NULL) == (named == NULL)) return json_refuse(p, "needs a difficulty or an agent, one of them");
    const char *what = difficulty != NULL ? difficulty : named;
    if (level_expand(s->g, what, spec, sizeof spec) != ERR_OK) return json_refuse(p, "%s", err_text());
    json_val params = json_member(p, "customParams");
    if (json_kind_of(&params) != JK_NONE && json_kind_of(&params) != JK_NULL) {
        e = json_get_object(&params);
        if (e == ERR_OK) e = add_params(&params, spec, sizeof spec);
    }
    // Refuse a wrong name or parameter here, where its place in the file is known.
    agent *a = NULL;
    if (e == ERR_OK && agent_open(&a, s->g, spec) != ERR_OK) e = json_refuse(p, "is no player: %s", err_text());
    agent_close(a);
    return e == ERR_OK ? tour_add_player(s, id != NULL ? id : what, spec) : e;
}

static err config_players(tour_setup *s, const bench_ask *a)
{
    json_val root = json_root(a->doc), players = json_member(&root, "players");
    int n = 0;
    if (json_kind_of(&players) == JK_NONE || json_kind_of(&players) == JK_NULL) return ERR_OK;
    err e = json_get_array(&players, STATS_MAX_PLAYERS, &n);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val p = json_item(&players, i);
        e = config_player(s, &p);
    }
    return e;
}

// --- tests

typedef struct sprt_words {
    double elo0, elo1, alpha, beta;
    const char *scale;
} sprt_words;

#define AT(member) offsetof(sprt_words, member)
static const opt sprt_opts[] = {
    ROW_NUMBER("elo0", AT(elo0), "E", "0", 0, 0, "Elo difference of \"not stronger\""),
    ROW_NUMBER("elo1", AT(elo1), "E", "30", 0, 0, "Elo difference of \"stronger\""),
    ROW_NUMBER("alpha", AT(alpha), "P", "0.05", 0, 0, "Chance to accept when elo0 is true"),
    ROW_NUMBER("beta", AT(beta), "P", "0.05", 0, 0, "Chance to reject when elo1 is true"),
    ROW_CHOICE("scale", AT(scale), "KIND", "logistic", "logistic|normalised", "Scale of Elo"),
};

static err read_test(tour_setup *s, const char *text)
{
    sprt_words w;
    opt_values *keep = opt_keep();
    err e = keep == NULL ? err_set(ERR_MEMORY, "no memory") : opt_defaults(sprt_opts, ROWS(sprt_opts), &w);
    if (e == ERR_OK) e = opt_pairs(sprt_opts, ROWS(sprt_opts), &w, text, "--sprt", keep);
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

static err choose_schedule(tour_setup *s, const bench_ask *a)
{
    const char *kind = a->schedule != NULL ? a->schedule : a->levels != NULL ? "neighbours" : "round-robin";
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

static err copy_texts(tour_setup *s, const bench_ask *a)
{
    if (strlen(a->settings) >= sizeof s->settings) return err_set(ERR_LIMIT, "--options: at most 255 characters");
    if (strlen(a->openings) >= sizeof s->openings) return err_set(ERR_LIMIT, "--openings: at most 255 characters");
    strcpy(s->settings, a->settings);
    strcpy(s->openings, a->openings);
    snprintf(s->build, sizeof s->build, "%s", a->build != NULL ? a->build : "unknown");
    return ERR_OK;
}

static err add_everybody(tour_setup *s, const bench_ask *a, const tour_setup *was)
{
    err e = ERR_OK;
    if (a->levels != NULL && a->players != NULL)
        return err_set(ERR_USAGE, "--levels brings its own players; leave --players out");
    if (a->players != NULL)
        e = add_players(s, a->players);
    else if (a->doc != NULL)
        e = config_players(s, a);
    if (e == ERR_OK && s->n_players == 0 && was != NULL && a->levels == NULL)
        for (int i = 0; e == ERR_OK && i < was->n_players; i++)
            e = tour_add_player(s, was->player[i].name, was->player[i].spec);
    if (e == ERR_OK && s->n_players == 0) e = add_levels(s, a->levels != NULL);
    if (e == ERR_OK && s->n_players < 2) e = err_set(ERR_USAGE, "a match needs at least two players");
    return e;
}

// What was not said is as in the earlier run.
static void take_over(tour_setup *s, const bench_ask *a, const tour_setup *was)
{
    if (!bench_said(a, "options")) memcpy(s->settings, was->settings, sizeof s->settings);
    if (!bench_said(a, "openings")) memcpy(s->openings, was->openings, sizeof s->openings);
    if (!bench_said(a, "schedule") && !bench_said(a, "levels")) s->schedule = was->schedule;
    if (!bench_said(a, "games")) s->games = was->games;
    if (!bench_said(a, "seed")) s->seed = was->seed;
    if (!bench_said(a, "max-plies")) s->rules.max_plies = was->rules.max_plies;
    if (!bench_said(a, "adjudicate")) s->rules.adjudicate = was->rules.adjudicate;
    if (!bench_said(a, "resign-moves")) s->rules.resign_moves = was->rules.resign_moves;
    if (!bench_said(a, "resign") && s->rules.resign_moves == was->rules.resign_moves)
        s->rules.resign = was->rules.resign;
    if (!bench_said(a, "sprt")) {
        s->has_sprt = was->has_sprt;
        s->sprt = was->sprt;
    }
}

err bench_setup(tour_setup *out, const bench_ask *a, const tour_setup *was)
{
    tour_setup s = {.rating = tour_rating_default};
    const char *name = a->levels != NULL ? a->levels : a->game;
    if (was != NULL && a->levels == NULL && !bench_said(a, "game")) name = was->g->name;
    err e = game_find(name, &s.g);
    if (e == ERR_OK) e = copy_texts(&s, a);
    if (e == ERR_OK) e = add_everybody(&s, a, was);
    if (e == ERR_OK && a->sprt != NULL) e = read_test(&s, a->sprt);
    if (e == ERR_OK) e = choose_schedule(&s, a);
    s.games = (uint64_t)(a->games > 0 ? a->games : s.has_sprt ? 40000 : a->levels != NULL ? 200 : 50);
    s.seed = (uint64_t)a->seed;
    s.rules = (match_rules){.max_plies = (int)a->max_plies,
                            .adjudicate = (int)a->adjudicate,
                            .resign = a->resign_moves > 0 ? a->resign : 0,
                            .resign_moves = (int)a->resign_moves};
    if (e == ERR_OK && was != NULL) take_over(&s, a, was);
    if (e == ERR_OK) e = match_rules_check(s.g, &s.rules);
    // The settings are known only now, and they are part of what a player is.
    for (int i = 0; e == ERR_OK && i < s.n_players; i++) tour_config_hash(&s, s.player[i].spec, s.player[i].config);
    if (e != ERR_OK)
        tour_setup_free(&s);
    else
        *out = s;
    return e;
}

err bench_openings(tour_setup *s, const bench_ask *a)
{
    static const char *const kinds[] = {"auto", "balanced", "named", "start"};
    uint64_t want = (s->games + 1) / 2;
    if (want > (uint64_t)a->opening_count) want = (uint64_t)a->opening_count;
    if (want < 1) want = 1;
    for (int i = 0; i < ROWS(kinds); i++)
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

err bench_check_players(const tour_setup *s, bench_note *note, void *ctx)
{
    text_buf *who = calloc((size_t)s->n_players, sizeof *who);
    err e = who == NULL ? err_set(ERR_MEMORY, "no memory for the players") : ERR_OK;
    for (int i = 0; e == ERR_OK && i < s->n_players; i++) {
        agent *a = NULL;
        e = err_prefix(agent_open(&a, s->g, s->player[i].spec), "player '%s'", s->player[i].name);
        bool known = e == ERR_OK && describe(a, &who[i]);
        agent_close(a);
        if (!known) text_clear(&who[i]);
        for (int k = 0; known && note != NULL && k < i; k++)
            if (strcmp(text_str(&who[i]), text_str(&who[k])) == 0) {
                char text[2 * STATS_MAX_NAME + 100];
                snprintf(text, sizeof text, "note: '%s' and '%s' are the same player: between them only chance decides",
                         s->player[k].name, s->player[i].name);
                note(ctx, text);
                break;
            }
    }
    for (int i = 0; who != NULL && i < s->n_players; i++) text_free(&who[i]);
    free(who);
    return e;
}

view_options bench_view_options(const bench_rating *r, const opt_values *given, int64_t seed)
{
    return (view_options){.model = opt_given(given, "model") ? r->model : NULL,
                          .errors = opt_given(given, "errors") ? r->errors : NULL,
                          .anchors = opt_given(given, "anchor") ? r->anchor : NULL,
                          .has_prior = opt_given(given, "prior"),
                          .prior = r->prior,
                          .level = opt_given(given, "confidence") ? r->confidence : 0,
                          .seed = (uint64_t)seed};
}
