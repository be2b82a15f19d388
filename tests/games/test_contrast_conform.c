// Contrast: what holds for every game, at a million random positions (a tenth outside `make soak`), and again with options
// that make draws common.
#include "games/conformance.h"
#include "test.h"

extern const game game_contrast;

static void many_positions_conform(void **state)
{
    (void)state;
    conform(&game_contrast, "", 1000000, true);
}

static void positions_under_other_draw_rules_conform(void **state)
{
    (void)state;
    conform(&game_contrast, "plies=250,repetition=2,repetition_from=0", 50000, true);
    conform(&game_contrast, "plies=9,repetition=0,repetition_from=250", 50000, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_positions_conform),
        cmocka_unit_test(positions_under_other_draw_rules_conform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
