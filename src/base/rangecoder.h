// A binary range coder with adaptive bits: numbers whose likelihood is learned as they come, packed close to their entropy.
//
// The coder of LZMA with 16-bit probabilities. A bit is coded with a model, which moves towards the bits it has seen; writer
// and reader must use the same models in the same order. The reader never leaves its bytes: behind the end it reads zeros
// and remembers it (range_read_end). Inline, because both ends call it for every bit.
#ifndef KEIKO_BASE_RANGECODER_H
#define KEIKO_BASE_RANGECODER_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t range_bit; // a model: the probability of a zero, in 1/65536

enum {
    RANGE_EVEN = 1 << 15, // what a model starts from
    RANGE_RATE = 5,
    RANGE_LEAST = 64, // probabilities stay this far from 0 and 1
};

static inline void range_learn(range_bit *m, bool bit)
{
    int p = *m;
    p += bit ? -(p >> RANGE_RATE) : (65536 - p) >> RANGE_RATE;
    *m = (range_bit)(p < RANGE_LEAST ? RANGE_LEAST : p > 65536 - RANGE_LEAST ? 65536 - RANGE_LEAST : p);
}

// --- writing

typedef struct range_writer {
    text_buf *out;
    uint64_t low;
    uint32_t range;
    uint8_t cache;
    uint64_t pending; // bytes held back because a carry may still reach them
} range_writer;

static inline range_writer range_write_begin(text_buf *out)
{
    return (range_writer){.out = out, .range = 0xffffffffu, .pending = 1};
}

static inline void range_shift(range_writer *w)
{
    if (w->low < 0xff000000u || w->low >> 32 != 0) {
        uint8_t carry = (uint8_t)(w->low >> 32), byte = w->cache;
        for (; w->pending > 0; w->pending--, byte = 0xff) text_char(w->out, (char)(uint8_t)(byte + carry));
        w->cache = (uint8_t)(w->low >> 24);
    }
    w->pending++;
    w->low = (w->low & 0x00ffffffu) << 8;
}

static inline void range_write(range_writer *w, range_bit *m, bool bit)
{
    uint32_t bound = (w->range >> 16) * *m;
    if (bit) {
        w->low += bound;
        w->range -= bound;
    } else {
        w->range = bound;
    }
    range_learn(m, bit);
    for (; w->range < 1u << 24; w->range <<= 8) range_shift(w);
}

static inline void range_write_end(range_writer *w)
{
    for (int i = 0; i < 5; i++) range_shift(w);
}

// --- reading

typedef struct range_reader {
    const uint8_t *data;
    size_t at, size; // `at` may pass `size`
    uint32_t range, code;
} range_reader;

static inline uint8_t range_byte(range_reader *r)
{
    uint8_t b = r->at < r->size ? r->data[r->at] : 0;
    r->at++;
    return b;
}

static inline range_reader range_read_begin(const uint8_t *data, size_t size)
{
    range_reader r = {.data = data, .size = size, .range = 0xffffffffu};
    for (int i = 0; i < 5; i++) r.code = r.code << 8 | range_byte(&r);
    return r;
}

static inline bool range_read(range_reader *r, range_bit *m)
{
    uint32_t bound = (r->range >> 16) * *m;
    bool bit = r->code >= bound;
    if (bit) {
        r->code -= bound;
        r->range -= bound;
    } else {
        r->range = bound;
    }
    range_learn(m, bit);
    for (; r->range < 1u << 24; r->range <<= 8) r->code = r->code << 8 | range_byte(r);
    return bit;
}

// After the last bit: 0 = exactly all bytes were read, 1 = bytes are left, -1 = there were too few.
static inline int range_read_end(const range_reader *r)
{
    return r->at < r->size ? 1 : r->at > r->size ? -1 : 0;
}

#endif
