// keiko puyo view, keiko puyo url: chains link by link in the terminal, and boards to and from puyop.com addresses.
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_text.h"
#include "games/puyo/puyo_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    common all;
    const char *board;
    bool step, json;
} options;

static const opt args[] = {
    {.name = "BOARD",
     .kind = OPT_TEXT,
     .at = offsetof(options, board),
     .required = true,
     .help = "rows from the top separated by '/', or an address of puyop.com, also with moves"},
};

// Text of ours has '/' between rows of six; everything else is tried as an address.
static err read_board(const char *text, py_url *u)
{
    py_field f;
    bool ours = strstr(text, "://") == NULL && (strchr(text, '/') != NULL || strspn(text, ".ROYGBPoryg bp") == PY_COLS);
    if (!ours) return py_url_parse(text, u);
    err e = py_field_parse(text, &f);
    if (e != ERR_OK) return e;
    memset(u, 0, sizeof *u);
    u->field = f;
    return ERR_OK;
}

// --- view

// A frame of the story: the field, what pops next in it, and a sentence.
typedef struct frame {
    py_field field, popping;
    char caption[160];
} frame;

typedef struct story {
    frame *frames;
    int n, cap;
    int longest, score;
    err e;
} story;

static frame *add_frame(story *s, const py_field *f)
{
    if (s->e != ERR_OK) return NULL;
    if (s->n == s->cap) {
        int cap = s->cap == 0 ? 64 : 2 * s->cap;
        frame *more = realloc(s->frames, (size_t)cap * sizeof *more);
        if (more == NULL) {
            s->e = err_set(ERR_MEMORY, "no memory for the frames");
            return NULL;
        }
        s->frames = more;
        s->cap = cap;
    }
    frame *x = &s->frames[s->n++];
    memset(x, 0, sizeof *x);
    x->field = *f;
    return x;
}

static void tell_chain(story *s, py_field *f)
{
    py_link_info link;
    int chain = 0, sum = 0;
    for (py_field next = *f; py_link(&next, chain + 1, &link); next = *f) {
        frame *x = add_frame(s, f);
        chain++;
        sum += link.score;
        if (x == NULL) return;
        x->popping = link.popped;
        snprintf(x->caption, sizeof x->caption, "link %d: %d puyos, %d points (%d so far)", chain, link.cleared,
                 link.score, sum);
        *f = next;
    }
    if (chain > s->longest) s->longest = chain;
    s->score += sum;
    frame *x = chain > 0 ? add_frame(s, f) : NULL;
    if (x != NULL)
        snprintf(x->caption, sizeof x->caption, "%d-chain, %d points%s", chain, sum,
                 py_is_empty(f) ? ", all clear" : "");
}

static void fall_nuisance(py_field *f, const py_url_step *m)
{
    for (int c = 0; c < PY_COLS; c++) {
        int n = m->rows + (m->columns >> c & 1);
        for (int h = py_height(f, c); n > 0 && h < PY_GHOST; n--) py_set(f, c, ++h, PY_NUISANCE);
    }
}

static void tell(story *s, const py_url *u)
{
    py_field f = u->field;
    char word[16];
    frame *x = add_frame(s, &f);
    if (x != NULL) snprintf(x->caption, sizeof x->caption, "the board");
    tell_chain(s, &f);
    for (int i = 0; i < u->n && s->e == ERR_OK; i++) {
        const py_url_step *m = &u->step[i];
        if (m->pair != 0 && m->move == PY_NOT_PLACED) continue;
        if (m->pair == 0)
            fall_nuisance(&f, m);
        else
            py_place(&f, m->move, m->pair);
        x = add_frame(s, &f);
        if (x == NULL) return;
        py_move_print(m->move, word, sizeof word);
        if (m->pair == 0)
            snprintf(x->caption, sizeof x->caption, "%d. nuisance falls", i + 1);
        else
            snprintf(x->caption, sizeof x->caption, "%d. %c%c at %s", i + 1, py_letter(py_main(m->pair)),
                     py_letter(py_sub(m->pair)), word);
        tell_chain(s, &f);
    }
}

