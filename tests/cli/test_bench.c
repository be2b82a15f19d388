// keiko bench as people run it: the same files on any number of threads, nothing lost by kill -9, clear errors.
#include "arena/tour.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/temp_dir.h"
#include "cli/program.h"

#include <signal.h>
#include <unistd.h>

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    // Dozens of short runs flush their files: in memory that costs nothing, and kill -9 is the same there.
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 1);
    if (temp_dir_make(dir) == NULL) return 1;
    snprintf(first_words, sizeof first_words, "D=%s; K=%s;", dir, KEIKO_PROGRAM); // $D is the folder, $K the program
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static char *content(const char *name, size_t *size)
{
    char path[256], *text;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(file_read(path, 1 << 26, &text, size));
    return text;
}

static bool file_exists_in(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return file_exists(path);
}

static void same_files(const char *a, const char *b)
{
    size_t na, nb;
    char *x = content(a, &na), *y = content(b, &nb);
    if (na != nb || memcmp(x, y, na) != 0) fail_msg("%s and %s differ", a, b);
    assert_true(na > 1000);
    free(x);
    free(y);
}

#define PLAYERS "-g othello -p 'random;greedy;d1=alphabeta:depth=1,hash=10' --opening-count 5 "

static void threads_change_no_byte(void **state)
{
    (void)state;
    static const char *const kinds[] = {"json", "csv", "sgf", "pgn"};
    for (int k = 0; k < 3; k++) {
        char args[512];
        int threads = k == 0 ? 1 : k == 1 ? 2 : 7;
        snprintf(args, sizeof args, "bench " PLAYERS "-n 41 --seed 5 --no-timing --lines -q -j %d -o $D/t%d/", threads,
                 threads);
        says(args, 0, "Ratings");
        for (int i = 0; i < 4; i++) {
            snprintf(args, sizeof args, "bench --export %s --input $D/t%d --no-timing -o $D/t%d/all.%s", kinds[i],
                     threads, threads, kinds[i]);
            says(args, 0, "");
        }
    }
    same_files("t1/results.json", "t2/results.json");
    same_files("t1/results.json", "t7/results.json");
    for (int i = 0; i < 4; i++) {
        char a[40], b[40], c[40];
        snprintf(a, sizeof a, "t1/all.%s", kinds[i]);
        snprintf(b, sizeof b, "t2/all.%s", kinds[i]);
        snprintf(c, sizeof c, "t7/all.%s", kinds[i]);
        same_files(a, b);
        same_files(a, c);
    }
}

// --- kill -9

static bool has_run(const char *out)
{
    char path[256];
    store *s;
    snprintf(path, sizeof path, "%s/%s/bench.db", dir, out);
    if (!file_exists(path) || store_open_file(&s, path, false) != ERR_OK) return false;
    bool any = store_runs(s) > 0;
    store_close(s);
    return any;
}

// Begins the run, or goes on with it.
static pid_t start(const char *out, const char *games)
{
    bool begun = has_run(out);
    pid_t pid = fork();
    if (pid == 0) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s/", dir, out);
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) _exit(99);
        // Nobody here needs Othello's weights: reading them would take most of the time under a sanitizer. `make soak` has both
        // an engine with weights and balanced openings.
        bool soak = soak_or(0, 1) == 1;
        execl(KEIKO_PROGRAM, "keiko", "bench", "-g", "othello", "-p",
              soak ? "random;greedy;d1=alphabeta:depth=1,hash=10" : "random;greedy;r2=random", "--openings",
              soak ? "auto" : "start", "--opening-count", "5", "-n", games, "--seed", "6", "--no-timing", "-j", "2",
              "-q", "-o", path, begun ? "--resume" : (char *)NULL, (char *)NULL);
        _exit(99);
    }
    return pid;
}

enum { GAMES = 60000 };

typedef struct kept {
    uint8_t halves[GAMES];
    uint64_t moves[GAMES];
    int n, gone, changed;
} kept;

