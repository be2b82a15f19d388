// keiko show: draw a position and say what can be done in it.
#include "base/json.h"
#include "cli/cli.h"
#include "games/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *position, *settings, *moves;
    int64_t seed;
    bool json;
} options;

static const opt args[] = {
    ARG_GAME(options, true),
    ARG_POSITION(options),
};

static const opt opts[] = {
    OPT_SETTINGS(options),
    OPT_MOVES(options),
    OPT_SEED(options),
    OPT_JSON(options),
};

typedef struct view {
    const game *g;
    const void *state;
    char *obs;
    move_t *moves;
    int n;
    outcome result;
} view;

static void show_json(const view *v)
{
    char line[GAME_TEXT];
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    json_open_object(&w);
    json_pair_text(&w, "game", v->g->name);
    v->g->state_print(v->state, line, sizeof line);
    json_pair_text(&w, "position", line);
    json_pair_int(&w, "seat", v->g->seat(v->state));
    snprintf(line, sizeof line, "%016" PRIx64, v->g->hash(v->state));
    json_pair_text(&w, "hash", line);
    json_pair_bool(&w, "over", v->result.over);
    json_pair_text(&w, "reason", reason_name(v->result.reason));
    json_pair_array(&w, "score");
    for (int i = 0; i < v->g->n_seats; i++) json_put_number(&w, (double)v->result.score[i]);
    json_close(&w);
    json_pair_array(&w, "legal");
    for (int i = 0; i < v->n; i++) {
        v->g->move_print(v->obs, v->moves[i], line, sizeof line);
        json_put_text(&w, line);
    }
    json_close(&w);
    json_close(&w);
    cli_put(&t, json_finish(&w));
}

static void show_text(const view *v)
{
    char line[GAME_TEXT], side[GAME_SEAT_TEXT];
    v->g->draw(v->obs, MOVE_NONE, cli_colour(), line, sizeof line);
    printf("%s\n", line);
    v->g->state_print(v->state, line, sizeof line);
    printf("position  %s\n", line);
    if (v->result.over)
        printf("over      %s, score %g : %g\n", reason_words(v->result.reason), (double)v->result.score[0],
               (double)v->result.score[1]);
    else
        printf("to move   %s\n", game_seat_name(v->g, v->g->seat(v->state), false, side));
    printf("hash      %016" PRIx64 "\n", v->g->hash(v->state));
    printf("legal     %d", v->n);
    int most = v->n > 60 ? 60 : v->n;
    for (int i = 0; i < most; i++) {
        v->g->move_print(v->obs, v->moves[i], line, sizeof line);
        printf("%s%s", i ? "; " : ": ", line);
    }
    printf("%s\n", v->n > most ? "; …" : "");
}

static int run(const void *options_)
{
    const options *o = options_;
    view v = {0};
    if (game_find(o->game, &v.g) != ERR_OK) return cli_fail("show");
    int status = 0;
    history h = {0};
    v.obs = calloc(1, v.g->obs_size);
    v.moves = calloc((size_t)v.g->max_legal, sizeof *v.moves);
    if (v.obs == NULL || v.moves == NULL ||
        history_begin(&h, v.g, o->settings, o->position, (game_key){(uint64_t)o->seed, 0}) != ERR_OK ||
        history_play_list(&h, o->moves) != ERR_OK) {
        status = cli_fail("show");
        goto done;
    }
    v.state = history_now(&h);
    v.n = v.g->legal(v.state, v.moves);
    v.result = v.g->result(v.state);
    game_observe(v.g, v.state, v.g->seat(v.state), v.obs);
    if (o->json)
        show_json(&v);
    else
        show_text(&v);
done:
    free(v.moves);
    free(v.obs);
    history_free(&h);
    return status;
}

const command cmd_show = {
    CALLED("show", "Draw a position and list its legal moves"),
    .about =
        "Draws a position (default: the start) after playing --moves, and prints it as text. Every command that takes a position accepts this text.",
    .examples =
        "keiko show othello\nkeiko show othello start --moves 'f5;d6;c3'\nkeiko show contrast start --moves 'b1,b2 b3g' --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
