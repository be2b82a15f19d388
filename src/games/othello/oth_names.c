// The names of Othello's openings as tournament players use them: the English ones of R. Gatliff's list, those of Japanese
// clubs in Japanese, and a translation where only one of them has a name. A name belongs to a position, not to an order of
// moves: f5 f6 e6 f4 and f5 f6 e6 d6 are the same opening.
#include "games/othello/oth_names.h"

#include "games/othello/othello.h"

#include <assert.h>
#include <string.h>

static const struct opening {
    const char *line, *en, *ja;
} table[] = {
    {"f5d6", "Perpendicular", "縦取り"},
    {"f5d6c3d3c4", "Tiger", "虎定石"},
    {"f5d6c3d3c4b3", "Aubrey", "イエス流"},
    {"f5d6c3d3c4f4c5b3c2", "Rose-Bill", "ローズビル"},
    {"f5d6c3d3c4f4c5b3c2b4", "Central Rose-Bill", "セントラルローズビル"},
    {"f5d6c3d3c4f4e3", "Brightwell", "ブライトウェル"},
    {"f5d6c3d3c4f4e6", "Leader's Tiger", "リーダーズタイガー"},
    {"f5d6c3d3c4f4f6", "Stephenson", "ステファンソン"},
    {"f5d6c3d3c4f4f6b4", "Kung", "カン"},
    {"f5d6c3d3c4f4f6f3", "Comp'Oth", "コンポス"},
    {"f5d6c3d3c4f4f6f3e3", "Lightning Bolt", "ライトニングボルト"},
    {"f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7", "F.A.T. Draw", "F.A.T.ドロー"},
    {"f5d6c3d3c4f4f6g5", "No-Kung", "ノーカン"},
    {"f5d6c3f4f6", "Dragon", "龍定石"},
    {"f5d6c4d3c5", "Cat", "猫定石"},
    {"f5d6c4d3c5f4e3f3c2", "Sakaguchi", "坂口流"},
    {"f5d6c4d3e6", "Italian", "羊定石"},
    {"f5d6c4g5", "Ganglion (No-Cat)", "ノーキャット"},
    {"f5d6c4g5c6", "Swallow", "燕定石"},
    {"f5d6c5", "Rabbit", "兎定石"},
    {"f5d6c5f4d3", "Horse", "馬定石"},
    {"f5d6c5f4e3c6d3f6e6d7", "Rose", "ローズ"},
    {"f5d6c5f4e3c6d3f6e6d7e7", "Greenberg (Dawg)", "手塚システム"},
    {"f5d6c5f4e3c6d3f6e6d7g3", "Sharp Rose", "シャープローズ"},
    {"f5d6c5f4e3c6d3f6e6d7g3c4b4", "Rose-Tamenori", "為則ローズ"},
    {"f5d6c5f4e3c6d3f6e6d7g4", "Flat Rose", "フラットローズ"},
    {"f5d6c5f4e3c6d3f6e6d7g4c4g6", "Murakami Variation", "村上流"},
    {"f5d6c5f4e3c6d7", "Bhagat", "バガット"},
    {"f5d6c5f4e3c6e6", "Inoue", "井上流"},
    {"f5d6c5f4e3c6e6f6", "Iago", "雪兎"},
    {"f5d6c5f4e3c6f3", "Shaman (Danish)", "シャーマン定石"},
    {"f5d6c5f4e3d3", "Mimura", "三村流"},
    {"f5f4", "Parallel", "鼠定石"},
    {"f5f6", "Diagonal", "斜め取り"},
    {"f5f6e6f4c3", "Buffalo", "バッファロー定石"},
    {"f5f6e6f4c3c4", "Hokuriku Buffalo", "北陸バッファロー"},
    {"f5f6e6f4c3d6f3", "Tanida Buffalo", "谷田バッファロー"},
    {"f5f6e6f4c3d7", "Maruoka Buffalo", "丸岡バッファロー"},
    {"f5f6e6f4e3", "Cow", "牛定石"},
    {"f5f6e6f4e3c5c4", "Rose-v-Toth", "ローズ・トス"},
    {"f5f6e6f4e3c5c4e7", "Tanida", "谷田流"},
    {"f5f6e6f4e3c5c4e7b5e2", "Sailboat", "ヨット定石"},
    {"f5f6e6f4e3c5c4e7c6e2f3f2", "Fast Boat", "快速船"},
    {"f5f6e6f4e3c5c4e7g4", "Aircraft", "飛行機"},
    {"f5f6e6f4e3c5c6", "Tank", "戦車定石"},
    {"f5f6e6f4e3c5g5", "Cow Bat", "こうもり定石"},
    {"f5f6e6f4e3d6", "Chimney", "白大量取り"},
    {"f5f6e6f4g3", "Rocket", "ロケット定石"},
    {"f5f6e6f4g4", "Raccoon Dog", "狸定石"},
    {"f5f6e6f4g5", "Heath (Tobidashi)", "飛び出し牛"},
    {"f5f6e6f4g5e7d7", "Iwasaki Variation", "岩崎流"},
    {"f5f6e6f4g5e7e3", "Heath-Bat", "裏こうもり"},
    {"f5f6e6f4g6", "Snake", "蛇定石"},
    {"f5f6e6f4g6c6", "Lysons", "コブラ定石"},
    {"f5f6e6f4g7", "X-square", "暴走牛"},
};

// The smallest of a board's eight images: the same for all positions that a turn or a mirror makes equal.
static oth_board least_image(oth_board b)
{
    oth_board least = b;
    for (int sym = 1; sym < OTH_SYMS; sym++) {
        oth_board image = oth_sym_board(sym, b);
        if (image.own < least.own || (image.own == least.own && image.opp < least.opp)) least = image;
    }
    return least;
}

static oth_board after(const char *line)
{
    oth_board b = oth_start();
    for (; line[0] != 0; line += 2) {
        int sq = (line[1] - '1') * 8 + line[0] - 'a';
        assert(oth_flips(b, sq) != 0);
        b = oth_play(b, sq);
    }
    return b;
}

// The opening whose line ends in this position after `plies` moves; NULL: it has no name.
static const struct opening *named(oth_board b, int plies)
{
    b = least_image(b);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strlen(table[i].line) != 2 * (size_t)plies) continue;
        oth_board other = least_image(after(table[i].line));
        if (other.own == b.own && other.opp == b.opp) return &table[i];
    }
    return NULL;
}

bool oth_opening_name(const move_t *m, int n, opening_name *out)
{
    const struct opening *last = NULL;
    oth_board b = oth_start();
    for (int i = 0; i < n; i++) {
        b = oth_play(b, m[i]);
        const struct opening *here = named(b, i + 1);
        if (here != NULL) last = here;
    }
    if (last == NULL) return false;
    *out = (opening_name){last->en, last->ja};
    return true;
}