static err compare_game(void *ctx, const match_record *r)
{
    kept *k = ctx;
    uint64_t hash = r->plies;
    for (int i = 0; i < r->plies; i++) hash = rng_mix(hash ^ r->moves[i]);
    assert_true(r->what.id < GAMES);
    if (k->halves[r->what.id] != 0 && (k->halves[r->what.id] != r->halves + 1 || k->moves[r->what.id] != hash))
        k->changed++;
    k->halves[r->what.id] = (uint8_t)(r->halves + 1);
    k->moves[r->what.id] = hash;
    k->n++;
    return ERR_OK;
}

// All games that were there before are there still, unchanged; returns how many there are now.
static int look(const char *out, kept *k)
{
    char path[256];
    store *s;
    int before = k->n;
    k->n = 0;
    snprintf(path, sizeof path, "%s/%s/bench.db", dir, out);
    if (!file_exists(path) || store_open_file(&s, path, false) != ERR_OK)
        return before; // killed before the first write
    if (store_runs(s) > 0) assert_ok(store_games(s, 1, compare_game, k));
    assert_true(store_runs(s) <= 1);
    store_close(s);
    assert_int_equal(k->changed, 0);
    if (k->n < before) fail_msg("%d games after kill -9, but %d were there before", k->n, before);
    return k->n;
}

static void kill_nine_loses_nothing(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    static kept k;
    int status, kills = 0, rounds = 1, partial = 0;
    double begun = clock_seconds();
    pid_t pid = start("whole", "200");
    assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    double whole = clock_seconds() - begun;
    rng r = rng_at(9, 9, 9);
    char out[16] = "torn1";
    const int wanted = soak_or(1, 3); // kills that fall into the play
    while (kills < soak_or(6, 20) || (partial < wanted && kills < 60)) {
        pid = start(out, "200");
        clock_sleep(whole * rng_unit(&r));
        kill(pid, SIGKILL);
        assert_true(waitpid(pid, &status, 0) == pid);
        if (WIFSIGNALED(status)) {
            kills++;
            int n = look(out, &k);
            partial += n > 0 && n < 600;
            continue;
        }
        assert_int_equal(WEXITSTATUS(status), 0); // faster than the kill: compare, and begin another run
        char json[40];
        snprintf(json, sizeof json, "%s/results.json", out);
        same_files("whole/results.json", json);
        snprintf(out, sizeof out, "torn%d", ++rounds);
        k = (kept){0};
    }
    pid = start(out, "200");
    assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(look(out, &k), 600);
    char json[40];
    snprintf(json, sizeof json, "%s/results.json", out);
    same_files("whole/results.json", json);
    assert_true(partial >= wanted);
}

static void ctrl_c_stops_cleanly(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    int status;
    static kept k;
    pid_t pid = start("stopped", "5000");
    for (int i = 0; i < 3000 && look("stopped", &k) == 0; i++) clock_sleep(0.01);
    kill(pid, SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    says("bench --export csv --input $D/stopped | head -1", 0, "id,playerA");
    says("bench --resume -o $D/stopped/ -n 30", 2, "the run began with");
}

// --- the rest of the seed's command line

static void config_players(void **state)
{
    (void)state;
    char path[256];
    static const char config[] =
        "{\"players\":[{\"id\":\"medium-baseline\",\"difficulty\":\"easy\"},{\"id\":\"medium-lmr\",\"difficulty\":"
        "\"easy\","
        "\"customParams\":{\"enableLMR\":false,\"lmrThreshold\":4,\"depth\":1,\"random\":0.5}}],"
        "\"gamesPerPair\":4,\"outputFormat\":\"csv\"}";
    snprintf(path, sizeof path, "%s/c.json", dir);
    assert_ok(file_write_atomic(path, config, sizeof config - 1));
    says("bench --config $D/c.json -o $D/cfg/", 0, "medium-lmr");
    size_t n;
    char *text = content("cfg/ratings.csv", &n);
    assert_non_null(strstr(text, "player,rating,games,wins,losses,draws,win_rate"));
    free(text);
    text = content("cfg/games.csv", &n);
    assert_non_null(strstr(text, "1,medium-baseline,medium-lmr,A,"));
    free(text);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\"players\":[", "line 1"},
        {"{\"player\":[]}", "players"},
        {"{\"players\":[{\"id\":\"x\",\"difficulty\":\"mean\"}]}", "players[0]"},
        {"{\"players\":[{\"id\":\"x\",\"difficulty\":\"easy\",\"customParams\":{\"dept\":3}}]}", "depth"},
        {"{\"players\":[{\"id\":\"x\"}]}", "difficulty or an agent"},
        {"{\"players\":[{\"difficulty\":\"easy\"}]}", "two players"},
        {"{\"gamesPerPair\":\"many\"}", "gamesPerPair"},
        {"{\"outputFormat\":\"xml\"}", "outputFormat must be one of json|csv"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_ok(file_write_atomic(path, bad[i].text, strlen(bad[i].text)));
        says("bench --config $D/c.json -o $D/bad/", 2, bad[i].says);
    }
    snprintf(path, sizeof path, "%s/bad", dir);
    assert_false(file_exists(path)); // nothing was begun
    says("bench --config $D/nowhere.json -o $D/bad/", 2, "nowhere.json");
    says("bench othello -p 'random;greedy' --openings $D/c.json -o $D/bad/", 2, "c.json, line 1: move 1");
    assert_false(file_exists(path));
    // Nothing listens on port 1.
    assert_int_not_equal(keiko("bench tictactoe -p 'random;greedy' -n 4 --nats nats://127.0.0.1:1 -o $D/far/"), 0);
    assert_false(file_exists_in("far"));
}

