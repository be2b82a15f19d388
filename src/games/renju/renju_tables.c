// Builds the tables that turn a line of stones into patterns. See renju.h for the idea, renju_tables.h for the layout.
//
// For one colour a half line is what it sees up to the first stone or edge that stops it: six bits, own stones
// nearest first with a 1 above them where the view ends. Adding a stone only raises that number, so one pass from the
// fullest half lines to the emptiest computes every pattern from those one stone later: a three is what becomes a
// straight four, and so on.
#include "games/renju/renju_tables.h"

#include "base/rng.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum { VIEWS = 64, EXACT = 0, LONGER = 1 }; // EXACT: only five wins; LONGER: six and more win as well

typedef uint8_t view_row[VIEWS]; // a table by left and right view is an array of 64 of these

static int view_end(int view) // steps to the stop, 5 when nothing stops it
{
    return 31 - __builtin_clz((unsigned)view);
}

// What `colour` (1 black, 2 white, as in the lines) sees; cells[0] is the nearest.
static int view_of(const int cells[RJ_REACH], int colour)
{
    int view = 0;
    for (int i = 0; i < RJ_REACH; i++) {
        if (cells[i] == colour)
            view |= 1 << i;
        else if (cells[i] != 0)
            return view | 1 << i;
    }
    return view | 1 << RJ_REACH;
}

static int run_length(int view)
{
    int own = view ^ 1 << view_end(view);
    return __builtin_ctz(~(unsigned)own);
}

// How many single stones on either side lift this to each pattern.
static void count_next(view_row *t, int left, int right, int next[16])
{
    memset(next, 0, 16 * sizeof *next);
    for (int i = 0; i < view_end(left); i++)
        if ((left >> i & 1) == 0) next[t[left | 1 << i][right]]++;
    for (int i = 0; i < view_end(right); i++)
        if ((right >> i & 1) == 0) next[t[left][right | 1 << i]]++;
}

// The four in a row between the two stops becomes five at both ends.
static bool is_straight(view_row *t, int left, int right)
{
    int l = run_length(left), r = run_length(right);
    return l + r + 1 == 4 && l < view_end(left) && r < view_end(right) && t[left | 1 << l][right] == RJ_P_FIVE &&
           t[left][right | 1 << r] == RJ_P_FIVE;
}

static rj_pattern line_pattern(view_row *t, int left, int right, int mode)
{
    int run = 1 + run_length(left) + run_length(right), next[16];
    if (run == 5 || (run > 5 && mode == LONGER)) return RJ_P_FIVE;
    if (run > 5) return RJ_P_OVERLINE;
    count_next(t, left, right, next);
    int twos = next[RJ_P_OPEN_TWO] + next[RJ_P_OPEN_TWO_2] + next[RJ_P_OPEN_TWO_3];
    int threes = next[RJ_P_THREE] + next[RJ_P_THREE_2];
    int fours = next[RJ_P_FOUR] + next[RJ_P_FOUR_FOUR];
    if (next[RJ_P_FIVE] > 0) {
        if (is_straight(t, left, right)) return RJ_P_STRAIGHT;
        return next[RJ_P_FIVE] > 1 ? RJ_P_FOUR_FOUR : RJ_P_FOUR;
    }
    if (next[RJ_P_STRAIGHT] > 0) return next[RJ_P_STRAIGHT] > 1 ? RJ_P_THREE_2 : RJ_P_THREE;
    if (fours > 0) return RJ_P_CLOSED;
    if (threes > 0) return threes > 2 ? RJ_P_OPEN_TWO_3 : threes > 1 ? RJ_P_OPEN_TWO_2 : RJ_P_OPEN_TWO;
    if (next[RJ_P_CLOSED] > 0) return RJ_P_TWO;
    if (twos > 0) return RJ_P_OPEN_ONE;
    return next[RJ_P_TWO] > 0 ? RJ_P_ONE : RJ_P_DEAD;
}

static void build_views(view_row *t, int mode)
{
    for (int left = VIEWS - 1; left > 0; left--)
        for (int right = VIEWS - 1; right > 0; right--) t[left][right] = (uint8_t)line_pattern(t, left, right, mode);
}

// The 120 looks: what both colours see of a half line. Fills view[look][colour] and returns how many there are.
static int build_halves(rj_ruleset *t, uint8_t view[RJ_HALVES][2])
{
    int n = 0;
    for (int bits = 0; bits <= RJ_HALF_MASK; bits++) {
        int cells[RJ_REACH], look = 0, mirrored = 0;
        for (int i = 0; i < RJ_REACH; i++) {
            cells[i] = bits >> 2 * i & 3;
            mirrored |= cells[i] << 2 * (RJ_REACH - 1 - i);
        }
        int black = view_of(cells, 1), white = view_of(cells, 2);
        while (look < n && (view[look][0] != black || view[look][1] != white)) look++;
        if (look == n) {
            assert(n < RJ_LOOKS);
            view[n][0] = (uint8_t)black;
            view[n][1] = (uint8_t)white;
            n++;
        }
        t->right[bits] = (uint8_t)look;
        t->left[mirrored] = (uint16_t)(look * RJ_HALVES);
    }
    return n;
}

static void build_joint(rj_ruleset *s, view_row *black_views, view_row *white_views)
{
    uint8_t view[RJ_HALVES][2];
    int n = build_halves(s, view);
    for (int l = 0; l < n; l++)
        for (int r = 0; r < n; r++) {
            unsigned black = black_views[view[l][0]][view[r][0]], white = white_views[view[l][1]][view[r][1]];
            s->joint[l * RJ_HALVES + r] = black | white << 16;
        }
}

