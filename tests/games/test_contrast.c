// Contrast, behaviour by behaviour: the 47 titles of the wish list, one test each, in its sections and order. Deeper checks
// (perft, an independent generator, draws, text) are in test_contrast_rules.c.
#include "games/contrast/contrast.h"
#include "games/game.h"
#include "test.h"

extern const game game_contrast;
static const game *const g = &game_contrast;

// --- helpers; squares and moves are read here by other code than the game's

static int sq(const char *name)
{
    return ('5' - name[1]) * 5 + (name[0] - 'a');
}

static uint32_t squares(const char *names) // "a1 b2 c3"
{
    uint32_t set = 0;
    for (const char *p = names; *p; p += p[2] ? 3 : 2) set |= 1u << sq(p);
    return set;
}

static int id(const char *text) // exactly "b1,b2" or "b1,b2 b3g"
{
    int tile = 0;
    if (strlen(text) > 5) tile = (text[8] == 'b' ? 1 : 26) + sq(text + 6);
    return (sq(text) * 25 + sq(text + 3)) * 51 + tile;
}

static ctr_state at(const char *text)
{
    ctr_state s;
    assert_ok(g->state_parse(text, &s));
    return s;
}

static ctr_state start(void)
{
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){1, 2}));
    return s;
}

static bool is_legal(const ctr_state *s, const char *text)
{
    move_t moves[CTR_MAX_LEGAL];
    int n = g->legal(s, moves), m = id(text);
    for (int i = 0; i < n; i++)
        if (moves[i] == m) return true;
    return false;
}

static void play(ctr_state *s, const char *text)
{
    if (!is_legal(s, text)) fail_msg("%s should be legal", text);
    g->play(s, (move_t)id(text), NULL);
}

// Where the piece on `from` can go, from the list of legal moves.
static uint32_t reach(const ctr_state *s, const char *from)
{
    move_t moves[CTR_MAX_LEGAL];
    uint32_t set = 0;
    int n = g->legal(s, moves);
    for (int i = 0; i < n; i++)
        if (moves[i] / (25 * 51) == sq(from)) set |= 1u << (moves[i] / 51 % 25);
    return set;
}

static int count_tiled(const ctr_state *s, int colour)
{
    move_t moves[CTR_MAX_LEGAL];
    int n = g->legal(s, moves), k = 0;
    for (int i = 0; i < n; i++) {
        int tile = moves[i] % 51;
        k += tile != 0 && (tile >= 26) == colour;
    }
    return k;
}

// Five of player 1 shut in on their home row, player 1 to move.
#define WALLED_IN "...../...../...../22222/11111 - 3b1g/3b1g 1"

// --- 1. 初期化と初期配置

// 初期盤面の配置確認
static void s1_initial_placement(void **state)
{
    (void)state;
    ctr_state s = start();
    assert_int_equal(s.b.pieces[0], squares("a1 b1 c1 d1 e1"));
    assert_int_equal(s.b.pieces[1], squares("a5 b5 c5 d5 e5"));
}

// 初期タイル（全て白）の確認
static void s1_initial_tiles_are_white(void **state)
{
    (void)state;
    ctr_state s = start();
    assert_int_equal(s.b.tiles[CTR_BLACK], 0);
    assert_int_equal(s.b.tiles[CTR_GRAY], 0);
}

// 持ちタイル数（黒3、グレー1）の確認
static void s1_hands_hold_three_black_one_gray(void **state)
{
    (void)state;
    ctr_state s = start();
    for (int seat = 0; seat < 2; seat++) {
        assert_int_equal(CTR_HAND(&s.b, seat, CTR_BLACK), 3);
        assert_int_equal(CTR_HAND(&s.b, seat, CTR_GRAY), 1);
    }
}

// 最初のプレイヤーの確認
static void s1_player_one_moves_first(void **state)
{
    (void)state;
    ctr_state s = start();
    assert_int_equal(g->seat(&s), 0);
    play(&s, "c1,c2"); // rank 1 is player 1's
}

// ゲーム開始状態の確認
static void s1_game_is_running_at_the_start(void **state)
{
    (void)state;
    ctr_state s = start();
    outcome o = g->result(&s);
    assert_false(o.over);
    assert_int_equal(o.reason, REASON_NONE);
    assert_int_equal(s.ply, 0);
}

// --- 2. 移動ルール

// 白タイル：縦横移動のテスト
static void s2_white_moves_straight(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..1../...../11.11 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c3"), squares("c4 b3 d3 c2"));
}

// 黒タイル：斜め移動のテスト
static void s2_black_moves_diagonally(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..1../...../11.11 c3b 2b1g/3b1g 1");
    assert_int_equal(reach(&s, "c3"), squares("b4 d4 b2 d2"));
}

