// Even openings: the journal of judged lines, and the C file of the chosen ones; see tune_openings.h.
#include "base/file.h"
#include "learn/tune/tune_openings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOURNAL_MOST = 64 << 20, NAME = 16, MOVES = 80 };

void rj_opening_print(int variant, const rj_opening *o, text_buf *out)
{
    for (int k = 0; k < o->n; k++) {
        char point[8];
        rj_point_print(rj_variants[variant].size, o->move[k], point, sizeof point);
        text_printf(out, "%s%s", k == 0 ? "" : ";", point);
    }
}

static void print_header(const rj_lines_tune *t, char *out, size_t n)
{
    snprintf(out, n, "keiko renju-openings seed %llu effort %g\n", (unsigned long long)t->seed,
             t->effort > 0 ? t->effort : 1);
}

static err append(const rj_lines_tune *t, const text_buf *row)
{
    err e = text_check(row);
    return e != ERR_OK || t->journal == NULL ? e : file_append(t->journal, row->data, row->len);
}

err rj_lines_save(const rj_lines_tune *t, int variant, const rj_opening *o)
{
    text_buf row = {0};
    text_printf(&row, "%s %llu ", rj_variants[variant].name, (unsigned long long)o->number);
    rj_opening_print(variant, o, &row);
    text_printf(&row, " %g %g\n", (double)o->games, (double)o->black);
    err e = append(t, &row);
    text_free(&row);
    return e;
}

err rj_lines_save_drawn(const rj_lines_tune *t, int variant, uint64_t drawn)
{
    text_buf row = {0};
    text_printf(&row, "%s drawn %llu\n", rj_variants[variant].name, (unsigned long long)drawn);
    err e = append(t, &row);
    text_free(&row);
    return e;
}

// Reads the journal and checks its header; *data is NULL when it has none yet. A last row without its end is left out.
static err read_journal(const rj_lines_tune *t, char **data, size_t *size)
{
    char header[80];
    *data = NULL;
    *size = 0;
    if (t->journal == NULL || !file_exists(t->journal)) return ERR_OK;
    err e = file_read(t->journal, JOURNAL_MOST, data, size);
    if (e != ERR_OK) return e;
    print_header(t, header, sizeof header);
    bool begun = *size >= strlen(header); // else it was interrupted while it was made
    if (strncmp(*data, header, begun ? strlen(header) : *size) != 0) {
        free(*data);
        *data = NULL;
        return err_set(ERR_PARSE,
                       "%s is not the journal of a run with these options (%.*s); give another --out, or remove it",
                       t->journal, (int)strlen(header) - 1, header);
    }
    if (!begun) {
        free(*data);
        *data = NULL;
        return ERR_OK;
    }
    strrchr(*data, '\n')[1] = 0;
    return ERR_OK;
}

// What stands behind the last end of line would spoil the next row.
err rj_lines_begin(const rj_lines_tune *t)
{
    char *data, header[80];
    size_t size, whole;
    err e = read_journal(t, &data, &size);
    whole = data != NULL ? strlen(data) : 0;
    if (e == ERR_OK && whole < size) e = file_cut(t->journal, whole);
    print_header(t, header, sizeof header);
    if (e == ERR_OK && t->journal != NULL && whole == 0) e = file_append(t->journal, header, strlen(header));
    free(data);
    return e;
}

static bool parse_moves(int variant, const char *text, rj_opening *o)
{
    for (o->n = 0; o->n < RJ_LINE_MOST; text++) {
        int p, used = rj_point_read(rj_variants[variant].size, text, &p);
        if (used == 0) return false;
        o->move[o->n++] = (uint16_t)p;
        text += used;
        if (*text != ';') return *text == 0;
    }
    return false;
}

static bool parse_row(int variant, const char *row, rj_opening *o, uint64_t *drawn)
{
    char rule[NAME], moves[MOVES];
    unsigned long long number;
    if (sscanf(row, "%15s drawn %llu", rule, &number) == 2) {
        if (strcmp(rule, rj_variants[variant].name) == 0) *drawn = number;
        o->n = 0;
        return true;
    }
    if (sscanf(row, "%15s %llu %79s %f %f", rule, &number, moves, &o->games, &o->black) != 5) return false;
    o->number = number;
    if (strcmp(rule, rj_variants[variant].name) != 0) {
        o->n = 0;
        return true;
    }
    return parse_moves(variant, moves, o) && o->games >= 1 && o->games <= RJ_LINE_GAMES && o->black >= 0 &&
           o->black <= o->games;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const rj_opening *)a)->number, y = ((const rj_opening *)b)->number;
    return (x > y) - (x < y);
}

err rj_lines_load(const rj_lines_tune *t, int variant, rj_opening **lines, int *n, uint64_t *drawn)
{
    char *data;
    size_t size;
    int rows = 0, row = 1;
    *lines = NULL;
    *n = 0;
    *drawn = 0;
    err e = read_journal(t, &data, &size);
    if (e != ERR_OK || data == NULL) return e;
    for (const char *p = data; *p; p++) rows += *p == '\n';
    rj_opening *out = calloc((size_t)rows, sizeof *out);
    if (out == NULL) e = err_set(ERR_MEMORY, "no memory for openings");
    for (char *p = strchr(data, '\n') + 1; e == ERR_OK && *p; row++) {
        char *end = strchr(p, '\n');
        *end = 0;
        rj_opening o = {0};
        if (!parse_row(variant, p, &o, drawn))
            e = err_set(ERR_PARSE, "%s, row %d: '%s' is no judged line; remove the row", t->journal, row + 1, p);
        if (e == ERR_OK && o.n > 0) out[(*n)++] = o;
        p = end + 1;
    }
    free(data);
    if (e != ERR_OK) {
        free(out);
        *n = 0;
        return e;
    }
    qsort(out, (size_t)*n, sizeof *out, by_number);
    *lines = out;
    return ERR_OK;
}

void rj_openings_write(const char *const lines[RJ_VARIANTS], text_buf *out)
{
    text_append(out,
                "// Even openings, written by `keiko tune renju-openings`: do not edit. See docs/lab/renju-engine.md.\n"
                "#include \"games/renju/renju_game.h\"\n\n// clang-format off\n");
    for (int v = 0; v < RJ_VARIANTS; v++) {
        text_printf(out, "const char rj_even_%s[] =", rj_variants[v].name);
        int column = 0;
        for (const char *p = lines[v]; *p; column++) {
            int n = (int)strcspn(p, "\n");
            text_printf(out, "%s\"%.*s\\n\"", column % 4 == 0 ? "\n   " : " ", n, p);
            p += n + (p[n] == '\n');
        }
        text_append(out, ";\n");
    }
    text_append(out, "// clang-format on\n");
}
