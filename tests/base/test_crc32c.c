// CRC-32C against published values, and the two ways against each other.
#include "base/crc32c.h"
#include "test.h"

static void known(void **state)
{
    (void)state;
    unsigned char buf[32];
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283); // the check value of the standard
    memset(buf, 0, sizeof buf);
    assert_int_equal(crc32c(0, buf, 32), 0x8a9136aa); // RFC 3720, B.4
    memset(buf, 0xff, sizeof buf);
    assert_int_equal(crc32c(0, buf, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) buf[i] = (unsigned char)i;
    assert_int_equal(crc32c(0, buf, 32), 0x46dd794e);
    for (int i = 0; i < 32; i++) buf[i] = (unsigned char)(31 - i);
    assert_int_equal(crc32c(0, buf, 32), 0x113fdb5c);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void agree(void **state)
{
    (void)state;
    unsigned char buf[300];
    for (size_t i = 0; i < sizeof buf; i++) buf[i] = (unsigned char)(i * i * 31 + 7);
    for (size_t n = 0; n <= sizeof buf; n++) {
        uint32_t whole = crc32c_plain(0, buf, n);
        assert_int_equal(crc32c(0, buf, n), whole);
        size_t cut = n * 2 / 3;
        assert_int_equal(crc32c(crc32c(0, buf, cut), buf + cut, n - cut), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
