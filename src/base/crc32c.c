// CRC-32C, by the SSE 4.2 instruction that every x86-64-v2 machine has (8 bytes in 3 cycles), elsewhere by a table.
#include "base/crc32c.h"

#include <string.h>

#if defined(KEIKO_X86)
#include <nmmintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u // reflected, as the standard writes it

uint32_t crc32c_plain(uint32_t before, const void *data, size_t size)
{
    uint32_t table[16]; // half a byte at a time: small enough to be made on each call
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t c = i;
        for (int k = 0; k < 4; k++) c = (c >> 1) ^ (POLYNOMIAL & (0u - (c & 1)));
        table[i] = c;
    }
    const unsigned char *p = data;
    uint32_t c = ~before;
    for (size_t i = 0; i < size; i++) {
        c ^= p[i];
        c = (c >> 4) ^ table[c & 15];
        c = (c >> 4) ^ table[c & 15];
    }
    return ~c;
}

#if defined(KEIKO_X86)

uint32_t crc32c(uint32_t before, const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t c = (uint32_t)~before;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        c = _mm_crc32_u64(c, word);
    }
    uint32_t low = (uint32_t)c;
    for (; size > 0; size--) low = _mm_crc32_u8(low, *p++);
    return ~low;
}

#else

uint32_t crc32c(uint32_t before, const void *data, size_t size)
{
    return crc32c_plain(before, data, size);
}

#endif
