// The option parser: every way to write a value, every kind of mistake, and the texts that come from the same tables.
#include "base/opt_demo.h"
#include "base/opt_table.h"
#include "base/text.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

static const command *cmd;
static opt_values *values;

// Splits at '|' so that words may hold blanks: "demo|train|othello".
static err parse(const char *line)
{
    static char copy[512];
    static char *argv[64];
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *p = copy; p != NULL;) {
        argv[argc++] = p;
        p = strchr(p, '|');
        if (p != NULL) *p++ = 0;
    }
    opt_free(values);
    values = NULL;
    return opt_parse(&demo_program, argc, argv, &cmd, &values);
}

static const demo_train *train(const char *line)
{
    assert_ok(parse(line));
    assert_ptr_equal(cmd, &demo_train_command);
    return opt_struct(values);
}

static int teardown(void **state)
{
    (void)state;
    opt_free(values);
    values = NULL;
    return 0;
}

static void values_in_every_form(void **state)
{
    (void)state;
    const demo_train *t = train("demo|train|othello|--run|a b|--threads=4|--learning-rate|0.5|--resume");
    assert_string_equal(t->game, "othello");
    assert_string_equal(t->run, "a b");
    assert_int_equal(t->threads, 4);
    assert_true(t->rate == 0.5 && t->resume);
    assert_string_equal(t->backend, "auto");
    assert_string_equal(t->common.color, "auto");
    assert_null(t->note);
    assert_false(t->common.quiet);
    assert_true(t->common.progress);

    t = train("demo|-q|train|-r|x|-t8|othello|--no-progress|--colour=never|--player1=random");
    assert_true(t->common.quiet && !t->common.progress && t->threads == 8);
    assert_string_equal(t->common.color, "never");
    assert_string_equal(t->first, "random");
    assert_true(opt_given(values, "first") && opt_given(values, "GAME") && !opt_given(values, "steps"));
    assert_ptr_equal(opt_values_of(t), values);

    t = train("demo|train|-qt=3|othello|--run=x|--no-resume|--learning_rate=1|--note=|--thr|5");
    assert_true(t->common.quiet && t->threads == 5 && !t->resume && t->rate == 1.0);
    assert_string_equal(t->note, "");
    t = train("demo|--color|always|train|--run|x|--|--odd");
    assert_string_equal(t->game, "--odd");
    t = train("demo|train|---------|--run|x|--progress=off");
    assert_string_equal(t->game, "---------");
    assert_false(t->common.progress);
    t = train("demo|train|g|--run|x|--note|--X--|--note|-5");
    assert_string_equal(t->note, "-5");
    t = train("demo|train|g|--run|x|--note|-z"); // no letter of this command: a value like any other
    assert_string_equal(t->note, "-z");
    t = train("demo|train|g|--run|x|--note|-qx");
    assert_string_equal(t->note, "-qx");
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},           {"250k", 250000},
                {"1e6", 1000000},   {"2.5k", 2500},
                {"2.3k", 2300},     {"3M", 3000000},
                {"2G", 2000000000}, {"0xff", 255},
                {"+7", 7},          {"999999999999999999", 999999999999999999}};
    char line[128];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(line, sizeof line, "demo|train|g|--run|x|--steps|%s", good[i].text);
        assert_int_equal(train(line)->steps, good[i].value);
    }
    static const char *const bad[] = {"",   "x",  "1x",   "0x",  "1.5", "-1",  "1e400", "1e",   "k",
                                      " 1", "1 ", "0x1g", "nan", "inf", "1kk", "--1",   "1e-3", "2e19"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "demo|train|g|--run|x|--steps=%s", bad[i]);
        assert_err(parse(line), "--steps must be a whole number at least 0, not '");
    }
    assert_ok(parse("demo|nn|check|obf|-o|-10"));
    assert_int_equal(((const demo_files *)opt_struct(values))->offset, -10);
    assert_err(parse("demo|train|g|--run|x|--steps|9223372036854775808"),
               "at least 0 and at most 9223372036854775807, not '9223372036854775808'");
    assert_err(parse("demo|train|g|--run|x|--threads|65"), "--threads must be a whole number from 1 to 64, not '65'");
    assert_err(parse("demo|train|g|--run|x|--learning-rate|1.01"), "must be a number from 0 to 1, not '1.01'");
    assert_err(parse("demo|train|g|--run|x|--learning-rate|nan"), "must be a number");
    assert_err(parse("demo|train|g|--run|x|--learning-rate|0,1"), "must be a number");
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    assert_err(parse("demo|train|g|--run|x|--thraeds|4"), "unknown option --thraeds; did you mean --threads?");
    assert_err(parse("demo|train|g|--run|x|--plaeyr1|y"), "did you mean --player1?"); // a synonym
    assert_ptr_equal(cmd, &demo_train_command);
    assert_null(values);
    assert_err(parse("demo|train|g|--r|x"), "ambiguous; did you mean --run or --resume?");
    assert_err(parse("demo|train|g|--run|x|--zzz"), "'demo train --help' lists them");
    assert_err(parse("demo|train|g|--run|x|-z"), "unknown option -z");
    assert_err(parse("demo|train|g|--run|x|-threads|4"), "did you mean --threads?");
    assert_err(parse("demo|train|g|--run|x|--backend|cpuu"),
               "--backend must be auto, cpu or cuda, not 'cpuu'; did you mean cpu?");
    assert_err(parse("demo|train|g|--run"), "--run needs a value: --run DIR (the run's folder");
    assert_err(parse("demo|train|g|--note|--run|x"), "--note needs a value");
    assert_err(parse("demo|train|g|--note|-r|x"), "--note needs a value");       // a letter of the command
    assert_err(parse("demo|train|g|--note|-q|--run|x"), "--note needs a value"); // of every command
    assert_err(parse("demo|train|g|--note|--no-resume|--run|x"), "--note needs a value");
    assert_err(parse("demo|train|g|--run|"), "--run must name a folder");
    assert_err(parse("demo|train|g"), "'demo train' needs --run DIR");
    assert_err(parse("demo|train|--run|x"),
               "GAME is missing (the game to learn); usage: demo train GAME --run DIR [options]");
    assert_err(parse("demo|train|g|h|--run|x"), "unexpected argument 'h'; usage: demo train GAME");
    assert_err(parse("demo|nn|info|x"), "takes none");
    assert_err(parse("demo|train|g|--run|x|--no-threads"), "takes a value, so it has no --no- form");
    assert_err(parse("demo|train|g|--run|x|--resume=maybe"), "--resume must be yes or no, not 'maybe'");
    assert_err(parse("demo|train|g|--run|x|--no-resume=yes"), "takes no value");
    assert_err(parse("demo|tarin|g"), "unknown command 'tarin'; did you mean train?");
    assert_err(parse("demo|zzzzzz"), "'demo help' lists them");
    assert_err(parse("demo|nn"), "'demo nn' needs one more word: check, info");
    assert_err(parse("demo|nn|chekc"), "did you mean check?");
    assert_err(parse("demo|--threads|4|train|g"), "belongs to 'demo train' and stands after it");
    assert_err(parse("demo|nn|check|pgn"), "KIND must be obf or sgf, not 'pgn'");
    assert_err(parse("demo|help|tarin"), "did you mean train?");
}

