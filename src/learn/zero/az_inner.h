// Private to learn/az*.c: a run under way.
#ifndef KEIKO_LEARN_ZERO_AZ_INNER_H
#define KEIKO_LEARN_ZERO_AZ_INNER_H

#include "arena/openings.h"
#include "arena/tour.h"
#include "eval/eval.h"
#include "learn/zero/az.h"
#include "learn/zero/replay_copy.h"
#include "learn/zero/selfplay.h"
#include "stats/results.h"

typedef struct az_rated { // a network that was rated
    uint64_t step;
    char file[64]; // in the run directory
} az_rated;

typedef struct az_ratings {
    store *games; // all rating games, in the run's folder
    int *runs;    // those runs of the store that count, in order
    int n_runs;
    results all;    // their games
    az_rated *past; // in order
    int n_past;
    double best;   // rating of best.safetensors
    bool has_best; // of a network that was trained: in this run, or before it (--init)
} az_ratings;

typedef struct az_shares { // where rounds' time went; az_shares.c
    double wall;           // from a round's beginning to the new weights
    double work;           // self-play's threads, together
    eval_stats eval;       // their seconds in the evaluator
    nn_usage gpu;          // of wall, by the GPU's clock
    // a round under way
    double began;
    nn_usage at_begin;
    eval_stats before;
} az_shares;

typedef struct az {
    train_options o;
    const az_config *c;
    uint64_t seed;
    const game *g;
    const encoding *enc;
    const nn_backend *backend;   // runs the network for self-play
    const nn_backend *trains_on; // trains it: the same where it can
    pool *threads;
    int n_threads;
    bool resumes; // there is a checkpoint to go on from
    bool trial;   // az_check: nothing will be learned with these parts
    samples_shape shape;
    replay *buffer;
    replay_copy *copy; // of the replay buffer, where the learner computes; NULL = batches are made on the host
    replay_batch batch;
    selfplay *play;
    game_queue *finished; // from self-play to the learner
    evaluator *evaluator; // of `net`
    evaluator *teacher;   // plays instead, with --teacher; its weights never change
    nn_learner *learner;
    nn_net *net;     // what is learned: self-play uses it, unless there is a teacher
    nn_net *trained; // the same with the heads that only training uses; holds new weights on their way to `net`
    nn_lr lr;
    text_buf flight; // games in flight at the last round's end
    text_buf remote; // what the checkpoint says of workers elsewhere
    double sent_at;  // when they were given weights
    uint64_t sent_step;
    train_state s;
    uint64_t drawn;       // samples drawn by the learner
    uint64_t kept_oldest; // first sample that the checkpoint before this one needs
    uint64_t rated_step;  // step of the last rating
    double rate_cost;     // seconds a rating takes, by the last one; 0 = none was made
    double save_cost;     // likewise a checkpoint
    bool save_due;        // --async: a checkpoint is to be written beside the next round
    bool half_done;       // stopped inside a gate: this is no place to resume from
    az_ratings r;
    openings set;      // of rating games; made when first needed
    selfplay_stats st; // since the last line of the log
    eval_stats logged; // at the last line
    az_shares spent;   // since the last line
    double log_at, save_at, staleness;
    double logged_play, logged_learn, logged_rate, logged_save;
    uint64_t steps_logged, shown; // lines of games written
    double loss_sum, head_sum[NN_MAX_HEADS], grad_sum;
} az;

err az_keep_flight(az *z); // az.c

// az_log.c
void az_show(az *z); // the line on the screen, between rounds
err az_tell(az *z,
            bool last); // after a round; into the log at most every other second, as a tic-tac-toe round takes less

// az_rate.c
err az_rate_check(const az *z);                        // can the references play, and is the anchor among them?
err az_rate(az *z, bool last);                         // plays rating games with z->net, keeps the model file
err az_keep_last(az *z);                               // as best.safetensors, where no trained network was rated
err az_gate(az *z, const nn_net *candidate, bool *in); // is the candidate no weaker than z->net?

// az_ratings.c
err az_ratings_open(az_ratings *r, const run_home *home);
void az_ratings_free(az_ratings *r);
err az_ratings_count(az_ratings *r, int run);                         // this run of the store counts from now on
err az_ratings_model(az_ratings *r, uint64_t step, const char *file); // a network that was rated
err az_ratings_write(const az_ratings *r, text_buf *out);             // for the checkpoint
err az_ratings_read(az_ratings *r, const game *g, const char *text, size_t size);

// az_teacher.c
err az_teacher_make(az *z, const eval_options *o); // does nothing where there is none
evaluator *az_player(const az *z);                 // whose search plays the games
// Searches that play for the margin need a network that knows it: `d`, or the teacher's.
err az_check_margin(const az_config *c, const game *g, const nn_desc *d);

// az_shares.c: self-play lies between the first two; rating asks the same evaluator, so what it says is taken there
void az_shares_begin(az *z);
void az_shares_played(az *z);
void az_shares_end(az *z, double work, double apart); // `apart`: seconds of the round that are somebody else's
err az_shares_log(az *z);

// az_remote.c: workers elsewhere. All do nothing where there are none
err az_remote_begin(az *z);
err az_remote_take(az *z, samples *made, selfplay_stats *st, uint64_t *games); // waits a little for the first game
err az_remote_weights(az *z, bool now);                                        // sends them when it is time to
bool az_plays(const az *z);                                                    // does this process play?

// az_save.c
err az_save(az *z);       // a checkpoint of the last round's end
err az_save_final(az *z); // the network alone, for people: final.safetensors
err az_resume(az *z);     // reads the checkpoint that the run directory offers, if any

void az_note(const az *z, char *buf, size_t n); // provenance for a weights file
err az_set_note(az *z);                         // … of the network as it is now

#endif
