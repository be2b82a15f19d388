// The tables that `keiko bench` prints.
#include "base/term.h"
#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

void bench_print(const tour_view *v, const bench_options *o)
{
    text_buf t = {0};
    table_ratings(v, TABLE_TEXT, &t);
    table_matchups(v, TABLE_TEXT, &t);
    table_statistics(v, TABLE_TEXT, o->timing, &t);
    if (o->all.verbose) table_superiority(v, TABLE_TEXT, &t);
    fputs(text_str(&t) + (t.len > 0 && t.data[0] == '\n'), stdout);
    text_clear(&t);
    table_test(v, TABLE_TEXT, &t);
    cli_say_lines(text_str(&t));
    text_clear(&t);
    table_notes(v, TABLE_TEXT, &t);
    if (t.len > 0) cli_say(stdout, "", "%s", text_str(&t));
    text_free(&t);
}

int bench_print_gaps(const tour_view *v)
{
    int bad = 0;
    printf("\nGaps between levels (wanted: %d to %d Elo)\n", LEVEL_GAP_LOW, LEVEL_GAP_HIGH);
    for (int i = 0; v->rated && i + 1 < v->setup.n_players; i++) {
        bench_gap g = bench_gap_of(v, i);
        bad += !g.fits;
        cli_print("  %s - %s: %.0f (%.0f to %.0f)%s\n", v->setup.player[i + 1].name, v->setup.player[i].name, g.elo,
                  g.in.low, g.in.high,
                  g.fits                  ? ""
                  : g.elo < LEVEL_GAP_LOW ? "  too small"
                                          : "  too large");
    }
    return bad == 0 && v->rated ? 0 : 1;
}

static void print_change(const char *what, double was, double now, const char *unit)
{
    char a[40], b[40], diff[40] = "-";
    snprintf(a, sizeof a, "%.4g%s", was, unit);
    snprintf(b, sizeof b, "%.4g%s", now, unit);
    if (was > 0) snprintf(diff, sizeof diff, "%+.0f%%", 100 * (now - was) / was);
    printf("%-24s %12s %12s %8s\n", what, a, b, diff);
}

static void print_performance(const bench_effort *was, const bench_effort *now)
{
    if (was->seconds <= 0 || now->seconds <= 0) {
        printf("\nPerformance: not measured in both runs (--no-timing)\n");
        return;
    }
    printf("\nPerformance:\n%-24s %12s %12s %8s\n", "", "Baseline", "Target", "Diff");
    print_change("Avg. think time", 1000 * was->seconds / was->choices, 1000 * now->seconds / now->choices, "ms");
    if (was->cpu > 0 && now->cpu > 0)
        print_change("CPU time/move", 1000 * was->cpu / was->choices, 1000 * now->cpu / now->choices, "ms");
    print_change("Nodes/second", was->nodes / was->seconds, now->nodes / now->seconds, "");
    print_change("Nodes/move", was->nodes / was->choices, now->nodes / now->choices, "");
}

int bench_print_comparison(const bench_comparison *b)
{
    const comparison *c = &b->c;
    int weaker = 0, name = 24;
    for (int i = 0, most = 0; term_is(stdout) && i < c->n; i++) { // as narrow as the names allow
        int w = text_columns(c->row[i].name, strlen(c->row[i].name));
        name = most = w > most ? w : most;
    }
    printf("Rating Comparison:\n%-*s %9s %9s %7s  %-16s %-10s %s\n", name, "", "Baseline", "Target", "Diff", "interval",
           "verdict", "±20/±30 label");
    for (int i = 0; i < c->n; i++) {
        const compare_row *r = &c->row[i];
        char in[40];
        snprintf(in, sizeof in, "%+.0f … %+.0f", r->interval.low, r->interval.high);
        int pad = 16 - text_columns(in, strlen(in));
        cli_print("%-*s %9.0f %9.0f %+7.0f  %s%*s %-10s %s\n", name, r->name, r->baseline, r->target, r->difference, in,
                  pad > 0 ? pad : 0, "", compare_verdict_name(r->verdict), r->label);
    }
    print_performance(&b->was, &b->now);
    printf("\n");
    for (int i = 0; i < c->n; i++) {
        cli_say(stdout, "", "%s: %s", c->row[i].name, c->row[i].text);
        weaker += c->row[i].verdict == COMPARE_WEAKER;
    }
    for (int i = 0; i < c->notes.n; i++) cli_say(stdout, "", "Note: %s", c->notes.line[i]);
    cli_say(
        stdout, "",
        "Over all players compared, \"stronger\" or \"weaker\" is said wrongly in at most %.0f %% of such comparisons.",
        100 * (1 - c->level));
    return weaker > 0 ? 1 : 0;
}
