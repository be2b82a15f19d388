// Results read back: our JSON, and the plainer shape of the seed. See export.h.
//
// What a file does not say gets a default: games without a pair stand alone, a file without a game is about renju (the
// seed's), and moves are there only where the file has lines.
#include "arena/export.h"
#include "base/file.h"
#include "base/json.h"
#include "games/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 30, GAMES_MOST = 1 << 26 };

static err copy(char *to, size_t n, const char *from, const char *what)
{
    if (strlen(from) >= n) return err_set(ERR_LIMIT, "%s is longer than %zu characters", what, n - 1);
    strcpy(to, from);
    return ERR_OK;
}

static err read_player(tour_setup *s, const json_val *p)
{
    const char *id = NULL, *spec = NULL, *config = NULL;
    err e = json_need_text(p, "id", &id);
    if (e == ERR_OK) e = json_maybe_text(p, "agent", &spec);
    if (e == ERR_OK) e = json_maybe_text(p, "config", &config);
    if (e == ERR_OK) e = tour_add_player(s, id, spec == NULL ? id : spec);
    if (e == ERR_OK && strcmp(s->player[s->n_players - 1].name, id) != 0)
        e = json_refuse(p, "has the same id as another player");
    if (e == ERR_OK && config != NULL)
        e = copy(s->player[s->n_players - 1].config, TOUR_CONFIG, config, "a player's config");
    return e;
}

// How the file's ratings were computed, where it says so. Errors are written as what came of "best".
static err read_rating(tour_rating *to, const json_val *root)
{
    const char *model = NULL, *anchor = NULL;
    rating_options unused;
    *to = tour_rating_default;
    err e = json_maybe_text(root, "model", &model);
    if (e == ERR_OK) e = json_maybe_text(root, "anchor", &anchor);
    if (e == ERR_OK) e = json_maybe_number(root, "prior", 0, 1000, &to->prior);
    if (e == ERR_OK) e = json_maybe_number(root, "level", 0.5, 0.9999, &to->level);
    if (e == ERR_OK && model != NULL && rating_model_parse(model, &unused) == ERR_OK)
        e = copy(to->model, sizeof to->model, model, "model");
    if (e == ERR_OK && anchor != NULL) e = copy(to->anchor, sizeof to->anchor, anchor, "anchor");
    return e;
}

static err read_config(tour_setup *s, const json_val *root)
{
    json_val c = json_member(root, "config");
    const char *name = "renju", *settings = "", *order = schedule_names[0], *kind = "", *build = "";
    int64_t games = 0, seed = 0;
    err e = json_maybe_text(&c, "game", &name);
    if (e == ERR_OK && game_find(name, &s->g) != ERR_OK)
        e = json_refuse(&c, "names a game that is not here: %s", err_text());
    if (e == ERR_OK) e = json_maybe_text(&c, "options", &settings);
    if (e == ERR_OK) e = json_maybe_text(&c, "schedule", &order);
    if (e == ERR_OK) e = json_maybe_text(&c, "openings", &kind);
    if (e == ERR_OK) e = json_maybe_text(root, "build", &build);
    if (e == ERR_OK) e = json_maybe_int(&c, "gamesPerPair", 0, UINT32_MAX, &games);
    if (e == ERR_OK) e = json_maybe_int(&c, "seed", 0, (int64_t)9e15, &seed);
    if (e == ERR_OK) e = copy(s->settings, sizeof s->settings, settings, "config.options");
    if (e == ERR_OK) e = copy(s->openings, sizeof s->openings, kind, "config.openings");
    if (e == ERR_OK) e = copy(s->build, sizeof s->build, build, "build");
    s->games = (uint64_t)games;
    s->seed = (uint64_t)seed;
    for (int i = 0; i < SCHEDULE_KINDS; i++)
        if (strcmp(order, schedule_names[i]) == 0) s->schedule = (schedule_kind)i;
    json_val players = json_member(&c, "players");
    int n = json_kind_of(&players) == JK_ARRAY ? json_count(&players) : 0;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val p = json_item(&players, i);
        e = read_player(s, &p);
    }
    return e;
}

static int find_player(const tour_setup *s, const char *name)
{
    for (int i = 0; i < s->n_players; i++)
        if (strcmp(s->player[i].name, name) == 0) return i;
    return -1;
}

// Players that no config names: in the order of the ratings, then as games mention them.
static err add_unknown(tour_setup *s, const char *name)
{
    return find_player(s, name) >= 0 ? ERR_OK : tour_add_player(s, name, name);
}

