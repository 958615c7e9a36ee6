#include "base/bytes.h"

#include <string.h>

#define HASH_SEED 0x9e3779b97f4a7c15u // the golden ratio's bits: any odd constant would do

Bytes bytes_start(BytesMode mode, void* data, size_t size)
{
    return (Bytes){.mode = mode, .data = data, .size = size, .hash = HASH_SEED};
}

// The multiplier and shift of MurmurHash3's finaliser: each bit of the word reaches every bit of the hash.
static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

// Compilers turn either into one instruction where the machine is little-endian.
static void store(uint8_t at[8], uint64_t word)
{
    at[0] = (uint8_t)word, at[1] = (uint8_t)(word >> 8), at[2] = (uint8_t)(word >> 16);
    at[3] = (uint8_t)(word >> 24), at[4] = (uint8_t)(word >> 32), at[5] = (uint8_t)(word >> 40);
    at[6] = (uint8_t)(word >> 48), at[7] = (uint8_t)(word >> 56);
}

static uint64_t load(const uint8_t at[8])
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

void bytes_u64(Bytes* b, uint64_t* value)
{
    if (b->mode == BYTES_HASH) {
        b->hash = mixed(b->hash, *value);
    } else if (b->mode != BYTES_COUNT) {
        if (b->failed || b->size - b->used < 8) {
            b->failed = true;
            return;
        }
        if (b->mode == BYTES_WRITE) {
            store(b->data + b->used, *value);
        } else {
            *value = load(b->data + b->used);
        }
    }
    b->used += 8;
}

void bytes_i64(Bytes* b, int64_t* value)
{
    uint64_t word = (uint64_t)*value;
    bytes_u64(b, &word);
    if (b->mode == BYTES_READ) {
        *value = (int64_t)word;
    }
}

void bytes_int(Bytes* b, int* value)
{
    int64_t word = *value;
    bytes_i64(b, &word);
    if (b->mode == BYTES_READ) {
        b->failed |= word < INT32_MIN || word > INT32_MAX;
        *value = b->failed ? 0 : (int)word;
    }
}

void bytes_bool(Bytes* b, bool* value)
{
    int64_t word = *value;
    bytes_i64(b, &word);
    if (b->mode == BYTES_READ) {
        b->failed |= word != 0 && word != 1;
        *value = word == 1;
    }
}

void bytes_double(Bytes* b, double* value)
{
    uint64_t word;
    memcpy(&word, value, sizeof word);
    bytes_u64(b, &word);
    if (b->mode == BYTES_READ) {
        memcpy(value, &word, sizeof word);
    }
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t*)&one == 1;
}

void bytes_doubles(Bytes* b, double* values, int count)
{
    size_t size = sizeof *values * (size_t)count;
    bool fits = !b->failed && b->size - b->used >= size;
    if (b->mode == BYTES_COUNT) {
        b->used += size;
        return;
    }
    if (b->mode != BYTES_HASH && fits && count > 0 && is_little_endian()) { // the bytes are those in memory
        bool writes = b->mode == BYTES_WRITE;
        memcpy(writes ? (void*)(b->data + b->used) : values, writes ? (void*)values : b->data + b->used,
               size);
        b->used += size;
        return;
    }
    for (int i = 0; i < count; i++) {
        bytes_double(b, &values[i]);
    }
}

void bytes_expect(Bytes* b, int64_t value)
{
    int64_t found = value;
    bytes_i64(b, &found);
    b->failed |= found != value;
}