// グレータイル：8方向移動のテスト
static void s2_gray_moves_all_eight_ways(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..1../...../11.11 c3g 3b0g/3b1g 1");
    assert_int_equal(reach(&s, "c3"), squares("b4 c4 d4 b3 d3 b2 c2 d2"));
}

// 相手の駒によるブロックのテスト
static void s2_an_opponent_blocks(void **state)
{
    (void)state;
    ctr_state s = at("22.22/..2../..1../...../11.11 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c3"), squares("b3 d3 c2")); // neither c4 nor over it to c5
    s = at("22.22/..2../..1../..1../11..1 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c2"), squares("b2 d2 c1")); // over its own c3, but c4 is the opponent's
}

// 味方の駒を飛び越える動作のテスト
static void s2_a_piece_jumps_its_own(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..1../..1../11..1 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c2"), squares("c4 b2 d2 c1"));
    play(&s, "c2,c4");
    assert_int_equal(s.b.pieces[0], squares("c4 c3 a1 b1 e1")); // the piece jumped over stays
}

// 盤外への移動不可のテスト
static void s2_nothing_leaves_the_board(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..11./...../1.1.1 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "a1"), squares("a2 b1"));
    assert_int_equal(reach(&s, "e1"), squares("e2 d1"));
    s = at("22222/...../..11./1...1/..1.. a2b,e2b 1b1g/3b1g 1"); // diagonals at both edges do not wrap round
    assert_int_equal(reach(&s, "a2"), squares("b3 b1"));
    assert_int_equal(reach(&s, "e2"), squares("d1 c4")); // over d3, its own
}

// 相手の駒を動かせないことのテスト
static void s2_the_opponents_pieces_do_not_obey(void **state)
{
    (void)state;
    ctr_state s = start();
    move_t m, moves[CTR_MAX_LEGAL];
    int n = g->legal(&s, moves);
    for (int i = 0; i < n; i++) assert_true(moves[i] / (25 * 51) >= 20);
    assert_err(g->move_parse(&s, "c5,c4", &m), "not yours");
    play(&s, "c1,c2");
    n = g->legal(&s, moves);
    for (int i = 0; i < n; i++) assert_true(moves[i] / (25 * 51) < 5);
    assert_err(g->move_parse(&s, "c2,c3", &m), "not yours");
}

// 複数の味方駒の連続飛び越えのテスト
static void s2_a_piece_jumps_several_of_its_own(void **state)
{
    (void)state;
    ctr_state s = at("22222/...../..1../..1../.11.1 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c1"), squares("c4 a1 d1")); // up over c2 and c3, left over b1
    s = at("22222/...../..1../..1../111.. - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c1"), squares("c4 d1")); // beyond b1 and a1 is the edge
    s = at("22.22/..2../..1../..1../.11.1 - 3b1g/3b1g 1");
    assert_int_equal(reach(&s, "c1"), squares("a1 d1")); // what lies beyond the second is the opponent's
}

// --- 3. タイル配置ルール

// 黒タイル配置の動作確認
static void s3_placing_black(void **state)
{
    (void)state;
    ctr_state s = start();
    play(&s, "c1,c2 b3b");
    assert_int_equal(s.b.tiles[CTR_BLACK], squares("b3"));
    assert_int_equal(s.b.tiles[CTR_GRAY], 0);
    assert_int_equal(CTR_HAND(&s.b, 0, CTR_BLACK), 2);
    assert_int_equal(CTR_HAND(&s.b, 0, CTR_GRAY), 1);
    assert_int_equal(CTR_HAND(&s.b, 1, CTR_BLACK), 3);
}

// グレータイル配置の動作確認
static void s3_placing_gray(void **state)
{
    (void)state;
    ctr_state s = start();
    play(&s, "c1,c2 b3g");
    assert_int_equal(s.b.tiles[CTR_GRAY], squares("b3"));
    assert_int_equal(s.b.tiles[CTR_BLACK], 0);
    assert_int_equal(CTR_HAND(&s.b, 0, CTR_GRAY), 0);
    assert_int_equal(CTR_HAND(&s.b, 0, CTR_BLACK), 3);
    assert_int_equal(CTR_HAND(&s.b, 1, CTR_GRAY), 1);
}

// 移動先への配置不可の確認
static void s3_no_tile_on_the_destination(void **state)
{
    (void)state;
    ctr_state s = start();
    move_t m;
    assert_false(is_legal(&s, "c1,c2 c2b"));
    assert_false(is_legal(&s, "c1,c2 c2g"));
    assert_err(g->move_parse(&s, "c1,c2 c2b", &m), "the piece moves there");
    assert_true(is_legal(&s, "c1,c2 c1b")); // but the square just left is free
}