static void lists_and_two_words(void **state)
{
    (void)state;
    assert_ok(parse("demo|nn|check|sgf|a|--offset|3|b|--|-c"));
    assert_ptr_equal(cmd, &demo_check_command);
    const demo_files *f = opt_struct(values);
    assert_int_equal(f->files.n, 3);
    assert_string_equal(f->files.items[0], "a");
    assert_string_equal(f->files.items[2], "-c");
    assert_int_equal(f->offset, 3);
    assert_ok(parse("demo|nn|check|sgf|-"));
    f = opt_struct(values);
    assert_int_equal(f->files.n, 1);
    assert_string_equal(f->files.items[0], "-");
    assert_ok(parse("demo|nn|check|obf"));
    assert_int_equal(((const demo_files *)opt_struct(values))->files.n, 0);
}

static void help_is_always_given(void **state)
{
    (void)state;
    static const char *const overview[] = {"demo",           "demo|--help",  "demo|-h",          "demo|help",
                                           "demo|nn|--help", "demo|help|nn", "demo|bogus|--help"};
    for (size_t i = 0; i < sizeof overview / sizeof *overview; i++) {
        assert_ok(parse(overview[i]));
        assert_null(cmd);
        assert_true(opt_wants_help(values));
    }
    static const char *const one[] = {"demo|train|--help", "demo|help|train", "demo|train|--bogus|-h", "demo|-h|train",
                                      "demo|help|train|--color=never"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        assert_ok(parse(one[i]));
        assert_ptr_equal(cmd, &demo_train_command);
        assert_true(opt_wants_help(values));
    }
    assert_string_equal(((const demo_common *)opt_struct(values))->color, "never");
    assert_ok(parse("demo|help|nn|check"));
    assert_ptr_equal(cmd, &demo_check_command);
    assert_ok(parse("demo|--version"));
    assert_true(opt_wants_version(values) && !opt_wants_help(values));
    assert_null(cmd);
    assert_ok(parse("demo|-V|--color|never"));
    assert_string_equal(((const demo_common *)opt_struct(values))->color, "never");
}

