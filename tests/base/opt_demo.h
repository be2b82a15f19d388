// A small program's tables with every kind of option: what the option tests and the fuzz harnesses parse with.
#ifndef KEIKO_TESTS_OPT_DEMO_H
#define KEIKO_TESTS_OPT_DEMO_H

#include "base/opt.h"

#include <string.h>

typedef struct demo_common {
    bool quiet, progress;
    const char *color;
} demo_common;

typedef struct demo_train {
    demo_common common;
    const char *game, *run, *backend, *config, *note;
    int64_t threads, steps;
    double rate;
    bool resume;
    const char *first;
} demo_train;

typedef struct demo_files {
    demo_common common;
    const char *kind;
    opt_list files;
    int64_t offset;
} demo_files;

static const opt demo_common_opts[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = OPT_FLAG,
     .at = offsetof(demo_common, quiet),
     .help = "print results only"},
    {.name = "progress",
     .kind = OPT_FLAG,
     .at = offsetof(demo_common, progress),
     .preset = "yes",
     .help = "draw no bar"},
    {.name = "color",
     .kind = OPT_CHOICE,
     .at = offsetof(demo_common, color),
     .value = "WHEN",
     .preset = "auto",
     .choices = "auto|always|never",
     .help = "when to colour",
     .synonym = "colour"},
};

static const opt demo_train_args[] = {
    {.name = "GAME",
     .kind = OPT_TEXT,
     .at = offsetof(demo_train, game),
     .choices = "games",
     .required = true,
     .help = "the game to learn"},
};

static const opt demo_train_opts[] = {
    {.name = "run",
     .letter = 'r',
     .kind = OPT_DIR,
     .at = offsetof(demo_train, run),
     .value = "DIR",
     .help = "the run's folder: it's made when missing [and kept]",
     .required = true},
    {.name = "resume", .kind = OPT_FLAG, .at = offsetof(demo_train, resume), .help = "go on where it stopped"},
    {.name = "config",
     .kind = OPT_FILE,
     .at = offsetof(demo_train, config),
     .value = "FILE",
     .help = "options from a file"},
    {.name = "note", .kind = OPT_TEXT, .at = offsetof(demo_train, note), .value = "TEXT", .help = "kept with the run"},
    {.help = "Work"},
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = offsetof(demo_train, backend),
     .value = "WHERE",
     .preset = "auto",
     .choices = "auto|cpu|cuda",
     .help = "where to compute"},
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = offsetof(demo_train, threads),
     .value = "N",
     .preset = "2",
     .low = 1,
     .high = 64,
     .help = "threads to use"},
    {.name = "steps",
     .kind = OPT_INT,
     .at = offsetof(demo_train, steps),
     .value = "N",
     .low = 0,
     .high = 1e18,
     .help = "stop after so many steps"},
    {.name = "learning-rate",
     .kind = OPT_NUMBER,
     .at = offsetof(demo_train, rate),
     .value = "X",
     .preset = "0.01",
     .low = 0,
     .high = 1,
     .help = "size of a step"},
    {.name = "first",
     .kind = OPT_TEXT,
     .at = offsetof(demo_train, first),
     .value = "AGENT",
     .choices = "agents",
     .help = "who moves first",
     .synonym = "player1"},
};

static const opt demo_files_args[] = {
    {.name = "KIND",
     .kind = OPT_CHOICE,
     .at = offsetof(demo_files, kind),
     .choices = "obf|sgf",
     .required = true,
     .help = "what the files are"},
    {.name = "FILE",
     .kind = OPT_LIST,
     .at = offsetof(demo_files, files),
     .help = "the files; none reads standard input"},
};

static const opt demo_files_opts[] = {
    {.name = "offset",
     .letter = 'o',
     .kind = OPT_INT,
     .at = offsetof(demo_files, offset),
     .value = "N",
     .low = -10,
     .high = 1e18,
     .help = "skip so many"},
};

static const command demo_train_command = {
    .name = "train",
    .summary = "learn a game by self-play",
    .about =
        "Plays against itself and learns from what happened. The run's folder holds everything; a stopped run goes on "
        "with --resume.\n\nA config file has lines such as\n  threads = 4\n  note = \"a first run\"",
    .examples = "demo train othello --run runs/a  # a first run\ndemo train othello --run runs/a --resume  # go on\n"
                "demo train renju --run r --note 'of two words'",
    .args = demo_train_args,
    .n_args = 1,
    .opts = demo_train_opts,
    .n_opts = (int)(sizeof demo_train_opts / sizeof *demo_train_opts),
    .size = sizeof(demo_train),
};

static const command demo_check_command = {
    .name = "nn check",
    .summary = "check files",
    .args = demo_files_args,
    .n_args = 2,
    .opts = demo_files_opts,
    .n_opts = 1,
    .size = sizeof(demo_files),
};

static const command demo_info_command = {
    .name = "nn info", .summary = "say what this is", .size = sizeof(demo_common)};

static const command *const demo_commands[] = {&demo_train_command, &demo_check_command, &demo_info_command};

static const char *demo_hint(const char *kind, const char *within, int i)
{
    static const char *const games[] = {"othello", "renju", "$(touch oops)", "puyo", NULL};
    static const char *const agents[] = {"random", "alphabeta:depth=6", "easy", "easy", "beam", NULL};
    static const char *const of_puyo[] = {"random", "beam", NULL};
    if (strcmp(kind, "games") == 0) return games[i];
    if (strcmp(kind, "agents") != 0) return NULL;
    return within != NULL && strcmp(within, "puyo") == 0 ? of_puyo[i] : agents[i];
}

static const program demo_program = {
    .name = "demo",
    .version = "1.2.3",
    .date = "2026-11-15",
    .summary = "a program to test with",
    .about = "Learns games and checks files.",
    .common = demo_common_opts,
    .n_common = 3,
    .commands = demo_commands,
    .n_commands = 3,
    .hint = demo_hint,
    .scope = "games",
};

#endif
