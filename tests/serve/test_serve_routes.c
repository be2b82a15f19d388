// docs/openapi.json and the router say the same, in both directions; and answers have the keys that it promises.
#include "ask.h"

#include <strings.h>

static json_doc *doc;
static json_val paths;

static json_val schema_of(json_val v) // follows a reference
{
    const char *ref = NULL;
    json_val at = json_member(&v, "$ref");
    if (json_kind_of(&at) == JK_NONE) return v;
    assert_ok(json_get_text(&at, &ref));
    assert_int_equal(strncmp(ref, "#/components/schemas/", 21), 0);
    json_val root = json_root(doc), components = json_member(&root, "components"),
             all = json_member(&components, "schemas"), found = json_member(&all, ref + 21);
    if (json_kind_of(&found) != JK_OBJECT) fail_msg("%s is not there", ref);
    return found;
}

// The value has what the schema requires, down to the last object.
static void fits_schema(json_val schema, const json_val *v, const char *where)
{
    schema = schema_of(schema);
    json_val required = json_member(&schema, "required"), properties = json_member(&schema, "properties"),
             items = json_member(&schema, "items");
    for (int i = 0; i < json_count(&required); i++) {
        const char *key;
        json_val name = json_item(&required, i);
        assert_ok(json_get_text(&name, &key));
        json_val member = json_member(v, key), inner = json_member(&properties, key);
        if (json_kind_of(&member) == JK_NONE) fail_msg("%s: no \"%s\"", where, key);
        fits_schema(inner, &member, where);
    }
    for (int i = 0; json_kind_of(&items) == JK_OBJECT && i < json_count(v); i++) {
        json_val one = json_item(v, i);
        fits_schema(items, &one, where);
    }
}

static bool in_table(const char *method, const char *pattern)
{
    for (int i = 0; i < api_n_routes; i++)
        if (strcasecmp(api_routes[i].method, method) == 0 && strcmp(api_routes[i].pattern, pattern) == 0) return true;
    return false;
}

static json_val operation(const char *method, const char *pattern)
{
    char small[8];
    size_t i = 0;
    for (; method[i] != 0 && i < sizeof small - 1; i++) small[i] = (char)(method[i] | 32);
    small[i] = 0;
    json_val path = json_member(&paths, pattern);
    return json_member(&path, small);
}

static void every_documented_route_is_answered(void **state)
{
    (void)state;
    void *iter = NULL;
    const char *path, *method;
    json_val methods, op;
    int n = 0;
    while (json_each(&paths, &iter, &path, &methods)) {
        void *inner = NULL;
        while (json_each(&methods, &inner, &method, &op)) {
            if (!in_table(method, path)) fail_msg("openapi.json has %s %s, the router does not", method, path);
            n++;
        }
    }
    assert_int_equal(n, api_n_routes);
}

static void every_route_is_documented(void **state)
{
    (void)state;
    for (int i = 0; i < api_n_routes; i++) {
        json_val op = operation(api_routes[i].method, api_routes[i].pattern);
        if (json_kind_of(&op) != JK_OBJECT)
            fail_msg("%s %s is not in openapi.json", api_routes[i].method, api_routes[i].pattern);
    }
}

static void every_call_of_a_session_has_a_route(void **state)
{
    (void)state;
    char pattern[64];
    for (int i = 0; session_call_verb(i) != NULL; i++) {
        snprintf(pattern, sizeof pattern, "/sessions/{id}/%s", session_call_verb(i));
        if (!in_table("POST", pattern)) fail_msg("POST %s is missing", pattern);
    }
}

// The schema of the good answer; false: the answer is a stream.
static bool answer_schema(const json_val *op, json_val *schema, json_val *example)
{
    void *iter = NULL;
    const char *status, *type;
    json_val responses = json_member(op, "responses"), one;
    while (json_each(&responses, &iter, &status, &one)) {
        if (status[0] != '2') continue;
        json_val content = json_member(&one, "content"), kind;
        void *inner = NULL;
        assert_true(json_each(&content, &inner, &type, &kind));
        *schema = json_member(&kind, "schema");
        *example = json_member(&kind, "example");
        return strcmp(type, "application/json") == 0;
    }
    fail_msg("a route without an answer");
    return false;
}

static void examples_have_the_documented_keys(void **state)
{
    (void)state;
    for (int i = 0; i < api_n_routes; i++) {
        json_val op = operation(api_routes[i].method, api_routes[i].pattern), schema, example;
        if (answer_schema(&op, &schema, &example)) fits_schema(schema, &example, api_routes[i].pattern);
        if (strcmp(api_routes[i].method, "POST") != 0) continue;
        json_val body = json_member(&op, "requestBody"), content = json_member(&body, "content"),
                 kind = json_member(&content, "application/json"), sent = json_member(&kind, "example");
        assert_int_equal(json_kind_of(&sent), JK_OBJECT);
        fits_schema(json_member(&kind, "schema"), &sent, api_routes[i].pattern);
    }
}

// Asks for real and compares the answer with the document.
static void keeps_promise(const char *method, const char *pattern, const char *path, const char *body, int status)
{
    json_doc *got = NULL;
    json_val op = operation(method, pattern), schema, example;
    asks(method, path, body, status);
    assert_true(answer_schema(&op, &schema, &example));
    assert_ok(json_read(&got, the_answer, strlen(the_answer), "answer"));
    json_val root = json_root(got);
    fits_schema(schema, &root, pattern);
    json_free(got);
}

