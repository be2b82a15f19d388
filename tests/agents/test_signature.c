// Search signatures: what each engine answers, and after how many nodes, on fixed positions and with fixed seeds.
//
// A change that should only make an engine faster, or only move code, leaves every line as it is; one that changes the search
// changes its line, and whoever makes it writes down the new one on purpose (KEIKO_PRINT=1 prints them). All instruction
// sets must agree. The lines are those of release 0.1.0, except where a comment says otherwise.
#include "agents/agent.h"
#include "base/cpu.h"
#include "test.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct engine {
    const char *name, *game, *position, *agent; // position "": the first one
    int plies;                                  // how many moves it chooses, one after the other
    bool shares;                                // nodes behind the best three moves instead of all nodes
    const char *signature;                      // move and nodes, for each ply
} engines[] = {
#include "agents/signature_rows.h"
};

enum { ENGINES = sizeof engines / sizeof *engines, LINE = 512 };

static void add(char *line, const game *g, const void *obs, const agent_choice *c)
{
    char move[64];
    size_t n = strlen(line);
    g->move_print(obs, c->move, move, sizeof move);
    snprintf(line + n, LINE - n, "%s%s %" PRIu64, n > 0 ? " " : "", move, c->nodes);
}

// No asserts here: they would end a child's process in the parent's test.
static err sign(const struct engine *e, char line[LINE])
{
    const game *g;
    agent *a = NULL;
    line[0] = 0;
    err r = game_find(e->game, &g);
    if (r != ERR_OK) return r;
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    r = e->position[0] != 0 ? g->state_parse(e->position, s) : g->init(s, "", (game_key){7, 1});
    if (r == ERR_OK) r = agent_open(&a, g, e->agent);
    if (r == ERR_OK) agent_begin(a, (game_key){7, 1}, g->seat(s));
    for (int ply = 0; ply < e->plies && r == ERR_OK; ply++) {
        agent_choice c[3];
        int n = 1;
        game_observe(g, s, g->seat(s), obs);
        r = e->shares ? agent_analyse(a, obs, 3, c, &n) : agent_choose(a, obs, &c[0]);
        for (int i = 0; i < n && r == ERR_OK; i++) add(line, g, obs, &c[i]);
        if (r == ERR_OK) g->play(s, c[0].move, NULL);
    }
    agent_close(a);
    free(s);
    free(obs);
    return r;
}

// In a process of its own: an instruction set is chosen once.
static void all_with(const char *set)
{
    static char lines[ENGINES][LINE];
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool good = cpu_limit(set) == ERR_OK;
        for (int i = 0; i < ENGINES && good; i++) {
            if (sign(&engines[i], lines[i]) != ERR_OK) snprintf(lines[i], LINE, "%s", err_text());
            good = write(ends[1], lines[i], LINE) == LINE;
        }
        _exit(good ? 0 : 1);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; got < sizeof lines && (n = read(ends[0], (char *)lines + got, sizeof lines - got)) > 0;)
        got += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0 && got == sizeof lines);
    int differ = 0;
    for (int i = 0; i < ENGINES; i++) {
        if (getenv("KEIKO_PRINT") != NULL) printf("%s: %s\n", engines[i].name, lines[i]);
        if (strcmp(lines[i], engines[i].signature) == 0) continue;
        print_error("%s with %s: \"%s\", not \"%s\"\n", engines[i].name, set, lines[i], engines[i].signature);
        differ++;
    }
    assert_int_equal(differ, 0);
}

static void scalar(void **state)
{
    (void)state;
    all_with("scalar");
}

static void avx2(void **state)
{
    (void)state;
    if (cpu_simd_best() < SIMD_AVX2) skip_because("this processor has no AVX2");
    all_with("avx2");
}

static void avx512(void **state)
{
    (void)state;
    if (cpu_simd_best() < SIMD_AVX512) skip_because("this processor has no AVX-512");
    all_with("avx512");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar),
        cmocka_unit_test(avx2),
        cmocka_unit_test(avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
