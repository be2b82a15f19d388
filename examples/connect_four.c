// A stranger's program with a game of its own: connect four, defined here, learned from nothing and measured.
//   cc connect_four.c $(pkg-config --cflags --libs keiko) -o connect_four && ./connect_four 60 connect4.safetensors
// The first argument is the seconds to train, the second where the network goes. Seven columns of six; four in a row, in any
// direction, win. The board is two 64-bit words, one a player, seven bits a column: the bit above the top stays empty, so
// that a line never runs from one column into the next.
#include <keiko.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 7, ROWS = 6, HIGH = ROWS + 1 };

typedef struct board {
    uint64_t stones[2];
    uint64_t turn; // 0 or 1; a whole word, so that there is no padding
} board;

static int four(uint64_t s)
{
    static const int directions[4] = {1, HIGH, HIGH + 1, HIGH - 1};
    for (int i = 0; i < 4; i++) {
        uint64_t two = s & (s >> directions[i]);
        if (two & (two >> (2 * directions[i]))) return 1;
    }
    return 0;
}

static int height(const board *b, int column)
{
    uint64_t all = (b->stones[0] | b->stones[1]) >> (column * HIGH);
    int n = 0;
    while (n < ROWS && (all >> n & 1)) n++;
    return n;
}

static void c4_init(void *state)
{
    memset(state, 0, sizeof(board));
}

static int c4_seat(const void *state)
{
    return (int)((const board *)state)->turn;
}

static int c4_over(const void *state, double score[2])
{
    const board *b = state;
    for (int k = 0; k < 2; k++)
        if (four(b->stones[k])) {
            score[k] = 1.0;
            score[1 - k] = 0.0;
            return 1;
        }
    for (int c = 0; c < COLS; c++)
        if (height(b, c) < ROWS) return 0;
    score[0] = score[1] = 0.5;
    return 1;
}

static int c4_legal(const void *state, uint16_t *moves)
{
    double score[2];
    int n = 0;
    if (c4_over(state, score)) return 0;
    for (int c = 0; c < COLS; c++)
        if (height(state, c) < ROWS) moves[n++] = (uint16_t)c;
    return n;
}

static void c4_play(void *state, uint16_t move)
{
    board *b = state;
    b->stones[b->turn] |= (uint64_t)1 << (move * HIGH + height(b, move));
    b->turn = 1 - b->turn;
}

// Two planes: the mover's stones, then the other's; the top row first.
static void c4_encode(const void *state, uint64_t *planes, float *scalars)
{
    const board *b = state;
    (void)scalars;
    for (int p = 0; p < 2; p++)
        for (int c = 0; c < COLS; c++)
            for (int r = 0; r < ROWS; r++)
                if (b->stones[p == 0 ? b->turn : 1 - b->turn] >> (c * HIGH + r) & 1)
                    planes[p] |= (uint64_t)1 << ((ROWS - 1 - r) * COLS + c);
}

// One symmetry beside the identity: the mirror.
static uint16_t c4_mirror_move(int symmetry, uint16_t move)
{
    return symmetry == 0 ? move : (uint16_t)(COLS - 1 - move);
}

static void c4_mirror(int symmetry, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < ROWS * COLS; i++)
            if (in[p] >> i & 1)
                out[p] |= (uint64_t)1 << (i / COLS * COLS + c4_mirror_move(symmetry, (uint16_t)(i % COLS)));
}

static int c4_draw(const void *state, char *buf, size_t n)
{
    const board *b = state;
    char text[ROWS * (2 * COLS) + 32];
    int at = 0;
    for (int r = ROWS - 1; r >= 0; r--)
        for (int c = 0; c < COLS; c++) {
            int bit = c * HIGH + r;
            text[at++] = b->stones[0] >> bit & 1 ? 'X' : b->stones[1] >> bit & 1 ? 'O' : '.';
            text[at++] = c + 1 < COLS ? ' ' : '\n';
        }
    text[at] = 0;
    return snprintf(buf, n, "%s0 1 2 3 4 5 6\n", text);
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, keiko_error());
    return 1;
}