// --- keys

static void pairs(void **state)
{
    (void)state;
    demo_train t = {0};
    opt_values *keep = opt_keep();
    assert_ok(opt_defaults(demo_train_opts, demo_train_command.n_opts, &t));
    int n = demo_train_command.n_opts;
    assert_int_equal(t.threads, 2);
    assert_ok(opt_pairs(demo_train_opts, n, &t, "", "agent", keep));
    assert_ok(
        opt_pairs(demo_train_opts, n, &t, "threads=8,note='a,b',learning_rate=0.25,resume,run=\"x=y\"", "agent", keep));
    assert_int_equal(t.threads, 8);
    assert_string_equal(t.note, "a,b");
    assert_string_equal(t.run, "x=y");
    assert_true(t.rate == 0.25 && t.resume);
    assert_err(opt_pairs(demo_train_opts, n, &t, "thread=1", "agent zero", keep),
               "agent zero: unknown key 'thread'; did you mean threads?");
    assert_err(opt_pairs(demo_train_opts, n, &t, "xyzzy=1", "", keep), "unknown key 'xyzzy'; there are: run, resume");
    assert_err(opt_pairs(demo_train_opts, n, &t, "threads=0", "agent", keep), "agent: threads must be a whole number");
    assert_err(opt_pairs(demo_train_opts, n, &t, "threads", "agent", keep), "threads needs a value: threads=...");
    assert_err(opt_pairs(demo_train_opts, n, &t, "threads=1,", "agent", keep), "after the comma");
    assert_err(opt_pairs(demo_train_opts, n, &t, "=1", "agent", keep), "agent: column 1");
    assert_err(opt_pairs(demo_train_opts, n, &t, "note='ab", "agent", keep), "no end");
    assert_err(opt_pairs(demo_train_opts, n, &t, "note='a'b", "agent", keep), "no end");
    assert_ok(opt_pairs(demo_train_opts, n, &t, "note='it''s',run=\"\"\"\"", "agent", keep)); // a quote inside, doubled
    assert_string_equal(t.note, "it's");
    assert_string_equal(t.run, "\"");
    assert_err(opt_pairs(demo_train_opts, n, &t, "note='a''", "agent", keep), "no end");
    assert_err(opt_pairs(demo_train_opts, n, &t, "note='", "agent", keep), "no end");
    static const char *const kept[] = {"plain", "", "o'brien", "'", "''", "a,b;c", "\"x\"", "both ' and \"", "a=b"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) { // what is written is read back
        text_buf text = {0};
        text_append(&text, "note=");
        opt_pair_value(&text, kept[i]);
        text_append(&text, ",threads=3");
        assert_ok(opt_pairs(demo_train_opts, n, &t, text_str(&text), "agent", keep));
        assert_string_equal(t.note, kept[i]);
        if (i == 0) assert_string_equal(text_str(&text), "note=plain,threads=3");
        text_free(&text);
    }
    int64_t sims = 0;
    const opt table[] = {{.name = "sims", .kind = OPT_INT}};
    assert_ok(opt_pairs(table, 1, &sims, "sims=400", "mcts", NULL));
    assert_int_equal(sims, 400);
    opt_free(keep);
    const opt wrong[] = {{.name = "sims", .kind = OPT_INT, .preset = "many"}};
    assert_err(opt_defaults(wrong, 1, &sims), "default of sims");
}

