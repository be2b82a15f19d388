// Match games as jobs: what `keiko bench --nats` puts into the queue and a worker plays.
//
// A bench puts its setup into the table once ("bench.ID": game, players, openings, rules, seed), then jobs of a few games
// each. A game is a function of the setup and its own numbers (arena/match.h), so it does not matter who plays it, or
// whether two do: results carry the job's number and count once.
#ifndef KEIKO_DIST_JOBS_H
#define KEIKO_DIST_JOBS_H

#include "arena/match.h"
#include "dist/bus.h"
#include "dist/message.h"

#define JOB_AT_WORK 30.0 // seconds without a sign of life, after which a job goes to somebody else

// --- as bytes; all refuse what is truncated or contradicts itself

typedef struct job_setup { // free with job_setup_free
    const game *g;
    char version[64];
    char settings[256];
    char (*player)[2][256]; // name, spec
    int n_players;
    uint64_t seed;
    match_rules rules;
    bool no_clock;
    openings set;
} job_setup;
err job_setup_write(const match_options *o, const char *version, text_buf *out);
err job_setup_read(job_setup *s, const char *data, size_t size);
void job_setup_free(job_setup *s);

typedef struct job_head {
    char bench[DIST_NAME];
    uint64_t number; // of the job in its bench, from 1
    uint32_t games;
} job_head;
err job_write(const job_head *h, const match_game *games, text_buf *out);
err job_read(job_head *h, match_game **games, const char *data, size_t size); // caller frees *games

err job_result_write(const job_head *h, const char *worker, const match_record *r, text_buf *out);
typedef err job_result_see(void *ctx, const match_record *r);
// `worker` gets the name; every record is checked and then seen.
err job_result_read(job_head *h, char worker[DIST_NAME], const game *g, int n_players, const char *data, size_t size,
                    job_result_see *fn, void *ctx);

// --- the worker's side

typedef enum job_answer { JOB_DONE, JOB_LATER, JOB_DROP } job_answer;
// Plays it and publishes the result. Only a lack of memory is an error; what is wrong with the job is logged.
err job_play(const bus_job *job, bus *b, const char *worker, const char *version, int threads, uint64_t *games,
             job_answer *answer);

// --- the bench's side

typedef struct dist_bench dist_bench;
err dist_bench_open(dist_bench **out, const bus_options *o, const char *version, const bus_patience *p);
void dist_bench_close(dist_bench *d); // takes jobs that nobody has begun back; NULL is fine
// In the place of match_run: the workers play. `ctx` is the dist_bench.
err dist_bench_run(void *ctx, const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *done_ctx);

#endif
