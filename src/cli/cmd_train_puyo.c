// keiko train puyo: deep Q-learning by self-play. Also explains rewards move by move and evaluates players.
#include "base/clock.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "cli/train_puyo.h"
#include "keiko.h"
#include "learn/dqn/dqn_train.h"
#include "search/puyo/puyo_reward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(train_puyo, field)
#define NUMBER(name_, field, preset_, low_, high_, help_)                                                              \
    {                                                                                                                  \
        .name = name_, .kind = OPT_NUMBER, .at = AT(field), .value = "X", .preset = preset_, .low = low_,              \
        .high = high_, .help = help_                                                                                   \
    }
#define WHOLE(name_, field, preset_, low_, high_, help_)                                                               \
    {                                                                                                                  \
        .name = name_, .kind = OPT_INT, .at = AT(field), .value = "N", .preset = preset_, .low = low_, .high = high_,  \
        .help = help_                                                                                                  \
    }
#define TEXT(name_, field, value_, preset_, help_)                                                                     \
    {                                                                                                                  \
        .name = name_, .kind = OPT_TEXT, .at = AT(field), .value = value_, .preset = preset_, .help = help_            \
    }

static const opt opts[] = {
    {.name = "algo",
     .kind = OPT_CHOICE,
     .at = AT(algo),
     .value = "NAME",
     .preset = "dqn",
     .choices = "dqn",
     .help = "how to learn"},
    {.name = "run", .kind = OPT_DIR, .at = AT(run), .value = "DIR", .help = "folder of the run; made when missing"},
    {.name = "resume", .kind = OPT_FLAG, .at = AT(resume), .help = "go on with the run in that folder"},
    {.name = "config",
     .kind = OPT_FILE,
     .at = AT(config),
     .value = "FILE",
     .help = "read options from it, lines 'key = value'; what is typed here wins"},
    {.help = "How long"},
    NUMBER("minutes", minutes, "0", 0, 1e6, "stop after so many minutes of training; 0 = no limit"),
    WHOLE("steps", steps, "0", 0, 9e15, "stop after so many decisions of the learner; 0 = no limit"),
    WHOLE("episodes", episodes, "0", 0, 9e15, "stop after so many matches; 0 = no limit"),
    {.help = "Matches"},
    OPT_SETTINGS(train_puyo),
    TEXT("rewards", rewards, "SET", "shaped", "shaped, seed, or with changes: 'shaped:win=5,phi_chain=0.2'"),
    WHOLE("lanes", lanes, "512", 1, 65536, "matches played at once"),
    TEXT("opponents", opponents, "LIST", "60 self;20 past;20 greedy",
         "shares and players: self (newest copy), past (earlier ones), or any agent"),
    TEXT("teachers", teachers, "LIST", "",
         "percent of the lanes in which an agent plays the learner's part, for the memory: '10 versus:level=easy'"),
    {.name = "learn-both",
     .kind = OPT_FLAG,
     .at = AT(learn_both),
     .help = "learn from the decisions of the copies as well"},
    {.name = "search",
     .kind = OPT_FLAG,
     .at = AT(search),
     .preset = "yes",
     .help = "decide by the network alone, without looking one placement ahead"},
    NUMBER("rest", rest, "1", 0, 1000,
           "with search: weight of the values that looking ahead gave to placements not taken"),
    NUMBER("alone", alone, "0", 0, 1,
           "with search: share of the matches in which the learner decides by the network alone, and still learns what "
           "looking ahead says of every placement"),
    WHOLE("opponent-update-interval", opponent_update, "1000", 1, 9e15, "episodes between copies of the learner"),
    {.name = "curriculum",
     .kind = OPT_FLAG,
     .at = AT(curriculum),
     .help = "phases beginner, intermediate, advanced, each with its own copy interval and exploration"},
    {.help = "Exploration, by episodes"},
    {.name = "exploration",
     .kind = OPT_CHOICE,
     .at = AT(exploration),
     .value = "HOW",
     .preset = "epsilon",
     .choices = "epsilon|noisy",
     .help = "random decisions, or noise of learned width in the network's last layers, drawn anew each step"},
    {.name = "epsilon-schedule",
     .kind = OPT_CHOICE,
     .at = AT(epsilon_schedule),
     .value = "HOW",
     .preset = "linear",
     .choices = "linear|exponential",
     .help = "how the share of random decisions falls"},
    NUMBER("epsilon-start", epsilon_start, "1", 0, 1, "at the beginning"),
    NUMBER("epsilon-end", epsilon_end, "0.01", 0, 1, "at the end"),
    NUMBER("epsilon-decay-episodes", epsilon_episodes, "20000", 0, 1e12, "until the end is reached"),
    {.help = "Learning"},
    {.name = "encoding",
     .kind = OPT_CHOICE,
     .at = AT(encoding),
     .value = "NAME",
     .preset = "fields",
     .choices = "fields|ranked",
     .help = "colours as they are (and varied), or named by the order in which the own pairs show them"},
    TEXT("net", net, "TEXT", "mlp=512,256", "trunk and, if wanted, head: 'mlp=512,256', 'c=32 b=3', '… duel=8:128:24'"),
    {.name = "init", .kind = OPT_FILE, .at = AT(init), .value = "FILE", .help = "weights to start from"},
    TEXT("lr", lr, "RATE", "0.0005", "learning rate: '0.0005', 'cosine:0.001:100000' (updates), ',warmup=500'"),
    {.name = "distribution",
     .kind = OPT_CHOICE,
     .at = AT(distribution),
     .value = "KIND",
     .preset = "none",
     .choices = "none|c51|qr",
     .help = "learn the distribution of returns: probabilities on a grid (c51) or quantiles (qr)"},
    WHOLE("atoms", atoms, "51", 2, NN_MAX_ATOMS, "of a distribution: points of the grid, or quantiles"),
    NUMBER("support", support, "3", 1e-6, 1e6, "c51: the grid goes from minus this to this, in scaled rewards"),
    WHOLE("batch", batch, "512", 1, 65536, "transitions an update"),
    NUMBER("replay-ratio", ratio, "1.5", 0.001, 1000, "transitions drawn for one stored"),
    WHOLE("learning-starts", learning_starts, "10000", 1, 9e15, "transitions stored before the first update"),
    WHOLE("target-update-frequency", target_every, "500", 1, 9e15, "updates between copies to the target network"),
    WHOLE("refresh", refresh, "4", 1, 1e6, "updates between copies to the network that plays"),
    NUMBER("gamma", gamma, "0.99", 0, 1, "discount a decision"),
    WHOLE("n-step", n_step, "3", 1, 64, "decisions whose rewards are added before the network's own estimate"),
    NUMBER("reward-scale", reward_scale, "0.1", 1e-6, 1e6, "of every reward before it is learned"),
    NUMBER("huber", huber, "1", 1e-6, 1e6,
           "errors above it count linearly; for qr small against the spread of returns, such as 0.05"),
    NUMBER("clip", clip, "1", 0, 1e6, "largest norm of a gradient; 0 = any"),
    {.name = "single", .kind = OPT_FLAG, .at = AT(single), .help = "plain DQN instead of Double DQN"},
    {.name = "vary",
     .kind = OPT_FLAG,
     .at = AT(vary),
     .preset = "yes",
     .help = "encoding fields: learn every transition with its colours as they were, not renamed at random"},
    {.help = "Replay memory"},
    WHOLE("memory", memory, "200000", 1, 4e9, "transitions kept"),
    {.name = "replay",
     .kind = OPT_CHOICE,
     .at = AT(replay),
     .value = "KIND",
     .preset = "prioritized",
     .choices = "prioritized|uniform",
     .help = "how transitions are drawn"},
    NUMBER("alpha", alpha, "0.6", 0, 1, "how much priorities count"),
    NUMBER("beta", beta, "0.4", 0, 1, "importance weights at the beginning"),
    NUMBER("beta-end", beta_end, "1", 0, 1, "and at the end"),
    WHOLE("beta-updates", beta_updates, "50000", 0, 9e15, "until then"),
    {.help = "Evaluation and checkpoints"},
    WHOLE("evaluation-frequency", evaluate_every, "10000", 0, 9e15,
          "episodes between evaluations; 0 = at the end only"),
    WHOLE("evaluation-games", games, "100", 2, 65536, "games against each reference, half of them on each side"),
    {.name = "evaluation-alone",
     .kind = OPT_FLAG,
     .at = AT(evaluate_alone),
     .help = "with search: evaluate the network without looking ahead too, as opponent 'NAME (alone)'"},
    TEXT("references", references, "LIST", "greedy;random;versus:level=beginner",
         "opponents of evaluations; the first is the curriculum's"),
    WHOLE("save-frequency", save_every, "0", 0, 9e15, "episodes between checkpoints; 0 = by the clock only"),
    NUMBER("save-minutes", save_minutes, "10", 0, 1e6, "minutes between checkpoints; 0 = never by the clock"),
    {.help = "Machine"},
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = AT(backend),
     .value = "WHERE",
     .preset = "auto",
     .choices = "auto|cpu|cuda",
     .help = "what runs and trains the network"},
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = AT(threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .preset = "0",
     .help = "threads, 0 = one a core; on the CPU the result is the same"},
    OPT_SEED(train_puyo),
    {.help = "Instead of training"},
    TEXT("explain-rewards", explain, "GAME", NULL,
         "print the rewards move by move: 'AGENT vs AGENT', moves ('3u;4r;…'), or a file with moves"),
    TEXT("evaluate", evaluate, "AGENT", NULL, "play evaluation games of this agent against the references"),
};

