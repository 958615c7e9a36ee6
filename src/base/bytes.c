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

void bytes_u64(Bytes* b, uint64_t* value)
{
    if (b->mode == BYTES_HASH) {
        b->hash = mixed(b->hash, *value);
    } else if (b->mode != BYTES_COUNT) {
        if (b->failed || b->size - b->used < 8) {
            b->failed = true;
            return;
        }
        uint8_t* at = b->data + b->used;
        uint64_t word = 0;
        for (int i = 0; i < 8; i++) {
            if (b->mode == BYTES_WRITE) {
                at[i] = (uint8_t)(*value >> (8 * i));
            } else {
                word |= (uint64_t)at[i] << (8 * i);
            }
        }
        if (b->mode == BYTES_READ) {
            *value = word;
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

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { NATIVE_ORDER = 1 }; // doubles lie in memory as they are written
#else
enum { NATIVE_ORDER = 0 };
#endif

void bytes_doubles(Bytes* b, double* values, int count)
{
    size_t size = count > 0 ? (size_t)count * sizeof *values : 0;
    bool copies = NATIVE_ORDER && (b->mode == BYTES_WRITE || b->mode == BYTES_READ);
    if (copies && !b->failed && b->size - b->used >= size && size > 0) {
        uint8_t* at = b->data + b->used;
        b->mode == BYTES_WRITE ? memcpy(at, values, size) : memcpy(values, at, size);
        b->used += size;
        return;
    }
    if (b->mode == BYTES_COUNT) {
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