static int tell(void *ctx, const keiko_progress *p)
{
    double *next = ctx;
    if (p->seconds < *next) return 0;
    *next = p->seconds + 5.0;
    printf("%4.0f s: %llu games, %llu steps, loss %.3f\n", p->seconds, (unsigned long long)p->games,
           (unsigned long long)p->step, p->loss);
    fflush(stdout);
    return 0;
}

static int match(const keiko_game *g, const char *who, const char *against, int pairs)
{
    keiko_score s;
    if (keiko_match(g, who, against, pairs, 1, 0, &s) != 0) return fail("match");
    printf("%s against %s: %.1f %% (%.1f to %.1f), %llu won, %llu drawn, %llu lost\n", who, against, 100.0 * s.score,
           100.0 * s.low, 100.0 * s.high, (unsigned long long)s.wins, (unsigned long long)s.draws,
           (unsigned long long)s.losses);
    return 0;
}

// One game, shown at its end.
static int show_game(const keiko_game *g, const char *first, const char *second)
{
    keiko_position *p;
    keiko_agent *players[2];
    char text[512];
    double score[2];
    if (keiko_position_new(g, NULL, 1, 0, &p) != 0) return fail("position");
    for (int i = 0; i < 2; i++) {
        if (keiko_agent_open(g, i == 0 ? first : second, &players[i]) != 0) return fail("agent");
        keiko_agent_begin(players[i], 1, 0, i);
    }
    while (!keiko_position_over(p, score)) {
        uint16_t m;
        if (keiko_agent_choose(players[keiko_position_seat(p)], p, &m) != 0) return fail("choose");
        for (int i = 0; i < 2; i++) keiko_agent_saw(players[i], p, m);
        if (keiko_position_play(p, m) != 0) return fail("play");
    }
    keiko_position_draw(p, 0, text, sizeof text);
    printf("%s (X) against %s (O): %g to %g\n%s", first, second, score[0], score[1], text);
    for (int i = 0; i < 2; i++) keiko_agent_close(players[i]);
    keiko_position_free(p);
    return 0;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 60.0, next = 0.0;
    const char *model = argc > 2 ? argv[2] : "connect4.safetensors";
    const keiko_rules rules = {.size = sizeof rules,
                               .name = "connect4",
                               .title = "Connect four",
                               .state_size = sizeof(board),
                               .moves = COLS,
                               .max_legal = COLS,
                               .rows = ROWS,
                               .cols = COLS,
                               .planes = 2,
                               .init = c4_init,
                               .seat = c4_seat,
                               .legal = c4_legal,
                               .play = c4_play,
                               .over = c4_over,
                               .encode = c4_encode,
                               .symmetries = 2,
                               .symmetry_planes = c4_mirror,
                               .symmetry_move = c4_mirror_move,
                               .draw = c4_draw};
    const keiko_game *g;
    if (keiko_game_register(&rules, &g) != 0) return fail("register");

    keiko_training t = {
        .size = sizeof t,
        .config = "net = c=32 b=3\nin-flight = 64\nsims = 48\nround = 48\nfill = 1000\nbatch = 128\neval-every = 0\n",
        .seed = 1,
        .minutes = seconds / 60.0,
        .model = model,
        .each = tell,
        .ctx = &next};
    keiko_progress end;
    if (keiko_train(g, &t, &end) != 0) return fail("train");
    printf("%.0f s: %llu games, %llu steps, loss %.3f; weights in %s\n", end.seconds, (unsigned long long)end.games,
           (unsigned long long)end.step, end.loss, model);

    char zero[600];
    snprintf(zero, sizeof zero, "zero:model=%s,sims=50", model);
    if (match(g, zero, "random", 20) != 0 || match(g, zero, "mcts:sims=50", 20) != 0) return 1;
    return show_game(g, zero, "mcts:sims=50");
}