static err config(const char *text)
{
    assert_ok(parse("demo|train|g|--run|x|--threads|3"));
    return opt_config_text(NULL, 0, NULL, "a.conf", text, strlen(text), values);
}

static void config_files(void **state)
{
    (void)state;
    assert_ok(config("\xef\xbb\xbf# a comment\r\n\r\n  learning_rate =0.5 # half\r\nnote = \"a # b\"  # c\nresume=yes\n"
                     "threads = 9\nquiet = on\nsteps = 1e3"));
    const demo_train *t = opt_struct(values);
    assert_true(t->rate == 0.5 && t->resume && t->steps == 1000 && t->common.quiet);
    assert_string_equal(t->note, "a # b");
    assert_int_equal(t->threads, 3); // the command line wins
    assert_true(opt_given(values, "learning-rate"));
    assert_ok(config("note ="));
    assert_string_equal(((const demo_train *)opt_struct(values))->note, "");
    assert_ok(config("note = a#b"));
    assert_string_equal(((const demo_train *)opt_struct(values))->note, "a#b");

    assert_err(config("\nthread = 1"), "a.conf:2: unknown key 'thread'; did you mean threads?");
    assert_err(config("threads = 99"), "a.conf:1: threads must be a whole number from 1 to 64"); // checked all the same
    assert_err(config("steps = 1\n\nsteps = 2"), "a.conf:3: 'steps' was already set in line 1");
    assert_err(config("steps"), "a.conf:1: expected key = value");
    assert_err(config("= 3"), "expected key = value");
    assert_err(config("[section]"), "expected key = value");
    assert_err(config("note = \"abc"), "quote that does not end");
    assert_err(config("note = \"abc\" d"), "nothing but a comment");
    assert_err(opt_config_text(NULL, 0, NULL, "b", "a\0b = 1", 7, values), "b:1: a zero byte");
    assert_err(opt_config_file(NULL, 0, NULL, "/no/such/file.conf", values), "/no/such/file.conf");

    char path[] = "/tmp/keiko_opt_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "steps = 12\n", 11) == 11);
    close(fd);
    struct {
        int64_t steps;
    } into = {0};
    const opt table[] = {{.name = "steps", .kind = OPT_INT}};
    assert_ok(opt_config_file(table, 1, &into, path, NULL));
    assert_int_equal(into.steps, 12);
    unlink(path);
}

static void nearest(void **state)
{
    (void)state;
    static const char *const known[] = {"play", "train", "status", "report", "bench"};
    assert_string_equal(opt_nearest("paly", known, 5), "play");
    assert_string_equal(opt_nearest("stauts", known, 5), "status");
    assert_string_equal(opt_nearest("benchmark", known, 5), "bench");
    assert_string_equal(opt_nearest("rep", known, 5), "report");
    assert_null(opt_nearest("xyzzy", known, 5));
    assert_null(opt_nearest("", known, 5));
    assert_null(opt_nearest("x", known, 5));
}

