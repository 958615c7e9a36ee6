// Mutations of an input by a generator with a seed, so that they are the same on every run and machine.
#ifndef CORDAGE_TEST_FUZZ_MUTATE_H
#define CORDAGE_TEST_FUZZ_MUTATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUTATE_MOST_WORDS 400
#define MUTATE_MOST_BYTES ((size_t)1 << 16) // of an input; longer files are left out

typedef struct MutateInput {
    uint8_t* data;
    size_t size;
} MutateInput;

typedef struct Mutator {
    uint64_t random;
    char words[MUTATE_MOST_WORDS][64]; // of the dictionary, as they are inserted
    int word_count;
} Mutator;

// Knuth's linear congruential generator of 64 bits
static inline uint32_t mutate_random(Mutator* m, size_t below)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((m->random >> 33) % (below > 0 ? below : 1));
}

// A word of libFuzzer's dictionary: a line "..." in which \" and \\ are escaped, and \xHH is a byte.
static inline void mutate_add_word(Mutator* m, const char* line)
{
    char* word = m->words[m->word_count];
    size_t size = 0;
    for (const char* p = line + 1; *p && *p != '"' && size < sizeof m->words[0] - 1; p++) {
        if (p[0] == '\\' && p[1] == 'x') {
            char hex[3] = {p[2], p[3], '\0'};
            word[size++] = (char)strtol(hex, NULL, 16);
            p += 3;
        } else {
            p += p[0] == '\\';
            word[size++] = *p;
        }
    }
    word[size] = '\0';
    m->word_count += size > 0 && m->word_count + 1 < MUTATE_MOST_WORDS;
}

static inline void mutate_read_words(Mutator* m, const char* path)
{
    char line[200];
    FILE* file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '"') {
            mutate_add_word(m, line);
        }
    }
    if (file) {
        fclose(file);
    }
}

// Replaces `cut` bytes at `at` by the `size` bytes of `piece`, as far as there is room in MUTATE_MOST_BYTES.
static inline void mutate_splice(MutateInput* input, size_t at, size_t cut, const void* piece, size_t size)
{
    cut = cut < input->size - at ? cut : input->size - at;
    if (input->size - cut + size > MUTATE_MOST_BYTES) {
        return;
    }
    memmove(input->data + at + size, input->data + at + cut, input->size - at - cut);
    memcpy(input->data + at, piece, size);
    input->size += size - cut;
}

static inline void mutate_number(Mutator* m, MutateInput* input, size_t at) // the next one after `at`
{
    static const char* const numbers[] = {"0",   "-1",         "1e308", "-1e308", "1e-320",
                                          "1e9", "2147483648", "0.5",   "7"};
    while (at < input->size && !(input->data[at] >= '0' && input->data[at] <= '9')) {
        at++;
    }
    size_t digits = 0;
    while (at + digits < input->size && strchr("0123456789.e+-", input->data[at + digits]) &&
           input->data[at + digits]) {
        digits++;
    }
    const char* number = numbers[mutate_random(m, sizeof numbers / sizeof *numbers)];
    mutate_splice(input, at, digits, number, strlen(number));
}

// One change of `input`, whose data have room for MUTATE_MOST_BYTES; `other` lends a piece.
static inline void mutate_once(Mutator* m, MutateInput* input, MutateInput other)
{
    size_t at = mutate_random(m, input->size), length = 1 + mutate_random(m, 32);
    const char* word = m->words[mutate_random(m, (size_t)m->word_count)];
    uint8_t byte = (uint8_t)mutate_random(m, 256);
    size_t from = mutate_random(m, other.size), rest = other.size - from;
    switch (mutate_random(m, 10)) {
    case 0: mutate_splice(input, at, 1, &byte, 1); break;
    case 1: mutate_splice(input, at, length, "", 0); break;
    case 2: mutate_splice(input, at, 0, word, strlen(word)); break;
    case 3: mutate_splice(input, at, length, word, strlen(word)); break;
    case 4: mutate_splice(input, at, 0, other.data + from, length < rest ? length : rest); break;
    default: mutate_number(m, input, at); break;
    }
}

#endif
