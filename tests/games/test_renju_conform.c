// What must hold for every game, on a million positions each of renju and its relatives (a tenth outside `make soak`).
#include "games/conformance.h"
#include "test.h"

static const game *find(const char *name)
{
    const game *g = NULL;
    assert_ok(game_find(name, &g));
    return g;
}

static void renju(void **state)
{
    (void)state;
    conform(find("renju"), "", 1000000, true);
    conform(find("renju"), "cap=70", 20000, true);
}

static void gomoku(void **state)
{
    (void)state;
    conform(find("gomoku"), "", 1000000, true);
}

static void freestyle(void **state)
{
    (void)state;
    conform(find("freestyle"), "", 1000000, true);
}

static void freestyle20(void **state)
{
    (void)state;
    conform(find("freestyle20"), "", 1000000, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renju),
        cmocka_unit_test(gomoku),
        cmocka_unit_test(freestyle),
        cmocka_unit_test(freestyle20),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
