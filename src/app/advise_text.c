// An advice for people. See advise.h.
#include "app/advise.h"
#include "app/advise_inner.h"
#include "games/puyo/puyo_match.h"

// --- drawing

static const char *paint_of(int code)
{
    static const char *const paint[PY_CODES] = {"", "37", "31", "33", "32", "34", "35"};
    return paint[code];
}

static void put_cell(text_buf *t, int code, bool ghost, bool colour)
{
    char letter = py_letter(code);
    if (ghost) letter = (char)(letter - 'A' + 'a');
    if (colour && code != PY_EMPTY)
        text_printf(t, "\033[%s%sm%c\033[0m", ghost ? "4;" : "1;", paint_of(code), letter);
    else
        text_char(t, letter);
}

static void put_pair(text_buf *t, uint8_t pair, bool colour)
{
    put_cell(t, py_main(pair), false, colour);
    put_cell(t, py_sub(pair), false, colour);
}

static int ghost_at(const advisor_move *m, uint8_t pair, int col, int row)
{
    for (int i = 0; m != NULL && i < 2; i++)
        if (m->cell[i][0] == col && m->cell[i][1] == row) return i == 0 ? py_main(pair) : py_sub(pair);
    return PY_EMPTY;
}

void advise_draw(text_buf *t, const advise_question *q, const advisor_move *ghost, bool colour)
{
    int top = 6, line = 0;
    for (int c = 0; c < PY_COLS; c++) {
        int h = py_height(&q->field, c) + 2;
        top = h > top ? h : top;
    }
    if (top > PY_GHOST) top = PY_GHOST;
    for (int row = top; row >= 1; row--, line++) {
        text_printf(t, "%2d |", row);
        for (int col = 0; col < PY_COLS; col++) {
            int code = py_get(&q->field, col, row), g = ghost_at(ghost, q->pair, col, row);
            if (col > 0) text_char(t, ' ');
            put_cell(t, g != PY_EMPTY ? g : code, g != PY_EMPTY, colour);
        }
        text_char(t, '|');
        uint8_t beside = line == 0 ? q->pair : line <= 2 ? q->future.next[line - 1] : 0;
        if (beside != 0) {
            text_append(t, line == 0 ? "  pair " : "  next ");
            put_pair(t, beside, colour);
        }
        text_char(t, '\n');
    }
    text_append(t, "    1 2 3 4 5 6\n");
}

// --- words

const char *advise_colour(int code)
{
    static const char *const name[PY_CODES] = {"?", "nuisance", "red", "yellow", "green", "blue", "purple"};
    return name[code];
}

void advise_tail(text_buf *t, const py_field *f)
{
    gtr_tail_view v;
    if (!gtr_stands(f, NULL)) return;
    gtr_look_at_tail(f, &v);
    if (v.nearest < 0) {
        text_printf(t, "tail      none of the %d fits what is there\n", GTR_TAILS);
        return;
    }
    const gtr_group *g = gtr_groups();
    const char *name = g[gtr_tails()[v.nearest].group].name;
    if (v.missing == 0)
        text_printf(t, "tail      complete: %s\n", name);
    else
        text_printf(t, "tail      %d of 12 cells, %d of the %d tails possible; nearest: %s\n", v.filled, v.possible,
                    GTR_TAILS, name);
    text_append(t, "          ");
    bool some = false;
    for (int i = 0; i < GTR_GROUPS; i++)
        if (v.by_group[i] > 0) {
            text_printf(t, "%s%s %d", some ? ", " : "", g[i].name, v.by_group[i]);
            some = true;
        }
    text_char(t, '\n');
}

static void explain_fold(text_buf *t, const advisor_move *m)
{
    if (m->colours[0] == 0) {
        text_append(t, "fold      no two colours fit what stands there any more\n");
        return;
    }
    text_printf(t, "fold      %d of 7 cells with A = %s, B = %s:", __builtin_popcount(m->matched),
                advise_colour(m->colours[GTR_A]), advise_colour(m->colours[GTR_B]));
    for (int i = 0; i < GTR_CELLS; i++)
        if (m->matched >> i & 1) text_printf(t, " (%d,%d)", gtr_cell[i].col + 1, gtr_cell[i].row);
    text_char(t, '\n');
}

static void explain_score(text_buf *t, const advisor_config *c, advisor_phase phase, const advisor_move *m)
{
    const char *between = " =";
    text_printf(t, "score     %.1f", m->total);
    for (int i = 0; i < SCORERS; i++) {
        if (m->score[i] == 0 || c->weight[phase][i] == 0) continue;
        text_printf(t, "%s %s %g x %g", between, advisor_scorer_name[i], m->score[i], c->weight[phase][i]);
        between = " +";
    }
    if (m->look != 0) text_printf(t, "%s next pair %g x %g", between, m->look, c->lookahead);
    text_char(t, '\n');
}

static void runner_ups(text_buf *t, const advice *a, int top)
{
    char move[8];
    text_printf(t, "\n     move   %stotal    fold    tail connect  height   chain    next\n",
                a->best[0].chance >= 0 ? "chance   " : "");
    for (int i = 0; i < a->n && i < top; i++) {
        const advisor_move *m = &a->best[i];
        py_move_print(m->move, move, sizeof move);
        text_printf(t, "%3d. %-5s", i + 1, move);
        if (m->chance >= 0) text_printf(t, " %7.2f%%", 100 * m->chance);
        text_printf(t, " %7.1f", m->total);
        for (int k = 0; k < SCORERS; k++) text_printf(t, " %7.1f", m->score[k]);
        text_printf(t, " %7.1f\n", m->look);
    }
}

void advise_explain(text_buf *t, const advise_question *q, const advice *a, int top)
{
    static const char *const meaning[PHASES] = {"the fold does not stand yet", "the fold stands, the tail is short",
                                                "the fold stands, the tail is long enough to finish"};
    char move[8];
    text_printf(t, "phase     %s: %s\n", advisor_phase_name[a->phase], meaning[a->phase]);
    advise_tail(t, &q->field);
    if (a->n == 0) {
        text_append(t, "advice    none: there is no room for this pair\n");
        return;
    }
    const advisor_move *m = &a->best[0];
    py_move_print(m->move, move, sizeof move);
    text_printf(t, "advice    %s: %c to (%d,%d), %c to (%d,%d)\n", move, py_letter(py_main(q->pair)), m->cell[0][0] + 1,
                m->cell[0][1], py_letter(py_sub(q->pair)), m->cell[1][0] + 1, m->cell[1][1]);
    if (q->plus && m->links > 0) text_printf(t, "chain     it fires %d link%s\n", m->links, m->links > 1 ? "s" : "");
    if (m->chance >= 0)
        text_printf(t, "chance    %.2f%% that the fold stands after %d turns, this one counted\n", 100 * m->chance,
                    q->future.turns > 0 ? q->future.turns : ADVISOR_TURNS);
    if (a->phase == PHASE_FOLD) explain_fold(t, m);
    explain_score(t, q->config, a->phase, m);
    if (top > 1) runner_ups(t, a, top);
}
