// keiko models: the networks and weights that are installed.
#include "app/catalogue.h"
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    bool verify, json;
} options;

static const opt opts[] = {
    ROW_FLAG("verify", offsetof(options, verify), NULL,
             "Load each model completely and compare its checksum with the one it shipped with"),
    OPT_JSON(options),
};

static void print_model(const catalogue_model *m, bool verbose)
{
    char head[160], size[32] = "";
    if (m->location[0] != 0) snprintf(size, sizeof size, "%6.2f MB  %08x", (double)m->size / 1e6, m->checksum);
    snprintf(head, sizeof head, "%-16s %-9s %-10s %-19s  ", m->name, m->game, m->agent, size);
    cli_say(stdout, head, "%s", m->state == MODEL_UNCHECKED ? m->made : model_state_name[m->state]);
    if (m->why[0] != 0) cli_say(stdout, "                   ", "%s", m->why);
    if (!verbose) return;
    if (m->location[0] != 0) cli_say(stdout, "    file     ", "%s", m->location);
    if (m->network[0] != 0) cli_say(stdout, "    network  ", "%s", m->network);
    if (m->made[0] != 0) cli_say(stdout, "    made by  ", "%s", m->made);
    if (m->note != NULL) cli_say_note(stdout, "    note     ", m->note);
}

static int run(const void *options_)
{
    const options *o = options_;
    catalogue_model *m;
    int n, bad = 0;
    text_buf t = {0};
    if (catalogue_models(o->verify, &m, &n) != ERR_OK) return cli_fail("models");
    for (int i = 0; i < n; i++) bad += m[i].state == MODEL_BAD || m[i].state == MODEL_CHANGED;
    if (o->json) {
        json_writer w = json_begin(&t, true);
        catalogue_models_json(&w, m, n);
        if (cli_put(&t, json_finish(&w)) != ERR_OK) bad = 1;
    } else {
        printf("%-16s %-9s %-10s %9s  %-8s  %s\n", "name", "game", "agent", "size", "CRC-32C",
               o->verify ? "state" : "how it was made");
        for (int i = 0; i < n; i++) print_model(&m[i], o->all.verbose);
        if (!o->all.quiet)
            cli_say(stdout, "", "\nUse a name as in zero:model=NAME. --verbose shows networks and notes.");
    }
    catalogue_models_free(m, n);
    return o->verify && bad > 0 ? 1 : 0;
}

const command cmd_models = {
    CALLED("models", "List the networks and weights that are installed"),
    .about =
        "Lists the models that ship and those in the folder named by KEIKO_MODELS: name, game, the agent that plays with it, size, checksum, and how it was made. With --verbose also the file, the network and the note stored in it. With --verify the exit status is 1 if a model is damaged or not the one that shipped.",
    .examples = "keiko models\nkeiko models --verify\nkeiko models --verbose\nkeiko models --json",
    RUNS(run, options, WITH_OPTS(opts)),
};