// --- texts from the tables

static char *captured(void (*print)(FILE *, const void *), const void *ctx)
{
    char *data = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&data, &size);
    print(f, ctx);
    fclose(f);
    return data;
}

static int help_width;

static void print_help(FILE *f, const void *c)
{
    opt_help(&demo_program, c, NULL, f, help_width, false);
}

static void print_man(FILE *f, const void *c)
{
    (void)c;
    opt_man(&demo_program, f);
}

static void help_text(void **state)
{
    (void)state;
    for (help_width = 40; help_width <= 120; help_width += 40) {
        char *text = captured(print_help, &demo_train_command);
        static const char *const parts[] = {"Usage:\n  demo train GAME --run DIR [options]",
                                            "Arguments:\n  GAME",
                                            "-r, --run DIR",
                                            "Work:\n",
                                            "--[no-]progress",
                                            "-h, --help",
                                            "Examples:",
                                            "  threads = 4\n"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strstr(text, parts[i]) == NULL)
                fail_msg("help at width %d lacks '%s':\n%s", help_width, parts[i], text);
        assert_null(strchr(text, '\x1b'));
        int limit = help_width > 100 ? 100 : help_width;
        for (const char *p = text; *p;) {
            size_t n = strcspn(p, "\n");
            if (text_columns(p, n) > limit) fail_msg("too wide for %d: %.*s", limit, (int)n, p);
            p += n + (p[n] == '\n');
        }
        free(text);
    }
    help_width = 40; // the shell joins the lines again; quoted words stay together
    char *narrow = captured(print_help, &demo_train_command);
    assert_non_null(strstr(narrow, "  demo train othello --run runs/a \\\n      --resume\n"));
    assert_non_null(strstr(narrow, "  demo train renju --run r --note \\\n      'of two words'\n"));
    free(narrow);
    help_width = 100;
    char *text = captured(print_help, &demo_train_command);
    assert_non_null(strstr(text, "threads to use (1 to 64; default: 2)"));
    assert_non_null(strstr(text, "where to compute (auto, cpu or cuda; default: auto)"));
    assert_non_null(strstr(text, "(at least 0)"));
    assert_non_null(strstr(text, "also --player1"));
    free(text);
    text = captured(print_help, NULL);
    assert_non_null(strstr(text, "demo 1.2.3 - a program to test with"));
    assert_non_null(strstr(text, "  nn check  check files\n"));
    free(text);
    FILE *f = tmpfile();
    opt_help(&demo_program, &demo_train_command, NULL, f, 80, true);
    assert_true(ftell(f) > 500);
    fclose(f);
}

