// The names of renju's 26 openings: black in the centre, white beside it (direct) or at its corner (indirect), black within
// two points of the centre. They are the same opening however the board is turned.
#include "games/renju/renju_game.h"

static const struct opening {
    const char *en, *ja;
    signed char white[2], black[2]; // steps from the centre: to the right, up
} table[] = {
    {"Kansei", "寒星", {0, 1}, {0, 2}},     {"Keigetsu", "溪月", {0, 1}, {1, 2}},
    {"Sosei", "疎星", {0, 1}, {2, 2}},      {"Kagetsu", "花月", {0, 1}, {1, 1}},
    {"Zangetsu", "残月", {0, 1}, {2, 1}},   {"Ugetsu", "雨月", {0, 1}, {1, 0}},
    {"Kinsei", "金星", {0, 1}, {2, 0}},     {"Shogetsu", "松月", {0, 1}, {0, -1}},
    {"Kyugetsu", "丘月", {0, 1}, {1, -1}},  {"Shingetsu", "新月", {0, 1}, {2, -1}},
    {"Zuisei", "瑞星", {0, 1}, {0, -2}},    {"Sangetsu", "山月", {0, 1}, {1, -2}},
    {"Yusei", "遊星", {0, 1}, {2, -2}},     {"Chosei", "長星", {1, 1}, {2, 2}},
    {"Kyogetsu", "峡月", {1, 1}, {2, 1}},   {"Kosei", "恒星", {1, 1}, {2, 0}},
    {"Suigetsu", "水月", {1, 1}, {2, -1}},  {"Ryusei", "流星", {1, 1}, {2, -2}},
    {"Ungetsu", "雲月", {1, 1}, {1, 0}},    {"Hogetsu", "浦月", {1, 1}, {1, -1}},
    {"Rangetsu", "嵐月", {1, 1}, {1, -2}},  {"Gingetsu", "銀月", {1, 1}, {0, -1}},
    {"Myojo", "明星", {1, 1}, {0, -2}},     {"Shagetsu", "斜月", {1, 1}, {-1, -1}},
    {"Meigetsu", "名月", {1, 1}, {-1, -2}}, {"Suisei", "彗星", {1, 1}, {-2, -2}},
};

enum { SIZE = 15, CENTRE = SIZE / 2, SYMMETRIES = 8 };

// One of the eight ways to turn or mirror the board.
static void turn(int sym, const signed char from[2], int to[2])
{
    int x = sym & 1 ? -from[0] : from[0], y = sym & 2 ? -from[1] : from[1];
    to[0] = sym & 4 ? y : x;
    to[1] = sym & 4 ? x : y;
}

static bool is_at(move_t m, const int step[2])
{
    return m == (move_t)((CENTRE - step[1]) * SIZE + CENTRE + step[0]);
}

bool rj_opening_name(const move_t *m, int n, opening_name *out)
{
    if (n < 3 || m[0] != CENTRE * SIZE + CENTRE) return false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int sym = 0; sym < SYMMETRIES; sym++) {
            int white[2], black[2];
            turn(sym, table[i].white, white);
            turn(sym, table[i].black, black);
            if (!is_at(m[1], white) || !is_at(m[2], black)) continue;
            *out = (opening_name){table[i].en, table[i].ja};
            return true;
        }
    return false;
}