static void results_are_rated_compared_and_reported(void **state)
{
    (void)state;
    says("bench " PLAYERS "-n 30 --seed 1 -q -o $D/base.json", 0, "Ratings");
    says("bench " PLAYERS "-n 30 --seed 2 -q -o $D/next.json", 0, "Statistics");
    says("bench --calculate-only --input=$D/base.json", 0, "K=32");
    says("bench --calculate-only --input=$D/base.json --errors bootstrap --model davidson -v", 0, "row is stronger");
    says("bench --calculate-only --input=$D/base.db --anchor random=1000", 0, "1000");
    says("bench --compare --baseline=$D/base.json --target=$D/next.json", 0, "Rating Comparison:");
    assert_non_null(strstr(output, "Avg. think time"));
    assert_non_null(strstr(output, "Nodes/second"));
    assert_non_null(strstr(output, "wrongly"));
    said("All players are the same in both runs");
    says("bench --compare --baseline=$D/base.json", 2, "--target");
    says("bench --compare --baseline=$D/base.json --target=$D/none.json", 2, "none.json");
    // a player that became weaker fails the build
    says("bench -g othello -p 'random;x=alphabeta:depth=3,hash=10' -n 24 -q -o $D/strong.json", 0, "");
    says("bench -g othello -p 'random;x=random' -n 24 -q -o $D/weak.json", 0, "");
    says("bench --compare --baseline $D/strong.json --target $D/weak.json --unchanged random", 1, "weaker");
    says("bench --compare --baseline $D/weak.json --target $D/strong.json --unchanged random", 0, "stronger");
    says("report $D/base.db -o $D/report.html --template none", 0, "report.html");
    size_t n;
    char *html = content("report.html", &n);
    static const char *const parts[] = {"\"pairings\":[", "\"boards\":[", "\"convergence\":{", "\"fit\":{", "</html>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(html, parts[i]) == NULL) fail_msg("the report has no %s", parts[i]);
    assert_null(strstr(html, "src=")); // self-contained
    assert_null(strstr(html, "href="));
    free(html);
    says("report $D/base.json --format markdown -o -", 0, "| player");
    says("report $D/base.json --format markdown -o - --confidence 0.8 --model davidson --errors information", 0,
         "80 %");
    assert_non_null(strstr(output, "davidson"));
    says("report $D/base.json --format markdown -o - --anchor random=700 --prior 2", 0, " 700 ");
    says("report $D/base.json --model nonsense", 2, "davidson");
    says("bench --export sgf --input $D/base.db", 0, "GM[2]");
    says("bench --export pgn --input $D/base.db", 0, "[Result ");
    says("bench -g puyo -p 'random;greedy' -n 2 -q -o $D/puyo/", 0, "buried");
    says("bench --export sgf --input $D/puyo", 2, "pgn");
    says("bench " PLAYERS "-n 4 --repeat 3 -q -o $D/rep/", 0, "over 3 runs");
    assert_int_equal(keiko("bench -g tictactoe -p 'greedy;random' --sprt elo0=0,elo1=100 -v -o $D/sprt/ -j 4"), 0);
    said("Accepted");
    assert_null(strstr(output, "/40000")); // the most games allowed are no measure of progress
    const char *all = strstr(output, " games in "), *judged = strstr(output, " judged, ");
    if (judged != NULL) { // that games were in flight is likely, not certain
        said(" in flight not counted");
        while (all > output && all[-1] != '\n') all--;
        while (judged[-1] >= '0' && judged[-1] <= '9') judged--;
        assert_true(atoi(all) > atoi(judged));
    }
}

static void levels_play_by_default(void **state)
{
    (void)state;
    static const char *const names[] = {"beginner", "easy", "medium", "hard", "expert"};
    says("bench -g contrast -n 2 --schedule neighbours --max-plies 4 --openings start -q -o $D/levels/", 0, "Ratings");
    for (int i = 0; i < 4; i++) said(names[i]);
    assert_null(strstr(output, "expert")); // the four of a bare run
    keiko(
        "bench --levels contrast -n 2 --max-plies 4 --openings start -q -o $D/levels5/"); // the gaps decide its status
    for (int i = 0; i < 5; i++) said(names[i]);
}

static void an_odd_game_is_told(void **state)
{
    (void)state;
    says("bench -g othello -p 'random;greedy' -n 3 -o $D/odd/", 0, "note: 3 games per pairing is odd");
    says("bench othello -p 'random;greedy' -n 4 -o $D/odd/", 0, "Ratings"); // an argument is --game
    says("bench --export sgf --input $D/odd/", 0, "GM[2]");
    assert_null(strstr(output, "is odd"));
}

static void few_openings_are_told(void **state)
{
    (void)state;
    says("bench freestyle -p 'random;greedy' -n 100 -o $D/few/", 0,
         "note: 41 openings, so two players without chance in them can play 82 different games; repeats are not "
         "counted. For more games give a file with more lines (--openings FILE)");
    says("bench freestyle -p 'random;greedy' -n 82 -o $D/few/", 0, "Ratings");
    assert_null(strstr(output, "different games"));
    says("bench othello -p 'random;greedy' -n 4 --openings start -o $D/few/", 0, "leave --openings start out");
    says("bench othello -p 'random;greedy' -n 8 --opening-count 3 -o $D/few/", 0, "raise --opening-count");
    says("bench puyo -p 'random;greedy' -n 8 --max-plies 9 -o $D/few/", 0, "Ratings");
    assert_null(strstr(output, "different games")); // its own chance makes them different
    says("bench othello -p 'a=alphabeta:depth=1;b=alphabeta:depth=2' -n 8 --opening-count 1 -o $D/few/", 0,
         "6 of 8 games repeat earlier ones");
    says("status $D/few/", 0, "complete, 8 of 8 games");
}

static void equal_players_are_told(void **state)
{
    (void)state;
    says("bench -g othello -p 'a=mcts:sims=2;b=mcts:sims=2,c=1;c=mcts:sims=2,reuse=yes' -n 2 -o $D/twins/", 0,
         "'a' and 'c' are the same player");
    assert_null(strstr(output, "'b'"));
    says("bench -g othello -p 'random;r2=random' -n 2 -q -o $D/twins/", 0, "Ratings");
    assert_null(strstr(output, "same player"));
}

static void wrong_words_are_answered(void **state)
{
    (void)state;
    says("bench -p 'nobody;easy' -o $D/x/", 2, "nobody");
    says("bench -p 'easy:dept=3;easy' -o $D/x/", 2, "depth");
    says("bench -p easy -o $D/x/", 2, "two players");
    says("bench -g puyo-solo -o $D/x/", 2, "puyo-solo has no levels; say who plays: --players");
    says("bench -g chess -o $D/x/", 2, "chess");
    says("bench chess -o $D/x/", 2, "chess");
    says("bench othello -g renju -o $D/x/", 2, "two games are named, othello and --game renju; give one");
    says("bench othello --export sgf", 2, "--export plays nothing, so --game");
    says("bench -g puyo-solo -p 'random;greedy' -o $D/x/", 2, "one seat");
    says("bench --sprt elo0=0,elo1=30 -o $D/x/", 2, "two players");
    says("bench -p easy,hard --sprt elo0=30,elo1=0 -o $D/x/", 2, "--sprt");
    says("bench -p easy,hard --openings nice -o $D/x/", 2, "auto|balanced|named|start");
    says("bench -p easy,hard --adjudicate 10 -n 2 -o $D/x/", 2, "no exact solver");
    says("bench -p easy,medium,hard --schedule pair -o $D/x/", 2, "two players");
    says("bench --levels puyo-solo -o $D/x/", 2, "no levels");
    says("bench --calculate-only", 2, "--input");
    says("bench -g othello -p 'random;greedy' -n 4 --export sgf", 2, "--export plays nothing, so --game");
    says("bench --calculate-only --input $D/base.json --sprt elo1=10", 2, "--sprt has no meaning");
    says("bench --input $D/base.json --resume", 2, "--resume has no meaning");
    says("bench --export csv --calculate-only --input $D/base.json", 2, "give one");
    says("bench --input /no/such/run", 2, "/no/such/run");
    says("bench -g tictactoe -p 'random;greedy' -n 2 -q --format csv -o $D/csv/", 0, "");
    says("bench --calculate-only --input $D/csv/games.csv", 2,
         "games.csv holds no results of a bench: give the JSON or the store that keiko bench wrote");
    says("bench -p easy,hard -n 2 -o /proc/nowhere/", 2, "/proc/nowhere");
    says("bench --resume --no-store -p easy,hard", 2, "--no-store");
}

static void wrong_stores_are_answered(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    says("bench --resume -o $D/none/", 2, "holds no run to resume; leave --resume out to begin one");
    char path[256];
    snprintf(path, sizeof path, "%s/none", dir);
    assert_false(file_exists(path));
    says("bench -g othello -p 'random;greedy' -n 4 -q -o $D/mine/", 0, "");
    snprintf(path, sizeof path, "%s/mine/bench.db", dir);
    assert_ok(file_write_atomic(path, "no database at all, just a text that somebody put here by mistake ......", 70));
    says("bench -g othello -p 'random;greedy' -n 4 -q -o $D/mine/", 2, "no keiko store");
    says("bench --export json --input $D/mine/", 2, "no keiko store");
}

// A small tmpfs, where we may mount one.
static void a_full_disk_is_told(void **state)
{
    (void)state;
    char path[256], order[600];
    snprintf(path, sizeof path, "%s/small", dir);
    assert_ok(file_make_dirs(path));
    snprintf(order, sizeof order, "mount -t tmpfs -o size=400k tmpfs %s 2>/dev/null", path);
    if (!store_has_files() || system(order) != 0) {
        skip_because("no tmpfs can be mounted here");
    }
    int got = keiko("bench -g othello -p 'random;greedy' -n 20000 --openings start -q -o $D/small/run/");
    char said[2048];
    snprintf(said, sizeof said, "%.2000s", output);
    snprintf(order, sizeof order, "mount -o remount,size=64m %s", path);
    int grown = system(order);
    int count = keiko("bench --export csv --input $D/small/run | wc -l") == 0 ? atoi(output) - 1 : 0;
    int resumed = keiko("bench --resume -q -o $D/small/run/");
    snprintf(order, sizeof order, "umount %s", path);
    assert_int_equal(system(order), 0);
    assert_int_equal(grown, 0);
    assert_int_equal(got, 2);
    if (strstr(said, "--resume") == NULL) fail_msg("a full disk was answered with: %s", said);
    assert_in_range(count, 1, 19999);
    assert_int_equal(resumed, 0);
}

// Saying one thing of a run again is not asking for the defaults of all others.
static void resume_takes_its_own_options(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    says("bench -g tictactoe -p 'random;greedy' --games=40 -q -o $D/own/", 0, "Ratings");
    says("bench --resume --games=40 -o $D/own/", 0, "is complete");
    says("bench --resume --games=40 --players 'random;greedy' -o $D/own/", 0, "is complete");
    says("bench --resume --games=42 -o $D/own/", 2, "began with games '40', not '42'");
    says("bench --resume --players 'random;expert' -o $D/own/", 2, "began with player 'greedy'");
}

static void a_missing_engine_plays_no_game(void **state)
{
    (void)state;
    says("bench -g tictactoe -p 'random;e=engine:gtp=/no/such/engine' -n 4 -o $D/missing/", 2,
         "there is no program '/no/such/engine'");
    assert_false(file_exists_in("missing/bench.db"));
    says("bench -g tictactoe -p 'random;e=engine:gtp=\"/no/such dir/engine -x\"' -n 4 -o $D/missing/", 2,
         "there is no program '/no/such'");
}

// The program is there, but what it should run is not: it ends before it has said anything. That is no lost game.
static void an_engine_that_never_answers_stops_the_bench(void **state)
{
    (void)state;
    says("bench -g tictactoe -p 'random;e=engine:gtp=\"sh /no/such/script\"' -n 4 -o $D/dead/", 2,
         "engine 'sh /no/such/script' ended before its first answer");
    // One that has answered and then ends loses its games.
    says("bench -g tictactoe -p 'random;e=engine:gtp=\"read a; echo =; echo\"' -n 4 -o $D/ends/", 0, "Ratings");
}

static void strange_files_stay(void **state)
{
    (void)state;
    says("games >/dev/null; echo precious > $D/precious.json; $K bench -g tictactoe -p 'random;greedy' -n 2 -o "
         "$D/precious.json",
         2, "precious.json holds something else");
    char *text = content("precious.json", NULL);
    assert_string_equal(text, "precious\n");
    free(text);
}

// A report shows the ratings that the bench computed.
static void a_report_keeps_the_anchor(void **state)
{
    (void)state;
    // A wrong anchor is known before the games: no folder is left.
    says("bench -g tictactoe -p 'random;greedy' -n 20 --anchor nobody=1000 -o $D/anchor/", 2,
         "there is no such player");
    assert_null(strstr(output, "games in"));
    says("bench -g tictactoe -p 'random;greedy' -n 20 --anchor random -o $D/anchor/", 2, "expected NAME=RATING");
    says("status $D/anchor", 2, "");
    says("bench -g tictactoe -p 'random;greedy' -n 20 --anchor random=1000 -q -o $D/anchor/", 0, "Ratings");
    says("report $D/anchor --format markdown -o -", 0, "| random | 1000 |");
    says("report $D/anchor/results.json --format markdown -o -", 0, "| random | 1000 |");
    says("report $D/anchor --format markdown --anchor random=700 -o -", 0, "| random | 700 |");
    says("status $D/anchor", 0, "tictactoe (bench) complete, 20 of 20 games");
    says("status $D/anchor --json", 0, "\"playing\": false");
}

static void names_are_escaped_in_reports(void **state)
{
    (void)state;
    static const char config[] = "{\"players\":[{\"id\":\"a|b<img src=x>\",\"agent\":\"random\"},"
                                 "{\"id\":\"c`d` _e_\",\"agent\":\"greedy\"}]}";
    char path[128];
    snprintf(path, sizeof path, "%s/names.json", dir);
    assert_ok(file_write_atomic(path, config, strlen(config)));
    says("bench -g tictactoe --config $D/names.json -n 2 -q -o $D/names/", 0, "Ratings");
    says("report $D/names --format markdown -o -", 0, "| a\\|b&lt;img src=x&gt; |");
    said("| c\\`d\\` \\_e\\_ |");
    assert_null(strstr(output, "<img"));
    says("report $D/names -o - --template none", 0, "a|b\\u003cimg src=x>");
    assert_null(strstr(output, "<img"));
}

static void tables_fit_a_terminal(void **state)
{
    (void)state;
    says("bench -g othello -p 'alphabeta:depth=1;alphabeta:depth=2' -n 4 -o $D/wide/", 0, "CPU ms/move");
    assert_null(strstr(output, " a second"));
    const char *p = strstr(output, "\nStatistics\n");
    assert_non_null(p);
    for (p++; *p && strncmp(p, "  Ends", 6) != 0; p += strcspn(p, "\n") + 1) {
        size_t n = strcspn(p, "\n");
        if (n > 80) fail_msg("%zu columns: %.*s", n, (int)n, p);
    }
}

// An engine's CPU time is that of its processes; a slow run is told in seconds per game.
static void cpu_time_of_engines(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/slow.sh", dir);
    static const char script[] = "#!/bin/sh\n"
                                 "while read x; do case $x in\n"
                                 "genmove*) sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; sleep 0.2\n"
                                 " echo '= resign'; echo;;\n"
                                 "*) echo '='; echo;; esac; done\n";
    assert_ok(file_write_atomic(path, script, strlen(script)));
    says(
        "games > /dev/null; chmod +x $D/slow.sh; $K bench -g tictactoe -p 'random;e=engine:gtp='$D'/slow.sh' -n 4 -j 2 "
        "-o $D/cpu/",
        0, "per game)");
    char *text = content("cpu/results.json", NULL), *at = strstr(text, "\"e\": {");
    assert_non_null(at);
    double think = atof(strstr(at, "\"thinkMs\": ") + 11), cpu = atof(strstr(at, "\"cpuMs\": ") + 9);
    if (!(cpu > 5 && cpu < think - 100)) fail_msg("CPU %g ms of %g ms per move", cpu, think);
    free(text);
}

// Whatever an engine says, no control character of it reaches the record.
static void words_of_engines_are_made_safe(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/rude.sh", dir);
    static const char script[] = "#!/bin/sh\n"
                                 "while read x; do case $x in genmove*) printf '= \\033[2J\\033]0;mine\\007\\n\\n';;\n"
                                 "*) echo '='; echo;; esac; done\n";
    assert_ok(file_write_atomic(path, script, strlen(script)));
    says(
        "games > /dev/null; chmod +x $D/rude.sh; $K bench -g tictactoe -p 'random;e=engine:gtp='$D'/rude.sh' -n 2 -q -o "
        "$D/rude/",
        0, "by failing");
    static const char *const kinds[] = {"json", "csv", "pgn"};
    for (int i = 0; i < 3; i++) {
        char args[80];
        snprintf(args, sizeof args, "bench --export %s --input $D/rude/", kinds[i]);
        says(args, 0, "^[[2J");
        for (const char *p = output; *p; p++)
            if ((unsigned char)*p < ' ' && *p != '\n' && *p != '\r') fail_msg("%s has a byte %d", kinds[i], *p);
        assert_null(strstr(output, "\\u001b"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(kill_nine_loses_nothing),
        cmocka_unit_test(ctrl_c_stops_cleanly),
        cmocka_unit_test(config_players),
        cmocka_unit_test(results_are_rated_compared_and_reported),
        cmocka_unit_test(levels_play_by_default),
        cmocka_unit_test(an_odd_game_is_told),
        cmocka_unit_test(few_openings_are_told),
        cmocka_unit_test(equal_players_are_told),
        cmocka_unit_test(wrong_words_are_answered),
        cmocka_unit_test(wrong_stores_are_answered),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(resume_takes_its_own_options),
        cmocka_unit_test(a_missing_engine_plays_no_game),
        cmocka_unit_test(an_engine_that_never_answers_stops_the_bench),
        cmocka_unit_test(strange_files_stay),
        cmocka_unit_test(a_report_keeps_the_anchor),
        cmocka_unit_test(names_are_escaped_in_reports),
        cmocka_unit_test(tables_fit_a_terminal),
        cmocka_unit_test(cpu_time_of_engines),
        cmocka_unit_test(words_of_engines_are_made_safe),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