static void draw_cell(text_buf *t, int code, bool popping, bool colour)
{
    static const char *const paint[PY_CODES] = {"", "37", "31", "33", "32", "34", "35"};
    char before = popping && !colour ? '[' : ' ', after = popping && !colour ? ']' : ' ';
    if (colour && code != PY_EMPTY)
        text_printf(t, " \033[%s%sm%c\033[0m ", popping ? "7;" : "", paint[code], py_letter(code));
    else
        text_printf(t, "%c%c%c", before, py_letter(code), after);
}

static void draw_frame(const story *s, int i)
{
    const frame *x = &s->frames[i];
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

static err walk(const story *s)
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

static err view_json(const story *s)
{
    text_buf t = {0};
    char field[PY_FIELD_TEXT];
    json_writer w = json_begin(&t, true);
    json_open_object(&w);
    json_pair_int(&w, "chain", s->longest);
    json_pair_int(&w, "score", s->score);
    json_pair_array(&w, "frames");
    for (int i = 0; i < s->n; i++) {
        json_open_object(&w);
        py_field_print(&s->frames[i].field, field, sizeof field);
        json_pair_text(&w, "field", field);
        json_pair_text(&w, "caption", s->frames[i].caption);
        json_pair_array(&w, "popping");
        for (int c = 0; c < PY_COLS; c++)
            for (int r = 1; r <= PY_ROWS; r++) {
                if (py_get(&s->frames[i].popping, c, r) == PY_EMPTY) continue;
                json_open_array(&w);
                json_put_int(&w, c + 1);
                json_put_int(&w, r);
                json_close(&w);
            }
        json_close(&w);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    err e = json_finish(&w);
    if (e == ERR_OK) printf("%s", text_str(&t));
    text_free(&t);
    return e;
}

static int run_view(const void *options_)
{
    const options *o = options_;
    py_url u;
    story s = {0};
    err e = read_board(o->board, &u);
    if (e == ERR_OK) {
        tell(&s, &u);
        e = s.e;
    }
    if (e == ERR_OK && o->json)
        e = view_json(&s);
    else if (e == ERR_OK && o->step)
        e = walk(&s);
    else
        for (int i = 0; e == ERR_OK && i < s.n; i++) draw_frame(&s, i);
    free(s.frames);
    return e == ERR_OK ? 0 : cli_fail("puyo view");
}

static const opt view_opts[] = {
    {.name = "step",
     .letter = 's',
     .kind = OPT_FLAG,
     .at = offsetof(options, step),
     .help = "wait for Enter between frames; b goes back"},
    {.name = "json", .kind = OPT_FLAG, .at = offsetof(options, json), .help = "print JSON"},
};

const command cmd_puyo_view = {
    .name = "puyo view",
    .summary = "show a board's chain link by link",
    .about =
        "Plays a board, and the moves behind it in an address, and draws every link with the puyos that pop marked.",
    .examples =
        "keiko puyo view 'R...../RB..../RRB.../BBGGG.'\nkeiko puyo view http://www.puyop.com/s/420Aa9r9hj --step",
    .args = args,
    .n_args = COUNT(args),
    .opts = view_opts,
    .n_opts = COUNT(view_opts),
    .size = sizeof(options),
    .run = run_view,
};

// --- url

static int run_url(const void *options_)
{
    const options *o = options_;
    py_url u;
    char text[PY_URL_TEXT], field[PY_FIELD_TEXT], word[16];
    if (read_board(o->board, &u) != ERR_OK) return cli_fail("puyo url");
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
    .name = "puyo url",
    .summary = "a board as an address of puyop.com, and back",
    .about = "Prints a board, given as text or as an address, in both forms, with the moves behind it.",
    .examples = "keiko puyo url 'RB..../RR..../BB....'\nkeiko puyo url 'http://www.puyop.com/s/420Aa9r9hj'",
    .args = args,
    .n_args = COUNT(args),
    .size = sizeof(options),
    .run = run_url,
};
