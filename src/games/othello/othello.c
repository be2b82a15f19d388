// Othello's core: the table of rays, one-board rules, symmetries, the choice of hot loops and the text of squares and
// boards.
#include "games/othello/othello.h"

#include "games/othello/oth_kernels.h"

#include <assert.h>
#include <string.h>

// --- rays, computed by the compiler: r, c = the square's rank and file from 0; dr, dc = the direction

#define ON(v)     ((v) >= 0 && (v) < 8)
#define BIT(r, c) (ON(r) && ON(c) ? (uint64_t)1 << (((r)*8 + (c)) & 63) : 0)
#define RAY(r, c, dr, dc)                                                                                              \
    (BIT((r) + (dr), (c) + (dc)) | BIT((r) + 2 * (dr), (c) + 2 * (dc)) | BIT((r) + 3 * (dr), (c) + 3 * (dc)) |         \
     BIT((r) + 4 * (dr), (c) + 4 * (dc)) | BIT((r) + 5 * (dr), (c) + 5 * (dc)) | BIT((r) + 6 * (dr), (c) + 6 * (dc)) | \
     BIT((r) + 7 * (dr), (c) + 7 * (dc)))
#define RAYS(r, c)                                                                                                     \
    {                                                                                                                  \
        RAY(r, c, 0, 1), RAY(r, c, 1, -1), RAY(r, c, 1, 0), RAY(r, c, 1, 1), RAY(r, c, 0, -1), RAY(r, c, -1, 1),       \
            RAY(r, c, -1, 0), RAY(r, c, -1, -1)                                                                        \
    }
#define RANK(r) RAYS(r, 0), RAYS(r, 1), RAYS(r, 2), RAYS(r, 3), RAYS(r, 4), RAYS(r, 5), RAYS(r, 6), RAYS(r, 7)

_Alignas(64) const uint64_t oth_rays[OTH_SQUARES][8] = {
    RANK(0), RANK(1), RANK(2), RANK(3), RANK(4), RANK(5), RANK(6), RANK(7),
};

// --- one board

uint64_t oth_moves(oth_board b)
{
    return oth_k_moves(b.own, b.opp);
}

uint64_t oth_flips(oth_board b, int sq)
{
    assert(sq >= 0 && sq < OTH_SQUARES);
    return oth_k_flips(b.own, b.opp, sq);
}

oth_board oth_play(oth_board b, int sq)
{
    if (sq == OTH_PASS) return oth_pass(b);
    uint64_t f = oth_flips(b, sq);
    assert(f != 0 && (oth_empty(b) >> sq & 1) != 0);
    return (oth_board){b.opp ^ f, b.own ^ f ^ (uint64_t)1 << sq};
}

bool oth_over(oth_board b)
{
    return oth_moves(b) == 0 && oth_moves(oth_pass(b)) == 0;
}

int oth_score(oth_board b)
{
    int own = oth_count(b.own), opp = oth_count(b.opp), empty = OTH_SQUARES - own - opp;
    if (own > opp) return own - opp + empty;
    if (own < opp) return own - opp - empty;
    return 0;
}

// --- symmetries

// Swaps the bits of `mask` with those `by` places higher.
static uint64_t swap_bits(uint64_t v, uint64_t mask, int by)
{
    uint64_t t = (v ^ v >> by) & mask;
    return v ^ t ^ t << by;
}

uint64_t oth_sym(int sym, uint64_t v)
{
    assert(sym >= 0 && sym < OTH_SYMS);
    if (sym & 1) {
        v = swap_bits(v, 0x5555555555555555u, 1);
        v = swap_bits(v, 0x3333333333333333u, 2);
        v = swap_bits(v, 0x0f0f0f0f0f0f0f0fu, 4);
    }
    if (sym & 2) v = __builtin_bswap64(v);
    if (sym & 4) {
        v = swap_bits(v, 0x00aa00aa00aa00aau, 7);
        v = swap_bits(v, 0x0000cccc0000ccccu, 14);
        v = swap_bits(v, 0x00000000f0f0f0f0u, 28);
    }
    return v;
}

int oth_sym_square(int sym, int sq)
{
    assert(sym >= 0 && sym < OTH_SYMS && sq >= 0 && sq <= OTH_PASS);
    if (sq == OTH_PASS) return sq;
    if (sym & 1) sq ^= 7;
    if (sym & 2) sq ^= 56;
    return sym & 4 ? (sq & 7) << 3 | sq >> 3 : sq;
}

