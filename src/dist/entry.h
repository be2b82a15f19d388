// What the table says of a run: enough for a worker to join it with nothing but the server's URL.
//
// Key "run.NAME". The value is lines `key = value`, a line "---", and the run's configuration as `keiko train` keeps it in
// config.txt. Weights lie in a stream of their own, in chunks (weights.c); the entry is written after them, so whoever reads it finds
// them. Also here: the names of subjects and streams.
#ifndef KEIKO_DIST_ENTRY_H
#define KEIKO_DIST_ENTRY_H

#include "dist/bus.h"
#include "dist/message.h"

typedef struct run_entry {
    char run[DIST_NAME];
    int64_t format;       // of messages
    uint64_t number;      // of the run, drawn when it begins: tells apart runs of the same name
    char version[64];     // of the learner's program
    char game[32];        //
    uint64_t generation;  // of the weights, from 1
    uint64_t step;        // their training steps
    uint64_t size, chunk; // bytes of the weights, and of a chunk
    uint32_t crc;         // CRC-32C of them
    char *config;         // caller frees with run_entry_free
} run_entry;

void run_entry_free(run_entry *e);
err run_entry_write(const run_entry *e, text_buf *out);
err run_entry_read(run_entry *e, const char *run, const char *text, size_t size);
err run_entry_get(run_entry *e, bus *b, const char *run, bool *found);

// Can this program work for the run? If not, the sentence says what differs.
err run_entry_fits(const run_entry *e, const char *version);

// Weights of the entry's generation as bytes of a safetensors file, and back; sizes and checksum are checked.
err weights_put(bus *b, run_entry *e, const char *data, size_t size,
                const bus_patience *p); // fills in size, chunk, crc
err weights_get(bus *b, const run_entry *e, text_buf *out);
err weights_forget(bus *b, const char *run, uint64_t generation);

enum { DIST_SUBJECT = 128 };
typedef enum dist_stream { STREAM_GAMES, STREAM_WEIGHTS } dist_stream;
void dist_stream_name(char out[DIST_SUBJECT], dist_stream s, const char *run);
void dist_stream_subjects(char out[DIST_SUBJECT], dist_stream s, const char *run); // all of them
void dist_games_subject(char out[DIST_SUBJECT], const char *run, const char *worker);

#define DIST_NEWS        "keiko.news"      // plain: the name of a run whose entry has changed
#define DIST_STATUS      "keiko.status."   // plain: a worker's or learner's state, see status.h
#define DIST_STATUS_ALL  "keiko.status.*"  //
#define DIST_JOBS        "keiko-jobs"      // the queue, and its subjects:
#define DIST_JOBS_ALL    "keiko.jobs.*"    // keiko.jobs.BENCH
#define DIST_RESULTS     "keiko-results"   // a stream, and its subjects:
#define DIST_RESULTS_ALL "keiko.results.*" // keiko.results.BENCH

#endif