// Runs a shell command with the file's path in $F; returns its exit status and, in `out`, what it printed.
static int shell(const char *line, const char *path, char *out, size_t n)
{
    setenv("F", path, 1);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    size_t k = fread(out, 1, n - 1, f);
    out[k] = 0;
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool have(const char *tool)
{
    char line[128], out[256];
    snprintf(line, sizeof line, "command -v %s", tool);
    return shell(line, "", out, sizeof out) == 0;
}

static void write_temp(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

// The manual page in a temporary file. The caller removes it.
static void man_file(char *path)
{
    char *text = captured(print_man, NULL);
    write_temp(path, text);
    free(text);
}

static void man_page_with_groff(void **state)
{
    (void)state;
    if (!have("groff")) skip_because("groff is not installed");
    char path[] = "/tmp/keiko_man_XXXXXX", out[65536];
    man_file(path);
    assert_int_equal(shell("groff -k -man -ww -Tutf8 -rLL=78n $F 2>&1 >/dev/null", path, out, sizeof out), 0);
    assert_string_equal(out, "");
    assert_int_equal(shell("groff -k -man -Tascii -P-c -P-b -P-o -P-u $F", path, out, sizeof out), 0);
    assert_non_null(strstr(out, "-t, --threads N"));
    assert_non_null(strstr(out, "threads = 4"));
    assert_non_null(strstr(out, "it's made"));
    unlink(path);
}

static void man_page_with_mandoc(void **state)
{
    (void)state;
    if (!have("mandoc")) skip_because("mandoc is not installed");
    char path[] = "/tmp/keiko_man_XXXXXX", out[65536];
    man_file(path);
    assert_int_equal(shell("mandoc -W warning,stop $F > /dev/null", path, out, sizeof out), 0);
    unlink(path);
}

// A program in which a command is a group, too: "train GAME" and "train self".
static const command train_self_command = {
    .name = "train self", .summary = "learns alone", .opts = demo_files_opts, .n_opts = 1};
static const command *const both_commands[] = {&demo_train_command, &train_self_command};

static void print_completion(FILE *f, const void *name)
{
    program both = demo_program;
    both.commands = both_commands;
    both.n_commands = 2;
    bool is_both = strncmp(name, "both ", 5) == 0;
    assert_ok(opt_completion(is_both ? &both : &demo_program, (const char *)name + (is_both ? 5 : 0), f));
}

// What bash offers at the end of a line: words joined by blanks.
static void offers(const char *path, const char *words, const char *expected)
{
    char line[2048], out[4096];
    snprintf(
        line, sizeof line,
        "bash -c 'source $F; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _demo; echo \"${COMPREPLY[*]}\"'",
        words);
    assert_int_equal(shell(line, path, out, sizeof out), 0);
    out[strcspn(out, "\n")] = 0;
    if (strcmp(out, expected) != 0) fail_msg("'%s' offers '%s', not '%s'", words, out, expected);
}

// The script of a shell in a temporary file. The shell, where it is installed, finds it well-formed.
static void script(const char *name, char *path)
{
    char *text = captured(print_completion, name), check[128], out[4096];
    if (strncmp(name, "both ", 5) == 0) name += 5;
    assert_non_null(strstr(text, "othello"));
    assert_non_null(strstr(text, "learning-rate"));
    assert_null(strstr(text, "touch")); // a word that could run something never gets in
    write_temp(path, text);
    free(text);
    if (!have(name)) {
        unlink(path);
        skip_because("%s is not installed", name);
    }
    snprintf(check, sizeof check, "%s -n $F 2>&1", name);
    int rc = shell(check, path, out, sizeof out);
    if (rc != 0 || out[0] != 0) fail_msg("%s -n says: %s", name, out);
}

static void completion_of_bash(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko_completion_XXXXXX";
    script("bash", path);
    offers(path, "demo \"\"", "train nn help");
    offers(path, "demo tr", "train");
    offers(path, "demo nn \"\"", "check info");
    offers(path, "demo help t", "train");
    offers(path, "demo train \"\"", "othello renju puyo");
    offers(path, "demo train --run x \"\"", "othello renju puyo");
    offers(path, "demo train othello \"\"", "");
    offers(path, "demo train --r", "--run --resume");
    offers(path, "demo train --backend \"\"", "auto cpu cuda");
    offers(path, "demo train --backend = c", "cpu cuda");
    offers(path, "demo train --backend =", "auto cpu cuda");
    offers(path, "demo train --player1 r", "random");
    offers(path, "demo train --player1 e", "easy"); // once
    offers(path, "demo train othello --player1 e", "easy");
    offers(path, "demo train puyo --player1 \"\"", "random beam");
    offers(path, "demo train --player1 puyo", "");
    offers(path, "demo --color a", "auto always");
    offers(path, "demo --color never t", "train");
    offers(path, "demo nn check \"\"", "obf sgf");
    offers(path, "demo nn check obf /dev/ful", "/dev/full");
    offers(path, "demo nn check --o", "--offset");
    unlink(path);
}

static void completion_of_zsh(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko_completion_XXXXXX";
    script("zsh", path);
    static const char hints[] = "zsh -fc 'compdef() { }; compadd() { echo $@[2,-1] }; source $F; words=(train%s); "
                                "_demo_hint agents'";
    char line[256], out[256];
    snprintf(line, sizeof line, hints, "");
    assert_int_equal(shell(line, path, out, sizeof out), 0);
    assert_string_equal(out, "random alphabeta:depth=6 easy beam\n");
    snprintf(line, sizeof line, hints, " puyo");
    assert_int_equal(shell(line, path, out, sizeof out), 0);
    assert_string_equal(out, "random beam\n");
    unlink(path);
}

static void completion_where_a_command_is_a_group(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko_completion_XXXXXX", zsh[] = "/tmp/keiko_completion_XXXXXX", line[512], out[1024];
    script("both bash", path);
    offers(path, "demo \"\"", "train help");
    offers(path, "demo train \"\"", "othello renju puyo self");
    offers(path, "demo train othello \"\"", "");
    offers(path, "demo train othello --ru", "--run");
    offers(path, "demo train self --o", "--offset");
    unlink(path);
    script("both zsh", zsh);
    // The first call of _arguments is that of the program itself; the second says which command's options are offered.
    static const struct {
        const char *words, *said;
    } rows[] = {{"train \"\"", "self\nGAME\n"}, {"train othello --r", "GAME\n"}, {"train self --o", "offset\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line,
                 "zsh -fc 'compdef() { }; compadd() { echo $@[2,-1] }; _arguments() { [[ $1 == -C ]] && return 1; "
                 "[[ $* == *--offset* ]] && echo offset; [[ $* == *GAME* ]] && echo GAME }; source $F; "
                 "words=(%s); CURRENT=$#words; _demo'",
                 rows[i].words);
        shell(line, zsh, out, sizeof out);
        if (strcmp(out, rows[i].said) != 0) fail_msg("'%s': '%s', not '%s'", rows[i].words, out, rows[i].said);
    }
    unlink(zsh);
}

static void completion_of_fish(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko_completion_XXXXXX";
    script("fish", path);
    char out[1024];
    assert_int_equal(
        shell("fish -Nc 'source $F; complete -C \"demo train --first \"' | cut -f1", path, out, sizeof out), 0);
    assert_string_equal(out, "alphabeta:depth=6\nbeam\neasy\nrandom\n");
    assert_int_equal(
        shell("fish -Nc 'source $F; complete -C \"demo train puyo --first b\"' | cut -f1", path, out, sizeof out), 0);
    assert_string_equal(out, "beam\n");
    unlink(path);
}

static void no_completion_of_others(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    assert_err(opt_completion(&demo_program, "tcsh", f), "there are: bash, zsh, fish");
    fclose(f);
}

// A table inside another: its rows hold for the outer struct, with the outer table's defaults.
typedef struct inner {
    int64_t depth;
    double c;
} inner;
typedef struct outer {
    bool flag;
    inner a, b;
    const char *name;
} outer;
static const opt inner_opts[] = {
    ROW_INT("depth", offsetof(inner, depth), "N", "3", 0, 9, "Depth", .was = "plies"),
    ROW_NUMBER("c", offsetof(inner, c), "X", "1.5", 0, 0, "Exploration"),
};
static const int n_inner = ROWS(inner_opts);
static const opt_default other[] = {{"depth", "7"}, {NULL, NULL}};
static const opt middle_opts[] = {ROW_TABLE(0, inner_opts, n_inner, NULL)};
static const int n_middle = ROWS(middle_opts);
static const opt outer_opts[] = {
    ROW_FLAG("flag", offsetof(outer, flag), "yes", "A flag"),
    ROW_TABLE(offsetof(outer, b), middle_opts, n_middle, other),
    ROW_TEXT("name", offsetof(outer, name), "TEXT", "x", "A name"),
};

static void test_inner_tables(void **state)
{
    (void)state;
    outer o = {0};
    int n;
    text_buf t = {0};
    opt_values *keep = opt_keep();
    const opt *flat = opt_flat(outer_opts, ROWS(outer_opts), &n);
    assert_int_equal(n, 4);
    assert_ptr_equal(flat, opt_flat(outer_opts, ROWS(outer_opts), &n)); // once for all
    assert_string_equal(flat[1].name, "depth");
    assert_int_equal(flat[1].at, offsetof(outer, b.depth));
    assert_string_equal(flat[1].preset, "7");
    assert_ptr_equal(opt_flat(inner_opts, n_inner, &n), inner_opts);
    assert_ok(opt_defaults(outer_opts, ROWS(outer_opts), &o));
    assert_true(o.flag && o.a.depth == 0 && o.b.depth == 7 && o.b.c == 1.5);
    assert_ok(opt_pairs(outer_opts, ROWS(outer_opts), &o, "plies=4,name=y", "outer", keep));
    assert_int_equal(o.b.depth, 4);
    assert_err(opt_pairs(outer_opts, ROWS(outer_opts), &o, "depth=10", "outer", keep), "outer: depth must be");
    assert_ok(opt_config_text(outer_opts, ROWS(outer_opts), &o, "file", "c = 2\n", 6, keep));
    assert_true(o.b.c == 2);
    assert_ok(opt_config_print(outer_opts, ROWS(outer_opts), &o, NULL, &t));
    assert_string_equal(text_str(&t), "flag = yes\ndepth = 4\nc = 2\nname = \"y\"\n");
    assert_string_equal(opt_find(outer_opts, ROWS(outer_opts), "plies")->name, "depth");
    assert_null(opt_find(outer_opts, ROWS(outer_opts), "nothing"));
    text_free(&t);
    opt_free(keep);
}

// Of what was typed, the part that lies in some bytes of the struct: not defaults, nor what lies before or behind.
static void what_was_typed_is_told(void **state)
{
    (void)state;
    const demo_train *t = train("demo|train|othello|--run|x|--threads=4|--steps|9|--learning-rate|0.5|--resume");
    text_buf said = {0};
    assert_ok(opt_typed_text(t, offsetof(demo_train, threads),
                             offsetof(demo_train, rate) - offsetof(demo_train, threads), &said));
    assert_string_equal(text_str(&said), "threads = 4\nsteps = 9\n");
    text_truncate(&said, 0);
    assert_ok(opt_typed_text(t, offsetof(demo_train, steps), sizeof t->steps, &said));
    assert_string_equal(text_str(&said), "steps = 9\n");
    text_truncate(&said, 0);
    t = train("demo|train|othello|--run|x");
    assert_ok(opt_typed_text(t, offsetof(demo_train, threads), sizeof *t - offsetof(demo_train, threads), &said));
    assert_string_equal(text_str(&said), "");
    text_free(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_was_typed_is_told, teardown),
        cmocka_unit_test(test_inner_tables),
        cmocka_unit_test_teardown(values_in_every_form, teardown),
        cmocka_unit_test_teardown(numbers, teardown),
        cmocka_unit_test_teardown(mistakes_are_explained, teardown),
        cmocka_unit_test_teardown(lists_and_two_words, teardown),
        cmocka_unit_test_teardown(help_is_always_given, teardown),
        cmocka_unit_test(pairs),
        cmocka_unit_test_teardown(config_files, teardown),
        cmocka_unit_test(nearest),
        cmocka_unit_test(help_text),
        cmocka_unit_test(man_page_with_groff),
        cmocka_unit_test(man_page_with_mandoc),
        cmocka_unit_test(completion_of_bash),
        cmocka_unit_test(completion_of_zsh),
        cmocka_unit_test(completion_where_a_command_is_a_group),
        cmocka_unit_test(completion_of_fish),
        cmocka_unit_test(no_completion_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
