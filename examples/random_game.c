// A stranger's program: plays one game of any kind between two agents through the public API and prints its moves.
//   cc random_game.c $(pkg-config --cflags --libs keiko) -o random_game && ./random_game othello 7
#include <keiko.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, keiko_error());
    return 1;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "othello";
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const keiko_game *g = keiko_game_find(name);
    if (g == NULL) return fail("game");

    keiko_position *p;
    keiko_agent *players[2] = {NULL, NULL};
    if (keiko_position_new(g, NULL, seed, 0, &p) != 0) return fail("position");
    for (int i = 0; i < keiko_game_seats(g); i++) {
        if (keiko_agent_open(g, "random", &players[i]) != 0) return fail("agent");
        keiko_agent_begin(players[i], seed, 0, i);
    }

    double score[2];
    char text[4096];
    while (!keiko_position_over(p, score)) {
        uint16_t move;
        if (keiko_agent_choose(players[keiko_position_seat(p)], p, &move) != 0) return fail("choose");
        keiko_move_print(p, move, text, sizeof text);
        printf("%s ", text);
        if (keiko_position_play(p, move) != 0) return fail("play");
    }
    printf("\nresult %g : %g\n", score[0], score[1]);
    for (int i = 0; i < 2; i++) keiko_agent_close(players[i]);
    keiko_position_free(p);
    return 0;
}
