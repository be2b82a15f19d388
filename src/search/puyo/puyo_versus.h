// A player for Puyo matches: builds with the beam, watches the other side, answers, harasses and finishes.
//
// What decides a match is who can answer whom. A chain takes about a second per link, and while it runs the other side goes on
// placing pairs; so an attack is worth its points less what the other side can fire in that time. The player asks, in order:
//   answer   nuisance is on its way: what can I fire before it falls? Wait as long as waiting adds, cancel small
//            attacks with small chains
//   finish   would a chain that I can fire now bury the other side after its best answer?
//   harass   does a small chain, which costs the large one little, arrive before it can be answered?
//   build    else: the beam's placement, which fires by itself when the field is full
//   play on  with time for it, and from the middle of the game on: which of these choices and of the next best placements
//            wins most games that a quick player plays on from here? (puyo_playout.h)
// Weaker players search less far and know less of this (agents/level_rows.h). All see what a player sees: an observation.
#ifndef KEIKO_SEARCH_PUYO_PUYO_VERSUS_H
#define KEIKO_SEARCH_PUYO_PUYO_VERSUS_H

#include "games/puyo/puyo_match.h"
#include "search/puyo/puyo_beam.h"

typedef struct puyo_versus_options {
    int width, depth, samples, visible; // of its own beam
    int late;                           // futures it searches on a crowded field; 0 = as many as ever
    int fire;                           // fires any chain of at least this many points; 0 = only when it pays off
    int slip;                           // percent of placements that are random
    bool answer, finish, harass, hold;
    int scout;    // width of the search for the other side's answers; 0 = the usual one
    int playouts; // futures played on (puyo_playout.h), with a time limit as many as fit; 0 = none without one; -1 = never
} puyo_versus_options;

typedef struct puyo_versus puyo_versus;
puyo_versus *puyo_versus_new(const puyo_versus_options *o); // NULL without memory
void puyo_versus_free(puyo_versus *v);

typedef struct puyo_plan {
    int move;
    int fires;        // points of the chain that it fires
    double expects;   // points of the chain it builds towards
    const char *plan; // "answer", "finish", "harass", "fire", "build", "slip", "play on"
    uint64_t nodes;
} puyo_plan;

// Of the choices that follow: more time means more futures; a stop makes it choose with what it knows.
void puyo_versus_limit(puyo_versus *v, puyo_beam_limits l);

// `obs` is seat's observation and it is seat's turn.
puyo_plan puyo_versus_choose(puyo_versus *v, const py_match *obs, int seat, rng *r);

// What a player can know about time, for tests and explanations.
int puyo_placement_frames(const py_field *f); // about how long a placement takes
int puyo_bury_count(const py_field *f);       // nuisance that fills the spawn column, about
int puyo_known_pairs(const py_match *obs, int seat, uint8_t pairs[PY_RING]); // seat's pairs from the current one on

#endif
