// What the page asks about Puyo: advice, practice, simulations, chains, a match in frames. Answers are compared as text.
#include "app/puyo_call.h"
#include "test.h"

#include <string.h>

static puyo_live live;

static const char *ask(const char *verb, const char *args, err want)
{
    static char copy[512];
    static text_buf out;
    call_arg a[16];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", args);
    for (char *p = strtok(copy, " "); p != NULL; p = strtok(NULL, " ")) {
        char *value = strchr(p, '=');
        *value = 0;
        a[n++] = (call_arg){p, value + 1};
    }
    text_truncate(&out, 0);
    assert_int_equal(puyo_call(&live, verb, a, n, &out), want);
    return want == ERR_OK ? text_str(&out) : err_text();
}

#define HAS(text, part) assert_non_null(strstr(text, part))

static void advice(void **state)
{
    (void)state;
    // The check of the specification: 1d totals -23, of which the tail's -10 are weighted by 0.3.
    const char *a = ask("advise", "field=Y...../Y...../RR.... pair=YG next=GR", ERR_OK);
    const char *at = strstr(a, "\"move\":\"1d\"");
    assert_non_null(at);
    HAS(at, "\"total\":-23");
    HAS(ask("advise", "pair=RZ", ERR_USAGE), "no pair");
    HAS(ask("advise", "pair=RP", ERR_USAGE), "colours");
}

static void practice(void **state)
{
    (void)state;
    const char *a = ask("practice", "seed=1 number=0", ERR_OK);
    HAS(a, "\"turn\":0,\"turns\":15,\"folded\":0,\"points\":0,\"over\":false");
    a = ask("practice", "seed=1 number=0 moves=3u;3u", ERR_OK);
    HAS(a, "\"steps\":{\"placed\":");
    HAS(a, "\"turn\":2");
    HAS(ask("practice", "seed=1 number=0 moves=3u;9u", ERR_PARSE), "turn 2");
    HAS(ask("practice", "seed=1 turns=0", ERR_USAGE), "turns");
}

static int64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoll(at + strlen(key), NULL, 10);
}

static void simulation_in_parts(void **state)
{
    (void)state;
    int64_t whole = number_after(ask("simulate", "turns=12 seed=3 games=128", ERR_OK), "\"successes\":");
    int64_t first = number_after(ask("simulate", "turns=12 seed=3 games=64", ERR_OK), "\"successes\":");
    const char *a = ask("simulate", "turns=12 seed=3 first=64 games=64 before=64 hits=50", ERR_OK);
    assert_int_equal(first + number_after(a, "\"successes\":"), whole);
    HAS(a, "\"low\":0.");
    HAS(ask("simulate", "turns=12", ERR_USAGE), "missing");
    HAS(ask("simulate", "turns=12 games=64 before=10 hits=11", ERR_USAGE), "hits");
}

static void fields(void **state)
{
    (void)state;
    const char *a = ask("chain", "field=RRRR.. pairs=RG,BB", ERR_OK);
    HAS(a, "\"score\":40");
    HAS(a, "puyop.com/s/");
    HAS(ask("chain", "field=R...../......", ERR_PARSE), "");
    a = ask("placements", "field=...... pair=RG", ERR_OK);
    HAS(a, "{\"move\":\"1u\",\"cells\":[0,1,0,2]}");
    HAS(a, "{\"move\":\"1d\",\"cells\":[0,2,0,1]}");
    HAS(a, "{\"move\":\"2l\",\"cells\":[1,1,0,1]}");
    assert_null(strstr(ask("placements", "field=...... pair=RR", ERR_OK), "\"1d\""));
}

static void match(void **state)
{
    (void)state;
    HAS(ask("live-pass", "frame=1", ERR_USAGE), "live-new");
    HAS(ask("live-new", "seed=5 options=timing=turns", ERR_USAGE), "frames");
    HAS(ask("live-new", "seed=99999999999999999999", ERR_USAGE), "'seed' must be a whole number");
    HAS(ask("live-new", "seed=5", ERR_OK), "\"frames\":{\"next\":12,\"rest\":20,\"fast\":2}");
    HAS(ask("live-rest", "seat=0 move=7u frame=100", ERR_PARSE), "");
    const char *a = ask("live-rest", "seat=0 move=3u frame=100", ERR_OK);
    HAS(a, "\"landed\":100");
    HAS(a, "\"due\":true");
    HAS(ask("live-rest", "seat=0 move=3u frame=99", ERR_USAGE), "no pair yet");
    HAS(ask("live-pass", "frame=101", ERR_OK), "\"due\":false");
    HAS(ask("live-ask", "seat=1", ERR_OK), "\"position\":\"");
    HAS(ask("live-rest", "seat=2 move=3u frame=99", ERR_USAGE), "seat");
    HAS(ask("sing", "", ERR_USAGE), "no Puyo call");
}

// The page says that a pair rests before it can know that the other player was buried in the same frame.
static void rests_too_late(void **state)
{
    (void)state;
    char rest[48];
    ask("live-new", "seed=5", ERR_OK);
    for (int i = 1; i <= 6; i++) {
        snprintf(rest, sizeof rest, "seat=0 move=3u frame=%d", 100 * i);
        HAS(ask("live-rest", rest, ERR_OK), "\"over\":false");
    }
    const char *a = ask("live-rest", "seat=1 move=1u frame=800", ERR_OK);
    HAS(a, "\"over\":true,\"score\":[0,1]");
    assert_null(strstr(a, "\"steps\""));
    assert_null(strstr(a, "\"landed\""));
    assert_null(strstr(ask("live-rest", "seat=1 move=1u frame=801", ERR_OK), "\"steps\""));
    HAS(ask("live-pass", "frame=802", ERR_OK), "\"over\":true,\"score\":[0,1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice), cmocka_unit_test(practice), cmocka_unit_test(simulation_in_parts),
        cmocka_unit_test(fields), cmocka_unit_test(match),    cmocka_unit_test(rests_too_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
