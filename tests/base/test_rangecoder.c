// The range coder: what goes in comes out, close to the entropy; and the ends of the bytes are noticed.
#include "base/rangecoder.h"
#include "base/rng.h"
#include "test.h"

enum { BITS = 100000, MODELS = 3 };

static bool bit_at(rng *r, int i) // three kinds: rarely set, mostly set, even
{
    return i % 3 == 0 ? rng_below(r, 100) == 0 : i % 3 == 1 ? rng_below(r, 10) > 0 : rng_below(r, 2) == 0;
}

static void write_bits(text_buf *t)
{
    range_bit m[MODELS] = {RANGE_EVEN, RANGE_EVEN, RANGE_EVEN};
    rng r = rng_at(3, 0, 0);
    range_writer w = range_write_begin(t);
    for (int i = 0; i < BITS; i++) range_write(&w, &m[i % 3], bit_at(&r, i));
    range_write_end(&w);
}

static int read_bits(const text_buf *t, size_t size, bool check)
{
    range_bit m[MODELS] = {RANGE_EVEN, RANGE_EVEN, RANGE_EVEN};
    rng r = rng_at(3, 0, 0);
    range_reader in = range_read_begin((const uint8_t *)t->data, size);
    for (int i = 0; i < BITS; i++) {
        bool bit = range_read(&in, &m[i % 3]);
        if (check) assert_int_equal(bit, bit_at(&r, i));
    }
    return range_read_end(&in);
}

static void test_round_trip(void **state)
{
    (void)state;
    text_buf t = {0};
    write_bits(&t);
    assert_ok(text_check(&t));
    assert_int_equal(read_bits(&t, t.len, true), 0);
    // The entropy of a third of the bits each: 0.081, 0.469 and 1 bits.
    double entropy = BITS / 3.0 * (0.081 + 0.469 + 1) / 8;
    assert_true((double)t.len > 0.98 * entropy && (double)t.len < 1.05 * entropy);
    assert_int_equal(read_bits(&t, t.len - 1, false), -1);
    text_char(&t, 'x');
    assert_int_equal(read_bits(&t, t.len, true), 1);
    text_free(&t);
}

// Carries run through bytes of 0xff: with a model that is sure of zeros, ones are far up in the range.
static void test_carries(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        text_buf t = {0};
        range_bit a = 65000, b = 65000;
        rng r = rng_at(seed, 1, 0);
        range_writer w = range_write_begin(&t);
        for (int i = 0; i < 300; i++) range_write(&w, &a, rng_below(&r, 20) > 0);
        range_write_end(&w);
        r = rng_at(seed, 1, 0);
        range_reader in = range_read_begin((const uint8_t *)t.data, t.len);
        for (int i = 0; i < 300; i++) assert_int_equal(range_read(&in, &b), rng_below(&r, 20) > 0);
        assert_int_equal(range_read_end(&in), 0);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_carries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