static err read_names(tour_setup *s, const json_val *root, const json_val *games, int n)
{
    json_val ratings = json_member(root, "ratings"), member;
    const char *key;
    err e = ERR_OK;
    for (void *it = NULL; e == ERR_OK && json_each(&ratings, &it, &key, &member);) e = add_unknown(s, key);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val g = json_item(games, i);
        const char *a, *b;
        e = json_need_text(&g, "playerA", &a);
        if (e == ERR_OK) e = json_need_text(&g, "playerB", &b);
        if (e == ERR_OK) e = add_unknown(s, a);
        if (e == ERR_OK) e = add_unknown(s, b);
        if (e == ERR_OK && strcmp(a, b) == 0) e = json_refuse(&g, "is a game of '%s' against itself", a);
    }
    return e;
}

// The moves of a line; a line that is not a legal game is refused.
static err read_line(const tour_setup *s, const json_val *g, match_record *r, history *h)
{
    const char *line = NULL;
    err e = json_maybe_text(g, "line", &line);
    if (e != ERR_OK || line == NULL) return e;
    e = history_begin(h, s->g, s->settings, NULL, (game_key){s->seed, r->what.opening});
    if (e == ERR_OK) e = history_play_list(h, line);
    if (e != ERR_OK) return json_refuse(g, "has a line that is no legal game: %s", err_text());
    if (h->ply > MATCH_MAX_PLIES) return json_refuse(g, "has a line that is too long");
    r->plies = (uint16_t)h->ply;
    r->moves = h->moves;
    return ERR_OK;
}

static err read_sides(const json_val *g, match_record *r, bool straight)
{
    static const char *const keys[2][4] = {{"choicesA", "nodesA", "timeA", "cpuA"},
                                           {"choicesB", "nodesB", "timeB", "cpuB"}};
    err e = ERR_OK;
    for (int who = 0; who < 2 && e == ERR_OK; who++) {
        match_side *side = &r->side[straight ? who : !who];
        int64_t choices = (r->plies + 1) / 2, nodes = 0;
        double ms = 0, cpu = 0;
        e = json_maybe_int(g, keys[who][0], 0, UINT32_MAX, &choices);
        if (e == ERR_OK) e = json_maybe_int(g, keys[who][1], 0, INT64_MAX, &nodes);
        if (e == ERR_OK) e = json_maybe_number(g, keys[who][2], 0, 1e12, &ms);
        if (e == ERR_OK) e = json_maybe_number(g, keys[who][3], 0, 1e12, &cpu);
        *side = (match_side){(uint32_t)choices, (uint64_t)nodes, ms / 1000, cpu / 1000};
    }
    return e;
}

static err read_game(const tour_setup *s, const json_val *g, int i, match_record *r, history *h)
{
    const char *a, *b, *first, *winner, *why = "none", *detail = "", *failed = "A";
    int64_t id = i + 1, moves = 0, pair = PAIR_NONE, from = 0, opening_moves = 0;
    err e = json_need_text(g, "playerA", &a);
    if (e == ERR_OK) e = json_need_text(g, "playerB", &b);
    if (e == ERR_OK) e = json_need_text(g, "firstPlayer", &first);
    if (e == ERR_OK) e = json_need_text(g, "winner", &winner);
    if (e == ERR_OK) e = json_maybe_int(g, "id", 1, UINT32_MAX, &id);
    if (e == ERR_OK) e = json_maybe_int(g, "moves", 0, MATCH_MAX_PLIES, &moves);
    if (e == ERR_OK) e = json_maybe_int(g, "pair", 0, UINT32_MAX, &pair);
    if (e == ERR_OK) e = json_maybe_int(g, "openingNumber", 0, UINT32_MAX, &from);
    if (e == ERR_OK) e = json_maybe_int(g, "openingMoves", 0, MATCH_MAX_PLIES, &opening_moves);
    if (e == ERR_OK) e = json_maybe_text(g, "reason", &why);
    if (e == ERR_OK) e = json_maybe_text(g, "detail", &detail);
    if (e == ERR_OK) e = json_maybe_text(g, "failed", &failed);
    if (e != ERR_OK) return e;
    bool straight = strcmp(first, "A") == 0;
    if (!straight && strcmp(first, "B") != 0) return json_refuse(g, "has a firstPlayer that is neither A nor B");
    bool draw = strcmp(winner, "draw") == 0, won_a = strcmp(winner, "A") == 0;
    if (!draw && !won_a && strcmp(winner, "B") != 0) return json_refuse(g, "has a winner that is not A, B or draw");
    int pa = find_player(s, a), pb = find_player(s, b), cause = match_reason_find(why);
    *r = (match_record){
        .what = {.id = (uint64_t)id - 1,
                 .player = {(uint16_t)(straight ? pa : pb), (uint16_t)(straight ? pb : pa)},
                 .opening = (uint32_t)from,
                 .pair = (uint32_t)pair},
        .halves = (uint8_t)(draw                ? 1
                            : won_a == straight ? 2
                                                : 0),
        .reason = (uint8_t)(cause < 0 ? REASON_NONE : cause),
        .failed = (uint8_t)((strcmp(failed, "A") == 0) == straight ? 0 : 1),
        .plies = (uint16_t)moves,
        .opening_plies = (uint16_t)opening_moves,
        .detail = detail,
    };
    e = read_sides(g, r, straight);
    // The seed's games have one duration for both.
    double duration = 0;
    if (e == ERR_OK) e = json_maybe_number(g, "duration", 0, 1e12, &duration);
    if (r->side[0].seconds + r->side[1].seconds == 0) r->side[0].seconds = r->side[1].seconds = duration / 2000;
    return e == ERR_OK ? read_line(s, g, r, h) : e;
}

