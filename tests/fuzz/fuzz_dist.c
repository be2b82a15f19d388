// Any bytes as a game's message, a ledger, a run's entry, a bench's setup, a job and a result: read or refused, never a crash.
// Messages carry a checksum, which no fuzzer guesses: it is put right before they are read. The first byte chooses the kind.
#include "base/crc32c.h"
#include "dist/entry.h"
#include "dist/jobs.h"
#include "dist/ledger.h"
#include "dist/status.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static samples_shape shape;
static dist_codec *codec;
static const game *g;

static void set_up(void)
{
    if (codec != NULL) return;
    if (game_find("tictactoe", &g) != ERR_OK || samples_shape_make(&shape, g, &g->encodings[0]) != ERR_OK) abort();
    if (dist_codec_new(&codec) != ERR_OK) abort();
}

static void fix(char *p, size_t size, size_t at, size_t from)
{
    if (size < from) return;
    uint32_t crc = crc32c(0, p + from, size - from);
    memcpy(p + at, &crc, sizeof crc);
}

static void as_game(char *p, size_t size)
{
    dist_head h;
    finished_game f;
    fix(p, size, 8, 12);
    if (dist_game_read(codec, &h, &f, &shape, 1, p, size) == ERR_OK) finished_game_free(&f);
}

static void as_ledger(const char *p, size_t size)
{
    ledger l = {0}, back = {0};
    text_buf t = {0};
    if (ledger_read(&l, p, size) == ERR_OK) { // what was read is written and read again
        if (ledger_write(&l, &t) != ERR_OK || ledger_read(&back, t.data, t.len) != ERR_OK || back.n != l.n) abort();
    }
    ledger_free(&l);
    ledger_free(&back);
    text_free(&t);
}

static void as_texts(const char *p, size_t size)
{
    run_entry e;
    dist_status s;
    opt_values *keep = opt_keep();
    if (run_entry_read(&e, "run", p, size) == ERR_OK) run_entry_free(&e);
    (void)dist_status_read(&s, p, size, keep);
    opt_free(keep);
}

static void as_job(char *p, size_t size)
{
    job_setup s;
    job_head h;
    match_game *games;
    char worker[DIST_NAME];
    fix(p, size, 4, 8);
    if (job_setup_read(&s, p, size) == ERR_OK) job_setup_free(&s);
    if (job_read(&h, &games, p, size) == ERR_OK) free(games);
    (void)job_result_read(&h, worker, g, 2, p, size, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    set_up();
    if (size == 0) return 0;
    char *p = malloc(size > 1 ? size - 1 : 1); // a byte beyond is noticed
    if (p == NULL) return 0;
    memcpy(p, data + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        as_game(p, size - 1);
        break;
    case 1:
        as_ledger(p, size - 1);
        break;
    case 2:
        as_texts(p, size - 1);
        break;
    default:
        as_job(p, size - 1);
        break;
    }
    free(p);
    return 0;
}
