#include "export/base64.h"

static void base64_group(Base64* b, int bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = b->bits << (8 * (3 - bytes));
    char text[4];
    for (int i = 0; i < 4; i++) {
        text[i] = i <= bytes ? digits[(bits >> (18 - 6 * i)) & 63] : '=';
    }
    fwrite(text, 1, 4, b->file);
    b->bits = 0;
    b->held = 0;
}

void base64_put(Base64* b, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) {
        b->bits = b->bits << 8 | bytes[i];
        b->held++;
        if (b->held == 3) {
            base64_group(b, 3);
        }
    }
}

void base64_end(Base64* b)
{
    if (b->held > 0) {
        base64_group(b, b->held);
    }
}
