// The fuzzer of the C interface without the fuzzer, so that it runs in every build: inputs that once failed,
// and random ones that are the same on every run.
#include "calls_input.h"
#include "corpus.h"

TEST(calls_that_once_did_harm_do_none)
{
    CHECK(corpus_run("test/fuzz/calls", calls_input_run) > 0);
}

TEST(random_calls_do_no_harm)
{
    enum { INPUTS = 400, SIZE = 600 };
    uint64_t random = 1;
    uint8_t bytes[SIZE];
    int64_t steps = 0;
    for (int i = 0; i < INPUTS; i++) {
        for (int k = 0; k < SIZE; k++) {
            bytes[k] = corpus_byte(&random);
        }
        steps += calls_input_run(bytes, SIZE);
    }
    CHECK(steps > INPUTS);
}

TEST_GROUP(calls_corpus)