static err read_config(const void *options)
{
    opt_values *keep = (opt_values *)(uintptr_t)opt_values_of(options);
    const train_puyo *typed = options;
    char path[FILE_PATH];
    err e = ERR_OK;
    if (typed->resume && typed->run != NULL) {
        e = run_is_of(typed->run, "puyo", "dqn"); // another's options would be called unknown
        if (e == ERR_OK) e = file_join(path, sizeof path, typed->run, "config.txt");
        if (e == ERR_OK && file_exists(path)) e = run_config_load(typed->run, NULL, 0, NULL, keep);
    }
    if (e == ERR_OK && typed->config != NULL) e = opt_config_file(NULL, 0, NULL, typed->config, keep);
    return e;
}

err train_puyo_plan(const train_puyo *o, const nn_backend *backend, pool *threads, dqn_plan *out)
{
    dqn_options l = dqn_defaults();
    l.gamma = o->gamma;
    l.n_step = (int)o->n_step;
    l.batch = (int)o->batch;
    l.huber = (float)o->huber;
    l.clip = (float)o->clip;
    l.single = o->single;
    l.target_every = (int)o->target_every;
    l.refresh_every = (int)o->refresh;
    l.memory = (uint32_t)o->memory;
    l.prioritized = strcmp(o->replay, "prioritized") == 0;
    l.alpha = o->alpha;
    l.beta = o->beta;
    l.beta_end = o->beta_end;
    l.beta_updates = (uint64_t)o->beta_updates;
    l.reward_scale = o->reward_scale;
    l.vary = o->vary;
    l.rest = o->rest;
    l.seed = (uint64_t)o->seed;
    l.dist.support = o->support;
    l.backend = backend;
    l.threads = threads;
    err e = nn_lr_parse(o->lr, &l.lr);
    if (e == ERR_OK) e = nn_dist_parse(o->distribution, &l.dist.kind);
    if (e != ERR_OK) return e;
    *out = (dqn_plan){
        .learner = l,
        .net = o->net,
        .init = o->init,
        .lanes = (int)o->lanes,
        .opponents = o->opponents,
        .demonstrators = o->teachers,
        .learn_both = o->learn_both,
        .search = o->search,
        .alone = o->alone,
        .noisy = strcmp(o->exploration, "noisy") == 0,
        .atoms = (int)o->atoms,
        .ratio = o->ratio,
        .learning_starts = o->learning_starts,
        .opponent_update = o->opponent_update,
        .epsilon = {o->epsilon_start, o->epsilon_end, o->epsilon_episodes,
                    strcmp(o->epsilon_schedule, "exponential") == 0},
        .curriculum = o->curriculum,
        .evaluate_every = o->evaluate_every,
        .evaluate_games = (int)o->games,
        .references = o->references,
        .evaluate_alone = o->evaluate_alone,
        .save_every = o->save_every,
        .save_seconds = 60 * o->save_minutes,
        .steps = o->steps,
        .episodes = o->episodes,
        .seconds = 60 * o->minutes,
        .seed = (uint64_t)o->seed,
    };
    return ERR_OK;
}

