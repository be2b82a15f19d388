// Weights files: what we write we read; what is broken is refused with the reason.
#include "base/file.h"
#include "nn/net.h"
#include "nn/onnx.h"
#include "nn/safetensors.h"
#include "test.h"

#include <math.h>
#include <unistd.h>

static char path[64];

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/keiko_test_net_%d", (int)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < nn_preset_count(); i++) {
        nn_desc d;
        nn_net *a, *b;
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        assert_ok(nn_net_new(&a, &d, 3));
        if (i % 2 == 0) assert_ok(nn_net_set_note(a, "run \"7\"\nstep 1000\t\\ 稽古"));
        assert_ok(nn_net_save(a, path));
        assert_ok(nn_net_load(&b, path));
        assert_true(nn_desc_equal(&a->desc, &b->desc));
        assert_memory_equal(a->w, b->w, a->at.n_all * sizeof(float));
        if (i % 2 == 0)
            assert_string_equal(a->note, b->note);
        else
            assert_null(b->note);
        nn_net_free(a), nn_net_free(b);
    }
}

// In half the bytes: convolutions and matrices to 8 bits, to the nearest; vectors and statistics exactly. Saving what was
// loaded changes nothing more.
static void half_the_size(void **state)
{
    (void)state;
    nn_desc d;
    nn_net *a, *b, *c;
    char *whole, *half;
    size_t n_whole, n_half;
    assert_ok(nn_desc_parse("contrast-seed", &d));
    assert_ok(nn_net_new(&a, &d, 3));
    assert_ok(nn_net_save(a, path));
    assert_ok(file_read(path, 1 << 24, &whole, &n_whole));
    assert_ok(nn_net_save_bf16(a, path));
    assert_ok(file_read(path, 1 << 24, &half, &n_half));
    assert_true(n_half < n_whole * 51 / 100);
    assert_ok(nn_net_load(&b, path));
    size_t rounded = 0;
    for (size_t i = 0; i < a->at.n_all; i++) {
        assert_true(fabsf(a->w[i] - b->w[i]) <= fabsf(a->w[i]) / 256);
        rounded += a->w[i] != b->w[i];
    }
    assert_true(rounded > a->at.n_all / 2);
    assert_memory_equal(a->w + a->at.n_train, b->w + a->at.n_train, (a->at.n_all - a->at.n_train) * sizeof *a->w);
    assert_ok(nn_net_save_bf16(b, path));
    assert_ok(nn_net_load(&c, path));
    assert_memory_equal(b->w, c->w, b->at.n_all * sizeof *b->w);
    for (size_t cut = 0; cut < n_half; cut += 9973) {
        nn_net *e;
        assert_true(nn_net_from_bytes(&e, half, cut) != ERR_OK);
    }
    free(whole), free(half);
    nn_net_free(a), nn_net_free(b), nn_net_free(c);
}

// A file by its header and the number of data bytes (zeros).
static err parse(const char *header, size_t data, st_file **f, char *bytes)
{
    size_t n = strlen(header);
    memset(bytes, 0, 8);
    bytes[0] = (char)(n & 255), bytes[1] = (char)(n >> 8);
    memcpy(bytes + 8, header, n);
    memset(bytes + 8 + n, 0, data);
    return st_parse(f, bytes, 8 + n + data);
}