static void lists_keep_their_promises(void **state)
{
    (void)state;
    static const char *const plain[] = {"/machine", "/games", "/agents", "/levels", "/models"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) keeps_promise("GET", plain[i], plain[i], NULL, 200);
    the_query[0][0] = "game", the_query[0][1] = "othello";
    keeps_promise("GET", "/agents", "/agents", NULL, 200);
    assert_null(strstr(the_answer, "\"dqn\""));
    keeps_promise("GET", "/levels", "/levels", NULL, 200);
    assert_null(strstr(the_answer, "renju"));
    the_query[1][0] = "what", the_query[1][1] = "train";
    keeps_promise("GET", "/options", "/options", NULL, 200);
    answered("\"minutes\"");
    the_query[1][1] = "bench";
    keeps_promise("GET", "/options", "/options", NULL, 200);
    answered("\"players\"");
    the_query[1][1] = "other";
    refuses("GET", "/options", NULL, 400, "train or bench");
    the_query[0][1] = "chess";
    refuses("GET", "/agents", NULL, 404, "chess");
    memset(the_query, 0, sizeof the_query);
    keeps_promise("POST", "/advise", "/advise", "{\"pair\":\"RB\",\"next\":\"YY\"}", 200);
    refuses("POST", "/advise", "{}", 400, "\"'pair' is missing\"");
    refuses("POST", "/advise", "{\"pair\":\"RX\"}", 400, "\"pair: 'RX' is no pair");
    refuses("POST", "/advise", "{\"pair\":\"RP\"}", 400, "\"pair: a colour is not among the 4 in play; colours");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"next\":\"RG,RG,RG\"}", 400, "\"next: at most two pairs\"");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"field\":\"R\"}", 400, "\"field: column 2");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"turns\":\"x\"}", 400, "\"turns: 'x'");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"mode\":\"both\"}", 400, "\"mode: seed or plus, not 'both'\"");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"pairs\":\"a kind that is much longer than any kind\"}", 400,
            "\"pairs: 'a kind that is much ' is no kind");
}

static void verbs_keep_their_promises(void **state)
{
    (void)state;
    static const struct {
        const char *verb, *body;
    } calls[] = {{"state", "{}"},
                 {"play", "{\"move\":\"b2\"}"},
                 {"look", "{\"move\":\"a1\"}"},
                 {"choose", "{\"agent\":\"mcts:sims=20\"}"},
                 {"think", "{}"},
                 {"analyse", "{\"helper\":\"mcts:sims=20\",\"count\":\"2\"}"},
                 {"review", "{\"helper\":\"mcts:sims=20\"}"},
                 {"back", "{}"},
                 {"forward", "{}"},
                 {"undo", "{\"seat\":\"0\"}"},
                 {"redo", "{\"seat\":\"0\"}"},
                 {"goto", "{\"node\":\"1\"}"},
                 {"note", "{\"node\":\"1\",\"mark\":\"!\"}"},
                 {"promote", "{\"node\":\"1\"}"},
                 {"line", "{\"moves\":\"b2;a1;c3\"}"},
                 {"delete", "{\"node\":\"3\"}"},
                 {"seats", "{\"second\":\"human\"}"},
                 {"export", "{\"format\":\"text\"}"},
                 {"resign", "{\"seat\":\"0\"}"},
                 {"new", "{\"game\":\"othello\"}"},
                 {"load", "{\"text\":\"keiko tictactoe\\nmoves: b2\\n\"}"},
                 {"flag", "{\"seat\":\"0\"}"},
                 {"stop", "{}"}};
    char s[160], pattern[64];
    json_val op = operation("POST", "/sessions"), schema, example;
    assert_true(answer_schema(&op, &schema, &example));
    keeps_promise("POST", "/sessions", "/sessions", "{\"game\":\"tictactoe\",\"second\":\"3\"}", 201);
    snprintf(s, sizeof s, "/sessions/%.22s", the_answer + 7);
    keeps_promise("GET", "/sessions/{id}", s, NULL, 200);
    keeps_promise("GET", "/sessions", "/sessions", NULL, 200);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(pattern, sizeof pattern, "/sessions/{id}/%s", calls[i].verb);
        keeps_promise("POST", pattern, under(s, calls[i].verb), calls[i].body, 200);
    }
    keeps_promise("DELETE", "/sessions/{id}", s, NULL, 200);
    new_session("{\"game\":\"gomoku\"}", s);
    keeps_promise("POST", "/sessions/{id}/swap2", under(s, "swap2"), "{\"agent\":\"random\"}", 200);
    answered("\"moves\":[");
    keeps_promise("POST", "/sessions/{id}/swap2", under(s, "swap2"), "{\"choices\":\"black\"}", 200);
}

static int read_document(void **state)
{
    assert_ok(json_read_file(&doc, KEIKO_SOURCE "/docs/openapi.json", 4 << 20));
    json_val root = json_root(doc);
    paths = json_member(&root, "paths");
    return open_the_api(state);
}

static int free_document(void **state)
{
    json_free(doc);
    return close_the_api(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_documented_route_is_answered), cmocka_unit_test(every_route_is_documented),
        cmocka_unit_test(examples_have_the_documented_keys),  cmocka_unit_test(lists_keep_their_promises),
        cmocka_unit_test(verbs_keep_their_promises),          cmocka_unit_test(every_call_of_a_session_has_a_route),
    };
    return cmocka_run_group_tests(tests, read_document, free_document);
}