// 既存コマ位置への配置不可の確認
static void s3_no_tile_under_a_piece(void **state)
{
    (void)state;
    ctr_state s = start();
    move_t m;
    static const char *const taken[] = {"c1,c2 a1b", "c1,c2 d1g", "c1,c2 a5b", "c1,c2 e5g"};
    for (int i = 0; i < 4; i++) {
        assert_false(is_legal(&s, taken[i]));
        assert_err(g->move_parse(&s, taken[i], &m), "a piece stands there");
    }
    play(&s, "c1,c2 b3b"); // nor on another tile
    assert_false(is_legal(&s, "c5,c4 b3b"));
    assert_false(is_legal(&s, "c5,c4 b3g"));
    assert_err(g->move_parse(&s, "c5,c4 b3g", &m), "already");
}

// タイル使い切り後の動作確認
static void s3_used_up_tiles_cannot_be_placed(void **state)
{
    (void)state;
    ctr_state s = at("2222./....2/...../1..../.1111 a3b,b3b,c3b 0b1g/3b1g 1");
    assert_int_equal(count_tiled(&s, CTR_BLACK), 0);
    assert_true(count_tiled(&s, CTR_GRAY) > 0);
    move_t m;
    assert_err(g->move_parse(&s, "c1,c2 d3b", &m), "no black tile left");
    s = at("2222./....2/...../1..../.1111 a3b,b3b,c3b,d3g 0b0g/3b1g 1");
    assert_int_equal(count_tiled(&s, CTR_BLACK) + count_tiled(&s, CTR_GRAY), 0);
    assert_true(is_legal(&s, "c1,c2"));
    play(&s, "c1,c2"); // and the opponent still has all
    assert_true(count_tiled(&s, CTR_BLACK) > 0 && count_tiled(&s, CTR_GRAY) > 0);
}

// --- 4. 勝利条件

// P1が上段到達で勝利することの確認
static void s4_player_one_wins_on_the_top_row(void **state)
{
    (void)state;
    ctr_state s = at("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1");
    assert_false(is_legal(&s, "c4,c5 c4b")); // a winning move takes no tile
    play(&s, "c4,c5");
    outcome o = g->result(&s);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_GOAL);
    assert_true(o.score[0] == 1 && o.score[1] == 0);
}

// P2が下段到達で勝利することの確認
static void s4_player_two_wins_on_the_bottom_row(void **state)
{
    (void)state;
    ctr_state s = at("22.22/...../..1../..2../11.11 - 3b1g/3b1g 2");
    play(&s, "c2,c1");
    outcome o = g->result(&s);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_GOAL);
    assert_true(o.score[0] == 0 && o.score[1] == 1);
}

// 勝者なしでゲーム継続の確認
static void s4_no_winner_and_the_game_goes_on(void **state)
{
    (void)state;
    ctr_state s = at("22.22/...../..1../..2../11.11 - 3b1g/3b1g 2");
    play(&s, "c2,b2"); // beside the goal
    assert_false(g->result(&s).over);
    play(&s, "c3,c4"); // one row short
    assert_false(g->result(&s).over);
    play(&s, "a5,a4"); // nobody wins by leaving, or standing on, the home row
    assert_false(g->result(&s).over);
}

// --- 4.5. 敗北条件

// 合法手がない場合に敗北することの確認
static void s45_no_legal_move_loses(void **state)
{
    (void)state;
    ctr_state s = at(WALLED_IN);
    move_t moves[CTR_MAX_LEGAL];
    assert_int_equal(g->legal(&s, moves), 0);
    outcome o = g->result(&s);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_STUCK);
    assert_true(o.score[0] == 0 && o.score[1] == 1);
}

// 相手の行動後に合法手がなくなり敗北することの確認
static void s45_the_opponents_action_takes_the_last_move(void **state)
{
    (void)state;
    ctr_state s = at("...../...../..2../22.22/11111 - 3b1g/3b1g 2");
    assert_false(g->result(&s).over);
    play(&s, "c3,c2");
    outcome o = g->result(&s);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_STUCK);
    assert_true(o.score[0] == 0 && o.score[1] == 1);
}

// --- 5. アクションエンコーディング

// アクションのエンコード基本動作
static void s5_encode_an_action(void **state)
{
    (void)state;
    assert_int_equal(ctr_move(21, 16, 26 + 11), (21 * 25 + 16) * 51 + 37); // b1,b2 b3g
    ctr_state s = start();
    move_t m;
    assert_ok(g->move_parse(&s, "b1,b2 b3g", &m));
    assert_int_equal(m, 27628);
    assert_ok(g->move_parse(&s, "b1,b2 b3b", &m));
    assert_int_equal(m, 27603);
    assert_ok(g->move_parse(&s, "b1,b2", &m));
    assert_int_equal(m, 27591);
}

