// Serialises state as bytes, little-endian on every machine. One routine visits the fields of an object; the
// mode says whether it counts, writes, reads or hashes them, so that the four cannot disagree.
#ifndef CORD_BASE_BYTES_H
#define CORD_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum BytesMode { BYTES_COUNT, BYTES_WRITE, BYTES_READ, BYTES_HASH } BytesMode;

typedef struct Bytes {
    BytesMode mode;
    uint8_t* data; // written or read (size)
    size_t size, used;
    uint64_t hash;
    bool failed; // read past the end, or found a value that does not fit
} Bytes;

Bytes bytes_start(BytesMode mode, void* data, size_t size);
void bytes_u64(Bytes* b, uint64_t* value);
void bytes_i64(Bytes* b, int64_t* value);
void bytes_int(Bytes* b, int* value);
void bytes_bool(Bytes* b, bool* value);
void bytes_double(Bytes* b, double* value);
void bytes_doubles(Bytes* b, double* values, int count);

// Writes `value`; reading any other value fails. For counts and versions that must agree.
void bytes_expect(Bytes* b, int64_t value);

#endif