static rj_class point_class(const int n[16], bool fouls)
{
    int fours = n[RJ_P_FOUR] + n[RJ_P_STRAIGHT] + 2 * n[RJ_P_FOUR_FOUR];
    int threes = n[RJ_P_THREE] + n[RJ_P_THREE_2];
    int twos = n[RJ_P_OPEN_TWO] + n[RJ_P_OPEN_TWO_2] + n[RJ_P_OPEN_TWO_3];
    int extras = n[RJ_P_CLOSED] + twos;
    if (n[RJ_P_FIVE] > 0) return RJ_FIVE;
    if (fouls && (n[RJ_P_OVERLINE] > 0 || fours > 1)) return RJ_FORBIDDEN;
    if (fouls && threes > 1) return RJ_DOUBTFUL;
    if (fours > 1 || n[RJ_P_STRAIGHT] > 0) return RJ_WINNING;
    if (fours > 0) return threes > 0 ? RJ_FOUR_THREE : extras > 0 ? RJ_FOUR_PLUS : RJ_FOUR;
    if (threes > 0) return threes > 1 ? RJ_THREE_THREE : extras > 0 ? RJ_THREE_PLUS : RJ_THREE;
    if (n[RJ_P_CLOSED] > 0) return extras > 1 ? RJ_CLOSED_PLUS : RJ_CLOSED;
    return twos > 1 ? RJ_TWO_TWO : twos > 0 ? RJ_TWO : RJ_NONE;
}

static void build_classes(rj_ruleset *s, bool fouls)
{
    for (int key = 0; key < 65536; key++) {
        int n[16] = {0};
        for (int d = 0; d < RJ_DIRS; d++) n[key >> 4 * d & 15]++;
        s->classes[0][key] = (uint8_t)point_class(n, fouls);
        s->classes[1][key] = (uint8_t)(point_class(n, false) << 4);
    }
    for (int both = 0; both < 256; both++) {
        s->one[both][0][both & 15] = 1;
        s->one[both][1][both >> 4] = 1;
    }
}

static void build_rules(rj_tables *t)
{
    static const int mode[3][2] = {
        [RJ_RENJU] = {EXACT, LONGER}, [RJ_STANDARD] = {EXACT, EXACT}, [RJ_FREE] = {LONGER, LONGER}};
    enum { FIVE_STEPS = 0x155155, FOUR_STEPS = 0x055154 };
    view_row views[2][VIEWS];
    memset(views, 0, sizeof views);
    build_views(views[EXACT], EXACT);
    build_views(views[LONGER], LONGER);
    for (int rule = 0; rule < 3; rule++) {
        rj_ruleset *s = &t->rules[rule];
        build_joint(s, views[mode[rule][0]], views[mode[rule][1]]);
        build_classes(s, rule == RJ_RENJU);
        for (int c = 0; c < 2; c++) s->reach[c] = mode[rule][c] == EXACT ? FIVE_STEPS : FOUR_STEPS;
    }
}

static void build_places(rj_tables *t, int size)
{
    memset(t->empty[size], 0xff, sizeof t->empty[size]); // all outside; then the points are cut out
    for (int p = 0; p < size * size; p++) {
        int x = p % size, y = p / size;
        const int line[RJ_DIRS] = {y, size + x, 2 * size + (x - y + size - 1), 4 * size - 1 + (x + y)};
        const int along[RJ_DIRS] = {x, y, x, x};
        for (int d = 0; d < RJ_DIRS; d++) {
            t->place[size][p].line[d] = (uint8_t)line[d];
            t->place[size][p].shift[d] = (uint8_t)(2 * along[d]);
            t->empty[size][line[d]] &= ~(3ull << 2 * (along[d] + RJ_REACH));
        }
    }
}

static void build_stars(rj_tables *t)
{
    static const int dx[RJ_DIRS] = {1, 0, 1, 1}, dy[RJ_DIRS] = {0, 1, 1, -1};
    for (int d = 0; d < RJ_DIRS; d++)
        for (int p = 0; p < 225; p++)
            for (int k = -4; k <= 4; k++) {
                int x = p % 15 + k * dx[d], y = p / 15 + k * dy[d], q = y * 15 + x;
                if (k != 0 && x >= 0 && x < 15 && y >= 0 && y < 15) t->star[d][p][q / 64] |= 1ull << q % 64;
            }
}

static void build(rj_tables *t)
{
    build_rules(t);
    for (int size = RJ_MIN_SIZE; size <= RJ_MAX_SIZE; size++) build_places(t, size);
    build_stars(t);
    for (int colour = 0; colour < 2; colour++)
        for (int p = 0; p < RJ_MAX_POINTS; p++)
            t->zobrist[colour][p] = rng_mix(0x72656e6a75000000u + (uint64_t)(2 * p + colour));
}

const rj_tables *rj_tables_get(void)
{
    enum { UNBUILT, BUILDING, READY };
    static rj_tables tables;
    static atomic_int stage = UNBUILT;
    if (atomic_load_explicit(&stage, memory_order_acquire) == READY) return &tables;
    int unbuilt = UNBUILT;
    if (atomic_compare_exchange_strong(&stage, &unbuilt, BUILDING)) {
        build(&tables);
        atomic_store_explicit(&stage, READY, memory_order_release);
    } else {
        while (atomic_load_explicit(&stage, memory_order_acquire) != READY) {} // a few milliseconds, once a process
    }
    return &tables;
}
