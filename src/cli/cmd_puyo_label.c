// keiko puyo label: positions with what a strong player thinks of every placement. See learn/distil/label_puyo.h.
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "learn/distil/label_puyo.h"
#include "search/puyo/puyo_beam.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct options {
    common all;
    const char *out, *game, *rules, *teacher, *player, *opponent;
    int64_t width, depth, samples, late, positions, seed, threads;
    double noise, minutes;
} options;

#define AT(field) offsetof(options, field)
// clang-format off
static const opt args[] = {
    ROW_FILE("FILE", AT(out), NULL, "File of labelled games; continued if it exists with the same settings", .required = true),
};

static const opt opts[] = {
    ROW_INT("positions", AT(positions), "N", "100000", 1, 1e12, "Stop when the file holds this many labelled positions", .letter = 'n'),
    ROW_NUMBER("minutes", AT(minutes), "M", "0", 0, 1e6, "Stop after this much time; 0 = no limit"),
    ROW_CHOICE("game", AT(game), "NAME", "puyo-solo", "puyo-solo|puyo", "puyo-solo: building alone; puyo: matches"),
    ROW_TEXT("rules", AT(rules), "K=V,…", "pairs=uniform", "Options of the game's rules. Uniform pairs keep the arcade sequences unseen, for evaluation"),
    ROW_INT("seed", AT(seed), "N", "1", 0, 9e15, "Random seed of the games"),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of games played in parallel; 0 = one per core. Does not change the result", .letter = 't'),
    ROW_HEADING("Teacher"),
    ROW_TEXT("teacher", AT(teacher), "AGENT", "beam", "beam gives a value to every placement. Of any other agent only the placement it chooses is known", .choices = "agents"),
    ROW_INT("width", AT(width), "N", "40", 1, PUYO_BEAM_WIDTH_MAX, "Beam width"),
    ROW_INT("depth", AT(depth), "N", "10", 1, PUYO_BEAM_DEPTH_MAX, "Beam depth in pairs"),
    ROW_INT("samples", AT(samples), "N", "4", 1, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures"),
    ROW_INT("late", AT(late), "N", "24", 0, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures on a crowded field, if larger than samples"),
    ROW_HEADING("Who plays"),
    ROW_TEXT("player", AT(player), "AGENT", "", "Agent that plays the games; default: the teacher. Use the network in training, so that its own mistakes are labelled", .choices = "agents"),
    ROW_TEXT("opponent", AT(opponent), "AGENT", "", "In matches: agent that --player meets, on both sides in turn; default: itself. Its positions are labelled as well", .choices = "agents"),
    ROW_NUMBER("noise", AT(noise), "P", "0.02", 0, 1, "Share of random placements"),
};
// clang-format on

static void tick(void *bar, uint64_t positions)
{
    progress_tick(bar, positions);
}

static int run(const void *options_)
{
    const options *o = options_;
    label_options l = {.path = o->out,
                       .game = o->game,
                       .rules = o->rules,
                       .teacher = o->teacher,
                       .width = (int)o->width,
                       .depth = (int)o->depth,
                       .samples = (int)o->samples,
                       .late = (int)o->late,
                       .player = o->player,
                       .opponent = o->opponent,
                       .noise = o->noise,
                       .seed = (uint64_t)o->seed,
                       .positions = (uint64_t)o->positions,
                       .minutes = o->minutes,
                       .threads = (int)o->threads,
                       .tick = tick};
    label_report r;
    stop_install("\nfinishing; what is in the file stays\n");
    l.ctx = cli_progress(&o->all, "labelling", "positions", 0);
    err e = label_puyo(&l, &r);
    progress_finish(l.ctx);
    if (e != ERR_OK) return cli_fail("puyo label");
    printf("%s: %" PRIu64 " games, %" PRIu64 " positions, %.1f MiB", o->out, r.end.games, r.end.positions,
           (double)r.end.size / (1 << 20));
    if (r.end.positions > 0) printf(" (%.1f bytes per position)", (double)r.end.size / (double)r.end.positions);
    printf("\nadded %" PRIu64 " positions in %.1f s", r.added, r.seconds);
    if (r.seconds > 0) printf(" (%.0f per second)", (double)r.added / r.seconds);
    if (r.games > 0) printf("; largest chain fired per game %.0f points", r.fired);
    if (r.asked > 0)
        printf("\nasked again with other futures, the teacher chose the same placement in %.1f %% of %" PRIu64
               " positions",
               100 * (double)r.same / (double)r.asked, r.asked);
    printf("\n");
    return stop_requested() ? 1 : 0;
}

const command cmd_puyo_label = {
    CALLED("puyo label", "Label Puyo positions with a teacher's opinion of every placement"),
    .about =
        "Plays games and writes to FILE what the teacher (a beam search) thinks of each placement of each position: the training data of keiko train puyo-solo. A network's own games can be labelled as well (--player), so that it learns to get out of its own mistakes.\n\n"
        "FILE is a function of the options and the seed. It grows in whole blocks: after an interruption the same command continues it. docs/train-puyo.md has the whole procedure.",
    .examples =
        "keiko puyo label data/a.labels --positions 1e6 --width 20 --depth 8 --samples 2\n"
        "keiko puyo label data/b.labels --positions 5e5 --seed 2 --player afterstate:model=runs/s1/final.safetensors\n"
        "keiko puyo label data/v.labels --game puyo --rules pairs=uniform --teacher versus:level=hard",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