// --- hot loops

extern const oth_ops oth_ops_scalar;
#if defined(KEIKO_X86)
extern const oth_ops oth_ops_avx2, oth_ops_avx512;
#endif

const oth_ops *oth_ops_for(simd level)
{
#if defined(KEIKO_X86)
    if (level == SIMD_AVX512) return &oth_ops_avx512;
    if (level == SIMD_AVX2) return &oth_ops_avx2;
#endif
    (void)level;
    return &oth_ops_scalar;
}

uint64_t oth_perft(oth_board b, int depth)
{
    return oth_ops_for(cpu_simd())->perft(b, depth);
}

#ifndef KEIKO_WASM
oth_tally oth_random_games(uint64_t seed, uint64_t first, uint64_t n)
{
    return oth_ops_for(cpu_simd())->random_games(seed, first, n);
}
#endif

void oth_moves_batch(const oth_board *boards, int n, uint64_t *moves)
{
    oth_ops_for(cpu_simd())->moves_batch(boards, n, moves);
}

// --- text

const char *oth_square_name(int sq, char buf[5])
{
    assert(sq >= 0 && sq <= OTH_PASS);
    if (sq == OTH_PASS) {
        memcpy(buf, "pass", 5);
    } else {
        buf[0] = (char)('a' + sq % 8);
        buf[1] = (char)('1' + sq / 8);
        buf[2] = 0;
    }
    return buf;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts(const char *text, const char *word)
{
    for (; *word != 0; text++, word++)
        if (lower(*text) != *word) return false;
    return true;
}

err oth_square_parse(const char *text, size_t *at, int *sq)
{
    static const char *const passes[] = {"pass", "pa", "ps", "--"}; // the longest first
    const char *p = text + *at;
    for (int i = 0; i < 4; i++) {
        if (!starts(p, passes[i])) continue;
        *sq = OTH_PASS;
        *at += strlen(passes[i]);
        return ERR_OK;
    }
    char file = lower(p[0]);
    if (file < 'a' || file > 'h') return err_parse(text, *at, "expected a square a1 to h8, or pass");
    if (p[1] < '1' || p[1] > '8') return err_parse(text, *at + 1, "expected a rank 1 to 8 after the file %c", file);
    *sq = (p[1] - '1') * 8 + file - 'a';
    *at += 2;
    return ERR_OK;
}

// 0 black, 1 white, 2 empty, -1 anything else
static int disc_of(char c)
{
    switch (c) {
    case 'X':
    case 'x':
    case '*':
    case 'B':
    case 'b':
        return OTH_BLACK;
    case 'O':
    case 'o':
    case 'W':
    case 'w':
        return OTH_WHITE;
    case '-':
    case '.':
    case '_':
        return 2;
    default:
        return -1;
    }
}

err oth_state_read(const char *text, size_t *at, const char *blanks, oth_state *out)
{
    uint64_t discs[3] = {0, 0, 0};
    size_t p = *at;
    for (int sq = 0; sq < OTH_SQUARES; sq++, p++) {
        p += strspn(text + p, blanks);
        int disc = disc_of(text[p]);
        if (disc < 0)
            return err_parse(text, p, "expected X, O or - for %c%d, square %d of 64", 'a' + sq % 8, sq / 8 + 1, sq + 1);
        discs[disc] |= (uint64_t)1 << sq;
    }
    p += strspn(text + p, blanks);
    int side = disc_of(text[p]);
    if (side != OTH_BLACK && side != OTH_WHITE)
        return err_parse(text, p, "expected X or O, the side to move, after the 64 squares");
    *out = (oth_state){{discs[side], discs[!side]}, (uint64_t)side};
    *at = p + 1;
    return ERR_OK;
}

void oth_state_write(const oth_state *s, char buf[OTH_STATE_TEXT])
{
    const char own = s->side == OTH_BLACK ? 'X' : 'O', opp = s->side == OTH_BLACK ? 'O' : 'X';
    for (int sq = 0; sq < OTH_SQUARES; sq++) buf[sq] = s->b.own >> sq & 1 ? own : s->b.opp >> sq & 1 ? opp : '-';
    buf[64] = ' ';
    buf[65] = own;
    buf[66] = 0;
}