// アクションのデコード基本動作
static void s5_decode_an_action(void **state)
{
    (void)state;
    assert_int_equal(ctr_from(27628), 21);
    assert_int_equal(ctr_to(27628), 16);
    assert_int_equal(ctr_tile(27628), 37);
    assert_int_equal(ctr_tile_colour(37), CTR_GRAY);
    assert_int_equal(ctr_tile_square(37), 11);
    ctr_state s = start();
    char text[32];
    g->move_print(&s, 27628, text, sizeof text);
    assert_string_equal(text, "b1,b2 b3g");
    g->move_print(&s, 27591, text, sizeof text);
    assert_string_equal(text, "b1,b2");
}

// エンコード↔デコードの往復変換
static void s5_encode_and_decode_are_inverse(void **state)
{
    (void)state;
    for (int m = 0; m < CTR_ACTIONS; m++) {
        move_t a = (move_t)m;
        int tile = ctr_tile(a);
        assert_int_equal(ctr_move(ctr_from(a), ctr_to(a), tile), m);
        if (tile != 0) assert_int_equal(ctr_tile_code(ctr_tile_colour(tile), ctr_tile_square(tile)), tile);
    }
}

// ハッシュ値の範囲確認 (the original calls an action's number its hash)
static void s5_action_numbers_are_in_range(void **state)
{
    (void)state;
    assert_int_equal(ctr_move(0, 0, 0), 0);
    assert_int_equal(ctr_move(24, 24, 50), 31874);
    assert_int_equal(g->n_moves, 31875);
    for (uint64_t k = 0; k < 200; k++) {
        ctr_state s = start();
        rng r = rng_at(5, k, 0);
        move_t moves[CTR_MAX_LEGAL];
        for (int n; (n = g->legal(&s, moves)) > 0;) {
            for (int i = 0; i < n; i++) assert_true(moves[i] < 31875);
            g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
}

// --- 6. 合法手生成

// 初期状態での合法手存在確認
static void s6_there_are_moves_at_the_start(void **state)
{
    (void)state;
    ctr_state s = start();
    move_t moves[CTR_MAX_LEGAL];
    assert_int_equal(g->legal(&s, moves), 155); // 5 moves, each alone, with black or gray on 15 squares
}

// ゲーム終了時の合法手なし確認
static void s6_no_moves_when_the_game_is_over(void **state)
{
    (void)state;
    move_t moves[CTR_MAX_LEGAL], m;
    ctr_state s = at("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1 moves c4c5");
    assert_int_equal(g->legal(&s, moves), 0);
    assert_err(g->move_parse(&s, "a5,a4", &m), "over");
    s = at("22222/...../..1../...../11.11 - 3b1g/3b1g 1 150");
    assert_int_equal(g->result(&s).reason, REASON_PLIES);
    assert_int_equal(g->legal(&s, moves), 0);
}

// タイルなし移動の含有確認
static void s6_every_move_comes_without_a_tile_too(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 50; k++) {
        ctr_state s = start();
        rng r = rng_at(6, k, 0);
        move_t moves[CTR_MAX_LEGAL];
        for (int n; (n = g->legal(&s, moves)) > 0;) {
            bool bare[625] = {false};
            for (int i = 0; i < n; i++)
                if (moves[i] % 51 == 0) bare[moves[i] / 51] = true;
            for (int i = 0; i < n; i++) assert_true(bare[moves[i] / 51]);
            g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
}

// 全合法手の実行可能性確認
static void s6_every_legal_move_can_be_played(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 50; k++) {
        ctr_state s = start();
        rng r = rng_at(66, k, 0);
        move_t moves[CTR_MAX_LEGAL];
        for (int n; (n = g->legal(&s, moves)) > 0;) {
            for (int i = 0; i < n; i++) {
                ctr_state t = s;
                g->play(&t, moves[i], NULL);
                assert_null(ctr_board_error(&t.b));
                assert_int_equal(t.b.side, !s.b.side);
                assert_int_equal(t.ply, s.ply + 1);
                assert_int_equal(t.b.pieces[t.b.side], s.b.pieces[t.b.side]);
                assert_int_equal(t.b.pieces[s.b.side] ^ s.b.pieces[s.b.side],
                                 1u << moves[i] / 1275 | 1u << moves[i] / 51 % 25);
            }
            g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
}

// --- 7. ゲームコピー

// 独立したインスタンス作成の確認
static void s7_a_copy_is_independent(void **state)
{
    (void)state;
    ctr_state s = start(), before = s, copy = s;
    play(&copy, "c1,c2 b3b");
    play(&copy, "c5,c4");
    assert_memory_equal(&s, &before, sizeof s);
    play(&s, "a1,a2");
    assert_int_equal(copy.ply, 2);
    assert_int_equal(copy.b.pieces[0], squares("a1 b1 c2 d1 e1"));
}

// 状態の正確な保存の確認
static void s7_a_copy_is_exact(void **state)
{
    (void)state;
    ctr_state s = start();
    play(&s, "c1,c2 b3b");
    play(&s, "c5,c4 d3g");
    play(&s, "c2,c3");
    ctr_state copy;
    memcpy(&copy, &s, g->state_size);
    char a[GAME_TEXT], b[GAME_TEXT];
    g->state_print(&s, a, sizeof a);
    g->state_print(&copy, b, sizeof b);
    assert_string_equal(a, b);
    assert_int_equal(g->hash(&s), g->hash(&copy));
    assert_int_equal(CTR_HAND(&copy.b, 0, CTR_BLACK), 2);
    assert_int_equal(CTR_HAND(&copy.b, 1, CTR_GRAY), 0);
    assert_int_equal(copy.ply, 3);
    assert_int_equal(g->seat(&copy), 1);
}

// --- 8. 状態エンコーディング

enum { PLANES = 90, GUARD = 25 };

static void planes_of(const ctr_state *s, float out[PLANES * 25 + GUARD])
{
    const encoding *e;
    assert_ok(game_encoding(g, "c90", &e));
    uint64_t bits[56];
    float scalars[34];
    const void *obs = s;
    memset(bits, 0xff, sizeof bits);
    e->encode(&obs, 1, bits, scalars);
    for (int i = 0; i < PLANES * 25 + GUARD; i++) out[i] = 77;
    game_unpack(g, e, bits, scalars, out);
}

// テンソル形状 (90, 5, 5) の確認
static void s8_the_tensor_is_90_by_5_by_5(void **state)
{
    (void)state;
    const encoding *e;
    assert_ok(game_encoding(g, "c90", &e));
    assert_int_equal(e->planes + e->scalars, 90);
    assert_int_equal(g->rows, 5);
    assert_int_equal(g->cols, 5);
    ctr_state s = start();
    float x[PLANES * 25 + GUARD];
    planes_of(&s, x);
    for (int i = 0; i < PLANES * 25; i++) assert_true(x[i] != 77);
    for (int i = 0; i < GUARD; i++) assert_true(x[PLANES * 25 + i] == 77); // and not one value more
    assert_ok(game_encoding(g, NULL, &e));
    assert_string_equal(e->name, "c66"); // the default leaves the 24 unused planes out
    assert_int_equal(e->planes + e->scalars, 66);
}

// The encoding `c90-original`: as c90, but plane 88 is 1 for both players, so that weights of the original play as there.
static void the_originals_plane_88(void **state)
{
    (void)state;
    const encoding *ours, *original;
    ctr_state s = start();
    assert_ok(game_encoding(g, "c90", &ours));
    assert_ok(game_encoding(g, "c90-original", &original));
    for (int ply = 0; ply < 2; ply++) {
        uint64_t a[56], b[56];
        float x[34], y[34];
        const void *obs = &s;
        ours->encode(&obs, 1, a, x);
        original->encode(&obs, 1, b, y);
        assert_memory_equal(a, b, sizeof a);
        for (int i = 0; i < 34; i++) assert_true(y[i] == (i == 88 - 56 ? 1.0f : x[i]));
        assert_true(x[88 - 56] == (float)ply);
        play(&s, ply == 0 ? "c1,c2" : "c5,c4");
    }
}

// The encoding `now`: four planes as c90's newest, the hands, the ply and how often the position was seen.
static void the_present_alone(void **state)
{
    (void)state;
    const encoding *e;
    ctr_state s = start();
    assert_ok(game_encoding(g, "now", &e));
    assert_int_equal(e->planes, 4);
    assert_int_equal(e->scalars, 6);
    play(&s, "c1,c2 b3b");
    static const char *const moves[] = {"c5,c4 d3g", "c2,c1", "c4,c5", "c1,c2", "c5,c4", "c2,c1"};
    for (int k = 0; k < 6; k++) {
        uint64_t bits[4];
        float numbers[6], x[PLANES * 25 + GUARD];
        play(&s, moves[k]);
        const void *obs = &s;
        e->encode(&obs, 1, bits, numbers);
        planes_of(&s, x);
        for (int p = 0; p < 4; p++)
            for (int sq = 0; sq < 25; sq++) assert_true((float)(bits[p] >> sq & 1) == x[(8 * p) * 25 + sq]);
        for (int h = 0; h < 4; h++) assert_float_equal(numbers[h], x[(56 + 8 * h) * 25], 0);
        assert_float_equal(numbers[4], s.ply / 150.0f, 1e-6);
        assert_float_equal(numbers[5], (float)(ctr_occurrences(&s) - 1) / 4, 0);
    }
    assert_int_equal(ctr_occurrences(&s), 2); // something was repeated
}

// データ型 (float32) の確認
static void s8_values_are_float32(void **state)
{
    (void)state;
    ctr_state s = start();
    float x[PLANES * 25 + GUARD];
    planes_of(&s, x);
    assert_int_equal(sizeof x[0], 4);
    uint32_t word;
    memcpy(&word, &x[24], sizeof word); // own pieces, e1
    assert_int_equal(word, 0x3f800000); // 1.0 in IEEE binary32
}

// 履歴パディングの確認
static void s8_missing_history_repeats_the_oldest(void **state)
{
    (void)state;
    ctr_state s = start();
    float x[PLANES * 25 + GUARD];
    planes_of(&s, x);
    for (int group = 0; group < 4; group++)
        for (int k = 1; k < 8; k++) assert_memory_equal(x + group * 200, x + (group * 8 + k) * 25, 25 * sizeof *x);
    play(&s, "c1,c2 b3b"); // now the newest is one thing, the seven others the start, seen from player 2
    planes_of(&s, x);
    assert_true(memcmp(x + 8 * 25, x + 9 * 25, 25 * sizeof *x) != 0);
    for (int k = 2; k < 8; k++) assert_memory_equal(x + 9 * 25, x + (8 + k) * 25, 25 * sizeof *x);
    assert_true(x[16 * 25 + 24 - 11] == 1 && x[17 * 25 + 24 - 11] == 0); // b3 turned round; not black in the past
}

// 値の範囲の確認
static void s8_values_are_between_0_and_1(void **state)
{
    (void)state;
    for (uint64_t game_no = 0; game_no < 20; game_no++) {
        ctr_state s = start();
        rng r = rng_at(8, game_no, 0);
        move_t moves[CTR_MAX_LEGAL];
        for (int n; (n = g->legal(&s, moves)) > 0; g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL)) {
            float x[PLANES * 25 + GUARD];
            planes_of(&s, x);
            for (int i = 0; i < PLANES * 25; i++) assert_true(x[i] >= 0 && x[i] <= 1);
            for (int i = 32 * 25; i < 56 * 25; i++) assert_true(x[i] == 0);
            assert_true(x[56 * 25] == (float)CTR_HAND(&s.b, s.b.side, CTR_BLACK) / 3);
            assert_true(x[88 * 25] == (float)s.b.side);
            assert_true(x[89 * 25] == (float)s.ply / 150);
        }
    }
}

// --- 9. 履歴管理

// 履歴の初期化確認
static void s9_history_starts_empty(void **state)
{
    (void)state;
    ctr_state s = start();
    assert_int_equal(s.n_past, 0);
    assert_int_equal(s.quiet, 0);
    for (size_t i = 0; i < sizeof s.past / sizeof *s.past; i++) assert_int_equal(s.past[i], 0);
}

// ステップごとの更新確認
static void s9_each_step_updates_the_history(void **state)
{
    (void)state;
    ctr_state s = start();
    static const char *const line[] = {"c1,c2", "c5,c4", "b1,b2 a3b", "b5,b4"};
    for (int i = 0; i < 4; i++) {
        play(&s, line[i]);
        assert_int_equal(s.n_past, i + 1);
        assert_int_equal(s.past[i], id(line[i]));
    }
    assert_int_equal(s.quiet, 1); // since the tile
    ctr_board b = s.b;
    for (int i = 3; i >= 0; i--) b = ctr_unplay(&b, s.past[i]);
    ctr_board first = ctr_start();
    assert_memory_equal(&b, &first, sizeof b);
}

// 最大長8の維持確認
static void s9_history_shows_eight_positions(void **state)
{
    (void)state;
    ctr_state s = start();
    static const char *const line[] = {"c1,c2 a3b", "c5,c4", "b1,b2",     "b5,b4", "a1,a2",     "a5,a4",
                                       "d1,d2",     "d5,d4", "e1,e2 b3b", "e5,e4", "e2,e1 c3b", "e4,e5"};
    uint32_t pieces[13];
    pieces[0] = s.b.pieces[0];
    for (int i = 0; i < 12; i++) {
        play(&s, line[i]);
        pieces[i + 1] = s.b.pieces[0];
    }
    assert_int_equal(s.n_past, 7); // 7 moves lie between 8 positions; nothing older matters after a tile
    float x[PLANES * 25 + GUARD];
    planes_of(&s, x); // player 1 is to move: own pieces unturned, newest first
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 25; i++) assert_true(x[k * 25 + i] == (float)(pieces[12 - k] >> i & 1));
}

// --- 10. エッジケース

// 全駒ブロック状態の処理（合法手が0になることを確認）
static void s10_all_pieces_blocked(void **state)
{
    (void)state;
    move_t moves[CTR_MAX_LEGAL];
    ctr_state s = at(WALLED_IN);
    assert_int_equal(g->legal(&s, moves), 0);
    assert_false(ctr_can_move(&s.b));
    // A black tile under one piece opens diagonals, but they are walled off as well.
    s = at("...../...../...../22222/11111 c1b 2b1g/3b1g 1");
    assert_int_equal(g->legal(&s, moves), 0);
    // Free squares next to the pieces do not help those on the wrong tile.
    s = at("222../...../...../.2.2./11111 a1b,c1b,e1b 3b1g/0b1g 1");
    assert_int_equal(g->legal(&s, moves), 0);
    s = at("222../...../...../.2.2./11111 a1b,c1b,e1g 3b0g/1b1g 1"); // gray does
    assert_int_equal(reach(&s, "e1"), squares("e2"));
}

// ゲームリセット機能
static void s10_reset(void **state)
{
    (void)state;
    ctr_state s = start(), fresh = s;
    play(&s, "c1,c2 b3b");
    play(&s, "c5,c4 b2g");
    assert_ok(g->init(&s, "", (game_key){9, 9})); // the key plays no part: nothing is left to chance
    assert_memory_equal(&s, &fresh, sizeof s);
}

// プレイヤー切り替えマッピング
static void s10_the_board_turns_with_the_player(void **state)
{
    (void)state;
    // Player 2's view of a position is player 1's view of the turned position with the roles changed.
    ctr_state two = at("2222./....2/..1../...../11.11 c3b,d4g 2b1g/3b0g 2");
    ctr_state one = at("22.22/...../..2../1..../.1111 c3b,b2g 3b0g/2b1g 1");
    float a[PLANES * 25 + GUARD], b[PLANES * 25 + GUARD];
    planes_of(&two, a);
    planes_of(&one, b);
    assert_memory_equal(a, b, 88 * 25 * sizeof *a);
    assert_true(a[88 * 25] == 1 && b[88 * 25] == 0);
    // And a move has the same indices in both views.
    move_t m = (move_t)id("e4,e3 b3b"), turned = (move_t)id("a2,a3 d3b");
    assert_true(is_legal(&two, "e4,e3 b3b") && is_legal(&one, "a2,a3 d3b"));
    uint16_t i[2], k[2];
    g->heads(&two, &m, 1, i);
    g->heads(&one, &turned, 1, k);
    assert_int_equal(i[0], k[0]);
    assert_int_equal(i[1], k[1]);
    assert_int_equal(i[0], sq("a2") * 25 + sq("a3"));
    assert_int_equal(i[1], 1 + sq("d3"));
}

// --- 11. 複雑なシナリオ

// 完全なゲームシミュレーション
static void s11_a_whole_game(void **state)
{
    (void)state;
    ctr_state s = start();
    static const char *const line[] = {
        "c1,c2 d3b",                                // black on d3
        "a5,a4",     "c2,d2", "a4,a3 a2g", "d2,d3", // onto the black tile: from here only diagonally
        "e5,e4 c4b", "d3,c4",                       // a black tile of the opponent's
        "b5,b4",
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        play(&s, line[i]);
        assert_false(g->result(&s).over);
    }
    assert_int_equal(reach(&s, "c4"), squares("b3 d3 b5")); // d5 is held
    play(&s, "c4,b5");
    outcome o = g->result(&s);
    assert_true(o.over && o.score[0] == 1);
    assert_int_equal(o.reason, REASON_GOAL);
    assert_int_equal(s.ply, 9);
}

// プレイヤー交互切り替えの確認
static void s11_players_alternate(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        ctr_state s = start();
        rng r = rng_at(11, k, 0);
        move_t moves[CTR_MAX_LEGAL];
        int n;
        for (int ply = 0; (n = g->legal(&s, moves)) > 0; ply++) {
            assert_int_equal(g->seat(&s), ply % 2);
            step_event ev;
            g->play(&s, moves[rng_below(&r, (uint32_t)n)], &ev);
            assert_int_equal(ev.seat, ply % 2);
        }
    }
}

// タイル配置による移動変化の確認
static void s11_a_tile_changes_how_a_piece_moves(void **state)
{
    (void)state;
    ctr_state s = start();
    play(&s, "c1,c2 c3b");
    play(&s, "a5,a4");
    assert_int_equal(reach(&s, "c2"), squares("b2 d2 c3 c1")); // c2 is white, and only that counts
    play(&s, "c2,c3");
    play(&s, "a4,a5");
    assert_int_equal(reach(&s, "c3"), squares("b4 d4 b2 d2"));
    play(&s, "c3,d4");
    play(&s, "a5,a4");
    assert_int_equal(reach(&s, "d4"), squares("c4 e4 d3")); // white again
}

// アクション一貫性の確認
static void s11_actions_are_consistent(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        ctr_state a = start(), b = a;
        rng r = rng_at(111, k, 0);
        move_t moves[CTR_MAX_LEGAL], again[CTR_MAX_LEGAL], back;
        for (int n; (n = g->legal(&a, moves)) > 0;) {
            assert_int_equal(g->legal(&b, again), n); // the same question gives the same answer
            assert_memory_equal(moves, again, (size_t)n * sizeof *moves);
            move_t m = moves[rng_below(&r, (uint32_t)n)];
            char text[32];
            g->move_print(&a, m, text, sizeof text);
            assert_ok(g->move_parse(&b, text, &back));
            assert_int_equal(back, m);
            assert_int_equal(id(text), m);
            g->play(&a, m, NULL);
            g->play(&b, back, NULL);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s1_initial_placement),
        cmocka_unit_test(s1_initial_tiles_are_white),
        cmocka_unit_test(s1_hands_hold_three_black_one_gray),
        cmocka_unit_test(s1_player_one_moves_first),
        cmocka_unit_test(s1_game_is_running_at_the_start),
        cmocka_unit_test(s2_white_moves_straight),
        cmocka_unit_test(s2_black_moves_diagonally),
        cmocka_unit_test(s2_gray_moves_all_eight_ways),
        cmocka_unit_test(s2_an_opponent_blocks),
        cmocka_unit_test(s2_a_piece_jumps_its_own),
        cmocka_unit_test(s2_nothing_leaves_the_board),
        cmocka_unit_test(s2_the_opponents_pieces_do_not_obey),
        cmocka_unit_test(s2_a_piece_jumps_several_of_its_own),
        cmocka_unit_test(s3_placing_black),
        cmocka_unit_test(s3_placing_gray),
        cmocka_unit_test(s3_no_tile_on_the_destination),
        cmocka_unit_test(s3_no_tile_under_a_piece),
        cmocka_unit_test(s3_used_up_tiles_cannot_be_placed),
        cmocka_unit_test(s4_player_one_wins_on_the_top_row),
        cmocka_unit_test(s4_player_two_wins_on_the_bottom_row),
        cmocka_unit_test(s4_no_winner_and_the_game_goes_on),
        cmocka_unit_test(s45_no_legal_move_loses),
        cmocka_unit_test(s45_the_opponents_action_takes_the_last_move),
        cmocka_unit_test(s5_encode_an_action),
        cmocka_unit_test(s5_decode_an_action),
        cmocka_unit_test(s5_encode_and_decode_are_inverse),
        cmocka_unit_test(s5_action_numbers_are_in_range),
        cmocka_unit_test(s6_there_are_moves_at_the_start),
        cmocka_unit_test(s6_no_moves_when_the_game_is_over),
        cmocka_unit_test(s6_every_move_comes_without_a_tile_too),
        cmocka_unit_test(s6_every_legal_move_can_be_played),
        cmocka_unit_test(s7_a_copy_is_independent),
        cmocka_unit_test(s7_a_copy_is_exact),
        cmocka_unit_test(s8_the_tensor_is_90_by_5_by_5),
        cmocka_unit_test(the_originals_plane_88),
        cmocka_unit_test(the_present_alone),
        cmocka_unit_test(s8_values_are_float32),
        cmocka_unit_test(s8_missing_history_repeats_the_oldest),
        cmocka_unit_test(s8_values_are_between_0_and_1),
        cmocka_unit_test(s9_history_starts_empty),
        cmocka_unit_test(s9_each_step_updates_the_history),
        cmocka_unit_test(s9_history_shows_eight_positions),
        cmocka_unit_test(s10_all_pieces_blocked),
        cmocka_unit_test(s10_reset),
        cmocka_unit_test(s10_the_board_turns_with_the_player),
        cmocka_unit_test(s11_a_whole_game),
        cmocka_unit_test(s11_players_alternate),
        cmocka_unit_test(s11_a_tile_changes_how_a_piece_moves),
        cmocka_unit_test(s11_actions_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
