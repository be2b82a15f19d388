// CRC-32C (Castagnoli): the checksum of TensorBoard's records and of our checkpoints. Finds torn and rotten files; it is
// no defence against anyone who wants to cheat.
#ifndef KEIKO_BASE_CRC32C_H
#define KEIKO_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

// The checksum of `before` followed by these bytes; start with 0. crc32c(0, "123456789", 9) = 0xe3069283.
uint32_t crc32c(uint32_t before, const void *data, size_t size);

uint32_t crc32c_plain(uint32_t before, const void *data, size_t size); // the same without the CPU's instruction

#endif
