// Bytes as text.
#ifndef CORD_EXPORT_BASE64_H
#define CORD_EXPORT_BASE64_H

#include <stdint.h>
#include <stdio.h>

typedef struct Base64 {
    FILE* file;
    uint32_t bits;
    int held; // bytes in bits, at most 2
} Base64;

void base64_put(Base64* b, const void* data, size_t size);
void base64_end(Base64* b); // what is held, and padding

#endif
