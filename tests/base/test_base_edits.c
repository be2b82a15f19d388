// Config files, option lists, command lines and JSON with one mistake each: what is read and what is said (tests/base/edits.txt).
#include "base/edits.h"
#include "base/json.h"
#include "base/opt_demo.h"

static void tell(edits *e, bool good, const char *text, const demo_train *t)
{
    char said[600];
    snprintf(said, sizeof said, "%s %s %s %s %s %" PRId64 " %" PRId64 " %.9g %d %s %d %d %s", t->game, t->run,
             t->backend, t->config, t->note, t->threads, t->steps, t->rate, t->resume, t->first, t->common.quiet,
             t->common.progress, t->common.color);
    edits_saw(e, good, text, good ? said : err_text());
}

static void one_config(void *ctx, const char *text)
{
    demo_train t = {0};
    opt_values *keep = opt_keep();
    assert_ok(opt_defaults(demo_train_opts, demo_train_command.n_opts, &t));
    bool good =
        opt_config_text(demo_train_opts, demo_train_command.n_opts, &t, "file", text, strlen(text), keep) == ERR_OK;
    tell(ctx, good, text, &t);
    opt_free(keep);
}

static void one_pair_list(void *ctx, const char *text)
{
    demo_train t = {0};
    opt_values *keep = opt_keep();
    assert_ok(opt_defaults(demo_train_opts, demo_train_command.n_opts, &t));
    bool good = opt_pairs(demo_train_opts, demo_train_command.n_opts, &t, text, "list", keep) == ERR_OK;
    tell(ctx, good, text, &t);
    opt_free(keep);
}

// Words are parted by single blanks here; two blanks have an empty word between them.
static void one_line(void *ctx, const char *text)
{
    char *copy = strdup(text), *argv[40], *at = copy;
    int n = 0;
    const command *cmd = NULL;
    opt_values *values = NULL;
    argv[n++] = (char *)"demo";
    for (; n < 40 && at != NULL; n++) {
        argv[n] = at;
        at = strchr(at, ' ');
        if (at != NULL) *at++ = 0;
    }
    bool good = opt_parse(&demo_program, n, argv, &cmd, &values) == ERR_OK;
    if (!good || cmd == NULL) {
        edits_saw(ctx, good, text, good ? "no command" : err_text());
    } else if (opt_wants_help(values) || opt_wants_version(values)) {
        edits_saw(ctx, true, text, opt_wants_help(values) ? cmd->name : "version");
    } else if (cmd == &demo_train_command) {
        tell(ctx, true, text, opt_struct(values));
    } else {
        edits_saw(ctx, true, text, cmd->name);
    }
    opt_free(values);
    free(copy);
}

// Every getter on every place. Of texts that are no JSON only that they are refused: the parser's words are its library's.
static void visit(edits *e, const char *text, const json_val *v)
{
    static const char *const keys[] = {"a", "bc"};
    const char *s = "";
    int64_t i = 0;
    double d = 0;
    bool b = false;
    int n = 0;
    char said[200];
    edits_saw(e, json_get_text(v, &s) == ERR_OK, text, s);
    edits_saw(e, json_get_int(v, -3, 7, &i) == ERR_OK, text, i < 0 ? "-" : i > 0 ? "+" : err_text());
    edits_saw(e, json_get_number(v, -3, 7, &d) == ERR_OK, text, d < 0 ? "-" : d > 0 ? "+" : err_text());
    edits_saw(e, json_get_bool(v, &b) == ERR_OK, text, b ? "true" : err_text());
    edits_saw(e, json_get_array(v, 3, &n) == ERR_OK, text, n > 0 ? "some" : err_text());
    edits_saw(e, json_get_object(v) == ERR_OK, text, err_text());
    edits_saw(e, json_only(v, keys, 2) == ERR_OK, text, err_text());
    edits_saw(e, json_need_int(v, "a", 1, 2, &i) == ERR_OK, text, err_text());
    edits_saw(e, json_maybe_number(v, "bc", 0, 1, &d) == ERR_OK, text, err_text());
    snprintf(said, sizeof said, "%d %s", json_count(v), v->path);
    edits_saw(e, true, text, said);
    for (int k = 0; json_kind_of(v) == JK_ARRAY && k < json_count(v); k++) {
        json_val item = json_item(v, k);
        visit(e, text, &item);
    }
    void *iter = NULL;
    json_val member;
    while (json_each(v, &iter, &s, &member)) visit(e, text, &member);
}

static void one_json(void *ctx, const char *text)
{
    json_doc *doc = NULL;
    if (json_read(&doc, text, strlen(text), "x") != ERR_OK) {
        edits_saw(ctx, false, text, "");
        return;
    }
    json_val root = json_root(doc);
    err_set(ERR_OK, "-");
    visit(ctx, text, &root);
    for (int pretty = 0; pretty < 2; pretty++) {
        text_buf t = {0};
        json_writer w = json_begin(&t, pretty == 1);
        json_copy_out(&w, &root);
        assert_ok(json_finish(&w));
        edits_saw(ctx, true, text, text_str(&t));
        text_free(&t);
    }
    json_free(doc);
}

static void all(void **state)
{
    (void)state;
    static const struct {
        const char *name, *with;
        void (*each)(void *ctx, const char *text);
        const char *text[5];
    } rows[] = {
        {"config",
         "0=#\"' \n-",
         one_config,
         {"# first\nthreads = 4\r\n  note = \"a # b\" # c\nlearning_rate=0.5\nresume = yes\nsteps = 1000000000000000000\n",
          "run = 'x y'\nbackend = cuda\nplayer1=me\nthreads=64\nlearning-rate=1\n",
          "config=\"c\"\nresume=off\nthreads = 1"}},
        {"pairs",
         "0=,'\" :k",
         one_pair_list,
         {"threads=4,note='a,b',learning-rate=0.25,resume,steps=7", "run=\"x y\",backend=cpu,resume=no,first=a:b=c;d",
          "steps=2k,threads=065,learning-rate=1e-3"}},
        {"line",
         "-=q0 x",
         one_line,
         {"train othello --run=r -t 4 --learning-rate .5 --no-progress -q --color=never --first p --resume",
          "train --run r -- --odd", "nn check obf a b -o -10", "help nn check", "nn info --version"}},
        {"json",
         "0\"{}[],:e-",
         one_json,
         {"{\"a\":[1,-2.5,7,8,true,null],\"bc\":{\"d\":\"e\\u00e9\\n\",\"f\":1e3},\"g\":0.125}",
          "[[],{},\"\\ud83d\\ude00\"]"}},
    };
    text_buf t = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        edits e = {.name = rows[i].name};
        for (int k = 0; k < 5 && rows[i].text[k] != NULL; k++)
            edits_of(rows[i].text[k], rows[i].with, rows[i].each, &e);
        edits_list(&e, &t);
    }
    assert_listed(&t, "base/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