static err read_games(store *st, int run, const tour_setup *s, const json_val *games, int n)
{
    history h = {0};
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val g = json_item(games, i);
        match_record r;
        e = read_game(s, &g, i, &r, &h);
        if (e == ERR_OK) e = store_add(st, run, &r, 1);
    }
    history_free(&h);
    return e;
}

err import_json(store **out, const char *text, size_t size, const char *name)
{
    json_doc *doc = NULL;
    store *st = NULL;
    tour_setup s = {0};
    int n = 0, run = 0;
    bool complete = true;
    err e = json_read(&doc, text, size, name);
    if (e != ERR_OK) return e;
    json_val root = json_root(doc), games;
    e = json_get_object(&root);
    if (e == ERR_OK) e = json_need(&root, "games", &games);
    if (e == ERR_OK) e = json_get_array(&games, GAMES_MOST, &n);
    if (e == ERR_OK) e = json_maybe_bool(&root, "complete", &complete);
    if (e == ERR_OK) e = read_rating(&s.rating, &root);
    if (e == ERR_OK) e = read_config(&s, &root);
    if (e == ERR_OK) e = read_names(&s, &root, &games, n);
    if (e == ERR_OK && s.n_players < 2) e = err_set(ERR_PARSE, "%s: fewer than two players", name);
    if (e == ERR_OK) e = store_open_memory(&st);
    if (e == ERR_OK) e = store_begin(st, &s, 0, &run);
    if (e == ERR_OK) e = read_games(st, run, &s, &games, n);
    if (e == ERR_OK && complete) e = store_finish(st, run, 0, 1);
    tour_setup_free(&s);
    json_free(doc);
    if (e != ERR_OK)
        store_close(st);
    else
        *out = st;
    return e;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

err import_any(store **out, const char *path)
{
    char inner[FILE_PATH];
    err e = ERR_OK;
    if (file_is_dir(path)) {
        e = file_join(inner, sizeof inner, path, "bench.db");
        if (e == ERR_OK && !(file_exists(inner) && store_has_files()))
            e = file_join(inner, sizeof inner, path, "results.json");
        if (e == ERR_OK && !file_exists(inner))
            e = err_set(ERR_MISSING, "%s holds no run of the bench (no bench.db, no results.json)", path);
        if (e != ERR_OK) return e;
        path = inner;
    }
    if (ends_with(path, ".db")) return store_open_file(out, path, false);
    char *text = NULL;
    size_t size = 0;
    e = file_read(path, FILE_MOST, &text, &size);
    if (e == ERR_OK && size >= 16 && memcmp(text, "SQLite format 3", 16) == 0)
        e = store_open_file(out, path, false);
    else if (e == ERR_OK && !ends_with(path, ".json") && text[strspn(text, " \t\r\n")] != '{') // such as a CSV
        e = err_set(ERR_PARSE,
                    "%s holds no results of a bench: give the JSON or the store that keiko bench wrote (results.json, "
                    "bench.db), or their folder",
                    path);
    else if (e == ERR_OK)
        e = import_json(out, text, size, path);
    free(text);
    return e;
}
