// keiko puyo view, keiko puyo url: chains link by link in the terminal, and boards to and from puyop.com addresses.
#include "app/puyo_view.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "games/puyo/puyo_match.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    common all;
    const char *board;
    bool step, json;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_TEXT("BOARD", AT(board), NULL, NULL,
             "Rows from the top separated by '/', or a puyop.com address (with or without moves)", .required = true),
};

// --- view

static void draw_cell(text_buf *t, int code, bool popping, bool colour)
{
    static const char *const paint[PY_CODES] = {"", "37", "31", "33", "32", "34", "35"};
    char before = popping && !colour ? '[' : ' ', after = popping && !colour ? ']' : ' ';
    if (colour && code != PY_EMPTY)
        text_printf(t, " \033[%s%sm%c\033[0m ", popping ? "7;" : "", paint[code], py_letter(code));
    else
        text_printf(t, "%c%c%c", before, py_letter(code), after);
}

static void draw_frame(const puyo_story *s, int i)
{
    const puyo_frame *x = &s->frames[i];
    text_buf t = {0};
    int top = 1;
    for (int c = 0; c < PY_COLS; c++) {
        int h = py_height(&x->field, c);
        top = h > top ? h : top;
    }
    text_printf(&t, "\n[%d/%d] %s\n", i + 1, s->n, x->caption);
    for (int row = top; row >= 1; row--) {
        text_printf(&t, "%2d |", row);
        for (int c = 0; c < PY_COLS; c++)
            draw_cell(&t, py_get(&x->field, c, row), py_get(&x->popping, c, row) != PY_EMPTY, cli_colour());
        text_append(&t, "|\n");
    }
    text_append(&t, "     1  2  3  4  5  6\n");
    printf("%s", text_str(&t));
    text_free(&t);
}

static err walk(const puyo_story *s)
{
    line_editor *ed = line_new(stdin, stdout);
    const char *line;
    int at = 0;
    if (ed == NULL) return err_set(ERR_MEMORY, "no memory");
    for (bool go = true; go;) {
        draw_frame(s, at);
        fflush(stdout);
        if (line_read(ed, "Enter next, b back, a number, q quit> ", &line) != ERR_OK) break;
        int wanted = atoi(line);
        if (line[0] == 'q')
            go = false;
        else if (line[0] == 'b')
            at -= at > 0;
        else if (wanted >= 1 && wanted <= s->n)
            at = wanted - 1;
        else if (at + 1 < s->n)
            at++;
        else
            go = false;
    }
    line_free(ed);
    return ERR_OK;
}

static int run_view(const void *options_)
{
    const options *o = options_;
    py_url u;
    puyo_story s = {.n = 0};
    text_buf t = {0};
    err e = puyo_board_read(o->board, &u);
    if (e == ERR_OK) e = puyo_story_tell(&s, &u);
    if (e == ERR_OK && o->json) {
        json_writer w = json_begin(&t, true);
        puyo_story_json(&w, &s);
        e = cli_put(&t, json_finish(&w));
    } else if (e == ERR_OK && o->step) {
        e = walk(&s);
    } else {
        for (int i = 0; e == ERR_OK && i < s.n; i++) draw_frame(&s, i);
    }
    puyo_story_free(&s);
    return e == ERR_OK ? 0 : cli_fail("puyo view");
}

static const opt view_opts[] = {
    ROW_FLAG("step", AT(step), NULL, "Wait for Enter after each link; b goes back", .letter = 's'),
    OPT_JSON(options),
};

const command cmd_puyo_view = {
    CALLED("puyo view", "Show a board's chain, one link at a time"),
    .about =
        "Runs the chain of a board (and the moves stored in a puyop.com address) and draws each link with the popping puyos marked.",
    .examples =
        "keiko puyo view 'R...../RB..../RRB.../BBGGG.'\nkeiko puyo view http://www.puyop.com/s/420Aa9r9hj --step",
    RUNS(run_view, options, WITH_ROWS(args, view_opts)),
};

// --- url

static int run_url(const void *options_)
{
    const options *o = options_;
    py_url u;
    char text[PY_URL_TEXT], field[PY_FIELD_TEXT], word[16];
    if (puyo_board_read(o->board, &u) != ERR_OK) return cli_fail("puyo url");
    py_url_print(&u, text, sizeof text);
    py_field_print(&u.field, field, sizeof field);
    printf("address  %s\nfield    %s\n", text, field);
    if (u.n > 0) printf("moves    ");
    for (int i = 0; i < u.n; i++) {
        const py_url_step *m = &u.step[i];
        if (i > 0) printf("; ");
        if (m->pair == 0) {
            printf("nuisance %d rows, columns", m->rows);
            for (int c = 0; c < PY_COLS; c++)
                if (m->columns >> c & 1) printf(" %d", c + 1);
            continue;
        }
        py_move_print(m->move, word, sizeof word);
        printf("%c%c %s", py_letter(py_main(m->pair)), py_letter(py_sub(m->pair)),
               m->move == PY_NOT_PLACED ? "-" : word);
    }
    if (u.n > 0) printf("\n");
    return 0;
}

const command cmd_puyo_url = {
    CALLED("puyo url", "Convert a board to a puyop.com address and back"),
    .about = "Prints a board as text and as a puyop.com address, with the moves stored in the address.",
    .examples = "keiko puyo url 'RB..../RR..../BB....'\nkeiko puyo url 'http://www.puyop.com/s/420Aa9r9hj'",
    RUNS(run_url, options, WITH_ARGS(args)),
};
