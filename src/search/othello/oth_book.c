// Keeping, finding, reading and writing the positions of a book. See oth_book.h.
#include "search/othello/oth_book.h"

#include "base/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20, LEAST_SLOTS = 64 };

void oth_book_free(oth_book *k)
{
    free(k->at);
    free(k->slot);
    *k = (oth_book){0};
}

oth_board oth_book_image(oth_board b, int *sym)
{
    oth_board least = b;
    *sym = 0;
    for (int s = 1; s < OTH_SYMS; s++) {
        oth_board i = oth_sym_board(s, b);
        if (i.own > least.own || (i.own == least.own && i.opp >= least.opp)) continue;
        least = i;
        *sym = s;
    }
    return least;
}

static int slot_of(const oth_book *k, oth_board b) // its own, or the free one where it belongs
{
    int i = (int)(oth_hash(b) & (uint64_t)(k->slots - 1));
    while (k->slot[i] >= 0 && (k->at[k->slot[i]].b.own != b.own || k->at[k->slot[i]].b.opp != b.opp))
        i = (i + 1) & (k->slots - 1);
    return i;
}

int oth_book_at(const oth_book *k, oth_board image)
{
    return k->slots == 0 ? -1 : k->slot[slot_of(k, image)];
}

static err grow(oth_book *k)
{
    int slots = k->slots == 0 ? LEAST_SLOTS : 2 * k->slots;
    oth_book_entry *at = realloc(k->at, (size_t)slots / 2 * sizeof *at);
    if (at != NULL) k->at = at, k->room = slots / 2;
    int32_t *slot = malloc((size_t)slots * sizeof *slot);
    if (at == NULL || slot == NULL) {
        free(slot);
        return err_set(ERR_MEMORY, "no memory for a book of %d positions", slots / 2);
    }
    free(k->slot);
    k->slot = slot;
    k->slots = slots;
    memset(slot, 0xff, (size_t)slots * sizeof *slot);
    for (int i = 0; i < k->n; i++) slot[slot_of(k, k->at[i].b)] = i;
    return ERR_OK;
}

err oth_book_add(oth_book *k, const oth_book_entry *e)
{
    if (2 * k->n >= k->slots) { // half of the slots stay free
        err code = grow(k);
        if (code != ERR_OK) return code;
    }
    k->slot[slot_of(k, e->b)] = k->n;
    k->at[k->n++] = *e;
    return ERR_OK;
}

int oth_book_find(const oth_book *k, oth_board b, oth_book_move out[OTH_BOOK_MOVES])
{
    int sym, i = oth_book_at(k, oth_book_image(b, &sym));
    if (i < 0) return 0;
    const oth_book_entry *e = &k->at[i];
    for (int m = 0; m < e->n; m++) {
        int sq = 0;
        while (oth_sym_square(sym, sq) != e->move[m].sq) sq++;
        out[m] = (oth_book_move){.sq = (uint8_t)sq, .score = e->move[m].score};
    }
    return e->n;
}

// --- text

// One "d3+0" at *s, which it passes over. False: there is none.
static bool read_move(const char **s, oth_book_move *m)
{
    const char *p = *s;
    if (p[0] < 'a' || p[0] > 'h' || p[1] < '1' || p[1] > '8' || (p[2] != '+' && p[2] != '-')) return false;
    if (!isdigit((unsigned char)p[3])) return false;
    char *end;
    long score = strtol(p + 2, &end, 10);
    if (score < -64 || score > 64) return false;
    *m = (oth_book_move){.sq = (uint8_t)(p[0] - 'a' + 8 * (p[1] - '1')), .score = (int8_t)score};
    *s = end;
    return true;
}

static bool read_word(const char **s, uint64_t *w)
{
    if (!isxdigit((unsigned char)**s)) return false;
    char *end;
    *w = strtoull(*s, &end, 16);
    bool ok = end - *s <= 16 && *end == ' ';
    *s = end + (ok ? 1 : 0);
    return ok;
}

static err read_line(oth_book *k, const char *s, int number)
{
    oth_book_entry e = {.n = 0};
    int sym;
    if (!read_word(&s, &e.b.own) || !read_word(&s, &e.b.opp))
        return err_set(ERR_PARSE, "line %d: two words of up to 16 hexadecimal digits are expected", number);
    if (!oth_board_ok(e.b)) return err_set(ERR_PARSE, "line %d: a square is taken by both sides", number);
    oth_board least = oth_book_image(e.b, &sym);
    if (sym != 0) return err_set(ERR_PARSE, "line %d: an image of this position is smaller", number);
    if (oth_book_at(k, least) >= 0) return err_set(ERR_PARSE, "line %d: this position came before", number);
    uint64_t moves = oth_moves(e.b);
    while (e.n < OTH_BOOK_MOVES && read_move(&s, &e.move[e.n])) {
        const oth_book_move *m = &e.move[e.n];
        if ((moves >> m->sq & 1) == 0) return err_set(ERR_PARSE, "line %d: move %d is illegal", number, e.n + 1);
        if (e.n > 0 && m->score > m[-1].score)
            return err_set(ERR_PARSE, "line %d: move %d is better than the one before", number, e.n + 1);
        e.n++;
        if (*s == ' ') s++;
    }
    if (e.n == 0 || (*s != '\0' && *s != '\n' && *s != '\r'))
        return err_set(ERR_PARSE, "line %d: 1 to %d moves such as d3+0 are expected", number, OTH_BOOK_MOVES);
    return oth_book_add(k, &e);
}

err oth_book_read(oth_book *out, const char *text)
{
    err e = ERR_OK;
    *out = (oth_book){0};
    for (int number = 1; e == ERR_OK && *text != '\0'; number++) {
        if (*text != '#' && *text != '\n' && *text != '\r') e = read_line(out, text, number);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (e != ERR_OK) oth_book_free(out);
    return e;
}

err oth_book_load(oth_book *out, const char *path)
{
    char *text = NULL;
    size_t size;
    *out = (oth_book){0};
    err e = file_read(path, MOST_BYTES, &text, &size);
    if (e == ERR_OK) e = err_prefix(oth_book_read(out, text), "%s", path);
    free(text);
    return e;
}

err oth_book_write(const oth_book *k, text_buf *out)
{
    char name[5];
    text_append(out, "# An opening book of Othello, made by keiko tune othello-book.\n");
    for (int i = 0; i < k->n; i++) {
        const oth_book_entry *e = &k->at[i];
        text_printf(out, "%016llx %016llx", (unsigned long long)e->b.own, (unsigned long long)e->b.opp);
        for (int m = 0; m < e->n; m++)
            text_printf(out, " %s%+d", oth_square_name(e->move[m].sq, name), e->move[m].score);
        text_append(out, "\n");
    }
    return text_check(out);
}