static void headers(void **state)
{
    (void)state;
    char b[4096];
    st_file *f;
    assert_ok(parse("{}", 0, &f, b));
    st_free(f);
    assert_ok(parse("{\"__metadata__\":{\"k\":\"v\\u00e9\\ud83d\\ude00\"},\"x\":{\"dtype\":\"F32\",\"shape\":[2,1],"
                    "\"data_offsets\":[0,8]} ,"
                    "\"y\":{\"shape\":[],\"data_offsets\":[8,9],\"dtype\":\"U8\"}}  ",
                    9, &f, b));
    assert_int_equal(st_count(f), 2);
    assert_string_equal(st_find_meta(f, "k"), "v\xc3\xa9\xf0\x9f\x98\x80");
    assert_int_equal(st_find(f, "x")->size, 8);
    assert_int_equal(st_find(f, "y")->n_dims, 0);
    assert_null(st_find(f, "z"));
    st_free(f);
    static const struct {
        const char *header;
        size_t data;
        const char *says;
    } bad[] = {
        {"", 0, "expected '{'"},
        {"[]", 0, "expected '{'"},
        {"{", 0, "expected '\"'"},
        {"{}x", 0, "follows the header"},
        {"{}", 4, "oversized"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4, "truncated"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "larger than the file"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,12]}}", 12, "its shape needs 8"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "outside the file"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4294967296],\"data_offsets\":[0,8]}}", 8,
         "larger than"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,8]}}", 8, "too large"},
        {"{\"x\":{\"dtype\":\"F3\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unknown dtype"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "needs dtype"},
        {"{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "a field twice"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "whole number"},
        {"{\"x\":{\"colour\":\"F32\"}}", 8, "unknown field"},
        {"{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"y\":{\"dtype\":\"U8\",\"shape\":[4],\"data_"
         "offsets\":[2,6]}}",
         6, "overlaps"},
        {"{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_"
         "offsets\":[2,4]}}",
         4, "twice"},
        {"{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}", 4, "gap"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "expected '\"'"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "twice"},
        {"{\"a\\q\":1}", 0, "unknown escape"},
        {"{\"a\\ud800\":1}", 0, "surrogate"},
        {"{\"a\\u0000\":1}", 0, "NUL"},
        {"{\"a", 0, "without end"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_err(parse(bad[i].header, bad[i].data, &f, b), bad[i].says);
    assert_err(st_parse(&f, "short", 5), "too short");
    assert_err(st_parse(&f, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "no safetensors file");
    assert_err(st_parse(&f, "\x09\0\0\0\0\0\0\0{}", 10), "truncated");
    assert_err(st_parse(&f, "\x80\x02}q\0(X\1\0\0\0a", 12), "PyTorch");
    assert_err(st_parse(&f, "PK\3\4\0\0\0\0\0\0", 10), "PyTorch");
    for (int n = ST_NAME - 2; n <= ST_NAME + 1; n++) { // the longest name that fits
        char header[300], name[ST_NAME + 2] = "";
        memset(name, 'n', (size_t)n);
        snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", name);
        if (n >= ST_NAME) {
            assert_err(parse(header, 4, &f, b), "a tensor's name is too long");
            continue;
        }
        assert_ok(parse(header, 4, &f, b));
        assert_non_null(st_find(f, name));
        st_free(f);
    }
    char begins_like_a_pickle[8 + 640] = "\x80\x02\0\0\0\0\0\0{}"; // a header of 640 bytes, padded with blanks
    memset(begins_like_a_pickle + 10, ' ', 638);
    assert_ok(st_parse(&f, begins_like_a_pickle, sizeof begins_like_a_pickle));
    st_free(f);
    f = NULL;
}

// A saved network with one thing changed.
static void spoiled_networks(void **state)
{
    (void)state;
    nn_desc d;
    nn_net *a, *b;
    char *data;
    size_t size;
    assert_ok(nn_desc_parse("test-tiny", &d));
    assert_ok(nn_net_new(&a, &d, 3));
    assert_ok(nn_net_save(a, path));
    assert_ok(file_read(path, 1 << 24, &data, &size));
    text_buf bytes = {0}; // the file's, without a file
    assert_ok(nn_net_to_bytes(a, &bytes));
    assert_int_equal(bytes.len, size);
    assert_memory_equal(bytes.data, data, size);
    text_free(&bytes);
    assert_err(nn_net_from_bytes(&b, data, size - 1), "truncated");
    for (size_t cut = 0; cut < size; cut += 97) assert_true(nn_net_from_bytes(&b, data, cut) != ERR_OK);
    char *more = malloc(size + 1);
    memcpy(more, data, size);
    more[size] = 0;
    assert_err(nn_net_from_bytes(&b, more, size + 1), "oversized");
    char *at = strstr(data + 8, "b=1 ");
    at[2] = '9';
    assert_err(nn_net_from_bytes(&b, data, size), "smaller than the network");
    at[2] = '2';
    assert_err(nn_net_from_bytes(&b, data, size), "is missing");
    at[2] = '0';
    assert_ok(nn_net_from_bytes(&b, data, size)); // tensors beyond the description's are left alone
    nn_net_free(b);
    at[2] = '1';
    at = strstr(data + 8, "2:9 ");
    at[2] = '8';
    assert_err(nn_net_from_bytes(&b, data, size), "another shape");
    at[2] = '9';
    at = strstr(data + 8, "stem.conv.weight");
    at[0] = 'S';
    assert_err(nn_net_from_bytes(&b, data, size), "'stem.conv.weight' is missing");
    at[0] = 's';
    at = strstr(data + 8, "keiko.net");
    at[0] = 'K';
    assert_err(nn_net_from_bytes(&b, data, size), "no network description");
    at[0] = 'k';
    float bad = NAN;
    memcpy(data + size - 4, &bad, 4);
    assert_err(nn_net_from_bytes(&b, data, size), "not finite");
    assert_err(nn_net_load(&b, "/nonexistent/net"), "/nonexistent/net");
    assert_err(nn_net_load(&b, "/dev/zero"), "/dev/zero: it is a device"); // it would never end
    assert_err(nn_net_save(a, "/nonexistent/net"), "/nonexistent");
    free(data), free(more);
    nn_net_free(a);
}

// Walks one level of a protobuf message: fills how often each field below 16 occurs, and where field `want` last lay.
static void fields(const unsigned char *p, size_t n, int count[16], int want, const unsigned char **at, size_t *size)
{
    memset(count, 0, 16 * sizeof *count);
    for (size_t i = 0; i < n;) {
        uint64_t v[2] = {0};
        for (int k = 0; k < 2; k++) // tag, then value or length
            for (int shift = 0;; shift += 7) {
                assert_true(i < n && shift < 64);
                v[k] |= (uint64_t)(p[i] & 127) << shift;
                if (p[i++] < 128) break;
            }
        int field = (int)(v[0] >> 3), type = (int)(v[0] & 7);
        assert_true(field > 0 && field < 16 && (type == 0 || type == 2));
        count[field]++;
        if (type != 2) continue;
        assert_true(v[1] <= n - i);
        if (field == want) *at = p + i, *size = (size_t)v[1];
        i += (size_t)v[1];
    }
}

// The file is a well-formed model with a node a layer and an output a head; that it computes the same is checked by
// tools/nn_onnx_check.py, which needs other software.
static void onnx_is_well_formed(void **state)
{
    (void)state;
    for (int i = 0; i < nn_preset_count(); i++) {
        nn_desc d;
        nn_net *a;
        char *data;
        size_t size, gsize = 0;
        int count[16];
        const unsigned char *graph = NULL;
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        assert_ok(nn_net_new(&a, &d, 3));
        assert_ok(nn_onnx_export(a, path, NULL, 0));
        assert_ok(file_read(path, (size_t)1 << 28, &data, &size));
        fields((unsigned char *)data, size, count, 7, &graph, &gsize);
        assert_int_equal(count[7], 1);
        assert_int_equal(count[8], 1);
        assert_true(gsize > a->at.n_train * sizeof(float) * 4 / 5); // all weights but the folded gammas
        fields(graph, gsize, count, 0, &graph, &gsize);
        assert_int_equal(count[11], 1);
        assert_int_equal(count[12], d.n_heads);
        if (strcmp(nn_preset_name(i), "othello-seed") == 0) assert_int_equal(count[1], 2 + 10 * 5 + 4 + 7);
        assert_err(nn_onnx_export(a, "/nonexistent/x.onnx", NULL, 0), "/nonexistent");
        free(data);
        nn_net_free(a);
    }
}

static void averages(void **state)
{
    (void)state;
    nn_desc d;
    nn_net *a, *b;
    assert_ok(nn_desc_parse("test-tiny", &d));
    assert_ok(nn_net_new(&a, &d, 3));
    assert_ok(nn_net_new(&b, &d, 4));
    float x = a->w[5], y = b->w[5];
    b->w[b->at.n_all - 1] = 7;
    nn_net_ema(a, b, 0.75f);
    assert_true(fabsf(a->w[5] - (0.75f * x + 0.25f * y)) < 1e-6f);
    assert_true(a->w[a->at.n_all - 1] == 7);
    nn_net_free(a), nn_net_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),       cmocka_unit_test(half_the_size), cmocka_unit_test(headers),
        cmocka_unit_test(spoiled_networks), cmocka_unit_test(averages),      cmocka_unit_test(onnx_is_well_formed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
