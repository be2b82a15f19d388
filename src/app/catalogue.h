// What there is: games, agents, levels and models, for lists that people read and for programs. Games, agents and levels are
// tables of their own (games/game.h, agents/agent.h, agents/levels.h); models are files, looked at here.
#ifndef KEIKO_APP_CATALOGUE_H
#define KEIKO_APP_CATALOGUE_H

#include "agents/agent.h"
#include "agents/levels.h"
#include "base/file.h"
#include "base/json.h"
#include "nn/net.h"

// Arrays of objects. `g` NULL = of all games.
void catalogue_games_json(json_writer *w);
void catalogue_agents_json(json_writer *w, const game *g);
void catalogue_levels_json(json_writer *w, const game *g);
bool catalogue_list_json(json_writer *w, const char *what,
                         const game *g); // "games", "agents", "levels"; false: no such list
// The rows of an option table with the headings they stand under; `skip` ends with NULL.
void catalogue_options_json(json_writer *w, const opt *rows, int n, const char *const *skip);

// Parameters that several of the listed agents have in the same meaning are named once: `of` has a bit for each agent.
enum { CATALOGUE_AGENTS = 32, CATALOGUE_ROWS = 256 };
typedef struct catalogue_row {
    const opt *row;
    uint32_t of;
} catalogue_row;
int catalogue_rows(const agent_type *const *types, int n, catalogue_row out[CATALOGUE_ROWS]);

// --- models

typedef enum model_state { MODEL_UNCHECKED, MODEL_GOOD, MODEL_CHANGED, MODEL_BAD, MODEL_MISSING } model_state;
extern const char *const model_state_name[]; // "", "ok", "changed", "bad", "missing"

typedef struct catalogue_model {
    char name[64];            // as agents and commands take it
    char location[FILE_PATH]; // a path, or "embedded:…"; "" = missing
    const char *agent;        // that plays with it: "zero"; "" = unknown
    const char *made;         // how it was made; "" = see the note
    char game[32];            // "" = unknown
    size_t size;              // bytes
    uint32_t checksum;        // CRC-32C of the bytes
    char network[NN_TEXT];    // its description; "" where it is no network
    char *note;               // from the file; NULL = none
    model_state state;
    char why[300]; // what is wrong
} catalogue_model;

// Those that ship, then other .safetensors in the folder named by KEIKO_MODELS. `verify`: load each completely, test that
// it fits its game, and compare the checksum with the one it shipped with. Caller frees with catalogue_models_free.
err catalogue_models(bool verify, catalogue_model **out, int *n);
void catalogue_models_free(catalogue_model *m, int n);
void catalogue_models_json(json_writer *w, const catalogue_model *m, int n);

// --- networks

// A file where there is one, then a shipped model, whose ending may be left out where no preset has that name; a preset or a
// description gets random weights (*fresh).
err catalogue_open_net(nn_net **out, const char *name, uint64_t seed, bool *fresh);
// The games that can use a network, as words: "othello (mask)". `first` (may be NULL): the first whose own encoding it reads.
void catalogue_fitting_games(const nn_net *net, text_buf *t, const game **first);

#endif
