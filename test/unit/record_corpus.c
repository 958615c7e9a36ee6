// The fuzzer of recordings without the fuzzer, so that it runs in every build: its inputs, and random changes
// that are the same on every run.
#include "corpus.h"
#include "recording_input.h"

static void need_hdf5(void)
{
    if (!strstr(cord_io_features(), "hdf5")) {
        skip();
    }
}

TEST(the_fuzzer_s_own_recordings_do_no_harm)
{
    need_hdf5();
    CHECK(corpus_run("test/fuzz/recording", recording_input_run) > 0);
    CHECK_INT(recording_input_run((const uint8_t*)"", 0), 5); // unchanged
}

TEST(recordings_that_were_changed_do_no_harm)
{
    enum { INPUTS = 300, SIZE = 1 + 5 * 4 };
    need_hdf5();
    uint64_t random = 1;
    int whole = 0;
    for (int i = 0; i < INPUTS; i++) {
        uint8_t bytes[SIZE];
        for (int k = 0; k < SIZE; k++) {
            bytes[k] = corpus_byte(&random);
        }
        for (int k = 1; k + 5 <= SIZE; k += 5) { // half of them near the beginning, where the structure is
            bytes[k + 1] = (uint8_t)(i % 2 ? bytes[k + 1] : bytes[k + 1] % 16);
            bytes[k + 2] = (uint8_t)(i % 2 ? bytes[k + 2] : 0), bytes[k + 3] = 0;
        }
        whole += recording_input_run(bytes, SIZE) == 5;
    }
    CHECK(whole > 0 && whole < INPUTS); // much of a small file is room for more
}

TEST_GROUP(record_corpus)