// What the weights file says of itself: agents read the rewards for their lookahead.
static err write_note(const train_puyo *o, text_buf *note)
{
    char rewards[2048];
    puyo_reward_weights w;
    err e = puyo_rewards_parse(o->rewards, &w);
    if (e != ERR_OK) return e;
    puyo_rewards_print(&w, rewards, sizeof rewards);
    text_printf(note,
                "game = puyo\nalgo = dqn\nencoding = %s\noptions = %s\nrewards = %s\ngamma = %.17g\n"
                "reward_scale = %.17g\nseed = %lld\n",
                o->encoding, o->settings, rewards, o->gamma, o->reward_scale, (long long)o->seed);
    if (strcmp(o->distribution, "none") != 0)
        text_printf(note, "distribution = %s\nsupport = %.17g\n", o->distribution, o->support);
    return text_check(note);
}

static err train(const train_puyo *o)
{
    static const char *const skip[] = {"run", "resume", "config", "explain-rewards", "evaluate", NULL};
    run_home *r = NULL;
    dqn_plan plan;
    text_buf note = {0};
    const nn_backend *backend;
    if (o->run == NULL) return err_set(ERR_USAGE, "say where the run goes: --run DIR");
    err e = nn_backend_find(o->backend, &backend);
    if (e != ERR_OK) return e;
    pool *threads = pool_new((int)o->threads);
    if (threads == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    e = train_puyo_plan(o, backend, threads, &plan);
    if (e == ERR_OK) e = write_note(o, &note);
    plan.note = text_str(&note);
    dqn_puyo_options env = {o->settings, o->rewards, o->gamma, o->encoding, false},
                     eval = {o->settings, o->rewards, o->gamma, o->encoding, true};
    log_options log = {.quiet = o->all.quiet, .verbose = o->all.verbose, .debug = o->all.debug, .color = o->all.color};
    if (e == ERR_OK) e = dqn_plan_check(&plan, &dqn_env_puyo, &env); // before there is a folder
    if (e == ERR_OK)
        e = run_open(&r, &(run_options){.dir = o->run,
                                        .game = "puyo",
                                        .algo = "dqn",
                                        .version = keiko_version(),
                                        .resume = o->resume,
                                        .opts = opts,
                                        .n_opts = COUNT(opts),
                                        .values = o,
                                        .skip = skip,
                                        .log = &log});
    uint64_t updates = 0;
    if (e == ERR_OK) e = dqn_train(r, &plan, &dqn_env_puyo, &env, &eval, &updates);
    run_close(r);
    cli_end how = stop_requested() ? CLI_STOPPED : updates == 0 ? CLI_UNTRAINED : CLI_TRAINED;
    if (e == ERR_OK && !o->all.quiet) cli_print_next("puyo", "dqn", o->run, how);
    text_free(&note);
    pool_free(threads);
    return e;
}

static int run_command(const void *options)
{
    const train_puyo *o = options;
    stop_install("stopping after this step; once more to stop at once\n");
    err e = read_config(options);
    if (e == ERR_OK) {
        if (o->explain != NULL)
            e = train_puyo_explain(o);
        else if (o->evaluate != NULL)
            e = train_puyo_evaluate(o);
        else
            e = train(o);
    }
    return e == ERR_OK ? 0 : cli_fail("train puyo");
}

const command cmd_train_puyo = {
    .name = "train puyo",
    .summary = "deep Q-learning for versus Puyo",
    .about =
        "Plays many matches at once, learns Q-values from its own decisions (Double DQN, duel head, n-step returns, "
        "prioritized replay), meets copies of itself and agents, and evaluates greedily against fixed references. "
        "Everything goes to the run's folder: config.txt, log.jsonl, TensorBoard files, checkpoints, "
        "final.safetensors. Ctrl-C stores a checkpoint; --resume goes on from there.\n\n"
        "Play with the result as dqn:model=DIR/final.safetensors, which looks two placements ahead; search=1 looks "
        "one ahead, as training does, and search=0 is the network alone.\n\n"
        "Rewards (--rewards): 'shaped' pays wins and losses (10) and the change of a potential that leaves the best "
        "policy as it is; 'seed' pays all of the dense components. docs/DQN.md explains each.",
    .examples = "keiko train puyo --run runs/p1 --minutes 30\n"
                "keiko train puyo --run runs/p1 --resume --minutes 60  # go on\n"
                "keiko train puyo --run runs/p2 --rewards seed --replay uniform --steps 1e6\n"
                "keiko train puyo --explain-rewards 'greedy vs random' --rewards seed  # what each move earns\n"
                "keiko train puyo --evaluate dqn:model=runs/p1/final.safetensors --evaluation-games 500",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(train_puyo),
    .run = run_command,
};
