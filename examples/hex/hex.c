// Hex on 5 x 5 as a game library for keiko. Build it with the CMakeLists.txt beside it, or:
//   cc -O2 -fPIC -shared hex.c $(pkg-config --cflags keiko) -o libhex.so
//   keiko --game-lib ./libhex.so play hex --second mcts
//
// Cells touch six neighbours. Red joins the top edge to the bottom edge, Blue the left to the right. One of them always
// succeeds, so there are no draws. A board is one bit per cell, row by row from the top: bit y*SIZE+x.
#include <keiko_rules.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 5, CELLS = SIZE * SIZE };

typedef struct hex {
    uint32_t stones[2]; // Red's and Blue's
    uint32_t turn;      // 0 = Red
} hex;

#define ROW ((1u << SIZE) - 1)         // the top row
#define ALL ((1u << CELLS) - 1)        // the board
static const uint32_t left = 0x108421; // the left column

// The cells that touch one of `s`: left and right, above and below, and the two that make six of four.
static uint32_t around(uint32_t s)
{
    uint32_t right = left << (SIZE - 1), west = (s & ~left) >> 1, east = (s & ~right) << 1;
    return (west | east | s >> SIZE | s << SIZE | (s & ~right) >> (SIZE - 1) | (s & ~left) << (SIZE - 1)) & ALL;
}

static int joins(uint32_t stones, uint32_t from, uint32_t to)
{
    uint32_t reached = stones & from, before = 0;
    while (reached != before) {
        before = reached;
        reached |= around(reached) & stones;
    }
    return (reached & to) != 0;
}

static void hex_init(void *state)
{
    memset(state, 0, sizeof(hex));
}

static int hex_seat(const void *state)
{
    return (int)((const hex *)state)->turn;
}

// Only who moved last can have won.
static int hex_over(const void *state, double score[2])
{
    const hex *h = state;
    int last = 1 - (int)h->turn;
    int won =
        last == 0 ? joins(h->stones[0], ROW, ROW << (CELLS - SIZE)) : joins(h->stones[1], left, left << (SIZE - 1));
    if (!won) return 0;
    score[last] = 1.0;
    score[1 - last] = 0.0;
    return 1;
}

static int hex_legal(const void *state, uint16_t *moves)
{
    const hex *h = state;
    double score[2];
    int n = 0;
    if (hex_over(state, score)) return 0;
    for (int c = 0; c < CELLS; c++)
        if (!((h->stones[0] | h->stones[1]) >> c & 1)) moves[n++] = (uint16_t)c;
    return n;
}

static void hex_play(void *state, uint16_t move)
{
    hex *h = state;
    h->stones[h->turn] |= 1u << move;
    h->turn = 1 - h->turn;
}

// --- what the network sees: always a player who joins top to bottom. For Blue the board is mirrored along its diagonal.

static uint16_t turned(int cell)
{
    return (uint16_t)(cell % SIZE * SIZE + cell / SIZE);
}

static void hex_encode(const void *state, uint64_t *planes, float *scalars)
{
    const hex *h = state;
    (void)scalars;
    for (int p = 0; p < 2; p++)
        for (int c = 0; c < CELLS; c++)
            if (h->stones[p == 0 ? h->turn : 1 - h->turn] >> c & 1) planes[p] |= 1ull << (h->turn ? turned(c) : c);
}

static uint16_t hex_move_index(const void *state, uint16_t move)
{
    return ((const hex *)state)->turn ? turned(move) : move;
}

// One symmetry beside the identity: half a turn.
static uint16_t hex_symmetry_move(int symmetry, uint16_t move)
{
    return symmetry == 0 ? move : (uint16_t)(CELLS - 1 - move);
}

static void hex_symmetry_planes(int symmetry, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < 2; p++)
        for (int c = 0; c < CELLS; c++)
            if (in[p] >> c & 1) out[p] |= 1ull << hex_symmetry_move(symmetry, (uint16_t)c);
}

// --- text: a move is "c3"; a position is 25 of R B . from the top, a blank and the side to move

static int hex_move_print(const void *state, uint16_t move, char *buf, size_t n)
{
    (void)state;
    return snprintf(buf, n, "%c%d", 'a' + move % SIZE, move / SIZE + 1);
}

static int hex_state_print(const void *state, char *buf, size_t n)
{
    const hex *h = state;
    char text[CELLS + 1] = "";
    for (int c = 0; c < CELLS; c++) text[c] = h->stones[0] >> c & 1 ? 'R' : h->stones[1] >> c & 1 ? 'B' : '.';
    return snprintf(buf, n, "%s %c", text, h->turn ? 'B' : 'R');
}

static int hex_state_parse(const char *text, void *state, char *why, size_t n)
{
    hex *h = state;
    snprintf(why, n, "it is 25 of R, B and '.', a blank, and R or B for who moves"); // read only if we refuse
    if (strlen(text) != CELLS + 2 || text[CELLS] != ' ' || strchr("RB", text[CELLS + 1]) == NULL) return 1;
    for (int c = 0; c < CELLS; c++) {
        if (strchr("RB.", text[c]) == NULL) return 1;
        if (text[c] != '.') h->stones[text[c] == 'B'] |= 1u << c;
    }
    h->turn = text[CELLS + 1] == 'B';
    // The player to move must not have won already: nobody looks for that.
    snprintf(why, n, "the player to move has won");
    return h->turn ? joins(h->stones[1], left, left << (SIZE - 1)) : joins(h->stones[0], ROW, ROW << (CELLS - SIZE));
}

static int hex_draw(const void *state, char *buf, size_t n)
{
    const hex *h = state;
    char text[1024];
    int at = snprintf(text, sizeof text, "    a b c d e   Red: top to bottom, Blue: left to right\n");
    for (int y = 0; y < SIZE; y++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%*s%d ", y + 1, "", y + 1);
        for (int x = 0; x < SIZE; x++) {
            int c = y * SIZE + x;
            char mark = h->stones[0] >> c & 1 ? 'R' : h->stones[1] >> c & 1 ? 'B' : '.';
            at += snprintf(text + at, sizeof text - (size_t)at, " %c", mark);
        }
        at += snprintf(text + at, sizeof text - (size_t)at, "\n");
    }
    return snprintf(buf, n, "%s", text);
}

static const keiko_rules rules = {.size = sizeof rules,
                                  .name = "hex",
                                  .title = "Hex on 5 x 5",
                                  .state_size = sizeof(hex),
                                  .moves = CELLS,
                                  .max_legal = CELLS,
                                  .rows = SIZE,
                                  .cols = SIZE,
                                  .planes = 2,
                                  .init = hex_init,
                                  .seat = hex_seat,
                                  .legal = hex_legal,
                                  .play = hex_play,
                                  .over = hex_over,
                                  .encode = hex_encode,
                                  .symmetries = 2,
                                  .symmetry_planes = hex_symmetry_planes,
                                  .symmetry_move = hex_symmetry_move,
                                  .move_print = hex_move_print,
                                  .state_print = hex_state_print,
                                  .draw = hex_draw,
                                  .state_parse = hex_state_parse,
                                  .move_index = hex_move_index,
                                  .seat_names = {"Red", "Blue"},
                                  .notation = "c3: column a to e, row 1 to 5",
                                  .rules = "Players put a stone on an empty cell in turn. Red joins the top edge to\n"
                                           "the bottom edge, Blue the left to the right. There are no draws."};

const keiko_rules *keiko_plugin(int i, int api_version)
{
    return i == 0 && api_version >= 3 ? &rules : NULL;
}
