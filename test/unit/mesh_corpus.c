// The fuzzer of meshes without the fuzzer, so that it runs in every build: its files as they are, and changed
// in the same way on every run.
#include "corpus.h"
#include "fuzz/mutate.h"
#include "mesh_input.h"

TEST(the_fuzzer_s_own_meshes_are_read)
{
    CHECK(corpus_run("test/fuzz/mesh", mesh_input_run) >= 6);
}

static int64_t mutations_read;

// Every byte of a small file and its neighbours, several times over.
static int64_t run_mutated(const uint8_t* data, size_t size)
{
    enum { MUTATIONS = 250 };
    static Mutator mutator;
    mutator.random = size;
    if (mutator.word_count == 0) {
        mutate_read_words(&mutator, CORD_SOURCE_DIR "/test/fuzz/mesh.dict");
    }
    MutateInput whole = {(uint8_t*)data, size}, input = {malloc(MUTATE_MOST_BYTES), 0};
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(input.data, data, size);
        input.size = size;
        for (uint32_t k = 1 + mutate_random(&mutator, 4); k > 0; k--) {
            mutate_once(&mutator, &input, whole);
        }
        mutations_read += mesh_input_run(input.data, input.size);
    }
    free(input.data);
    return 0;
}

TEST(meshes_that_were_changed_do_no_harm)
{
    corpus_run("test/fuzz/mesh", run_mutated);
    CHECK(mutations_read > 100); // some are still meshes
}

TEST_GROUP(mesh_corpus)
