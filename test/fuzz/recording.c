// The reader of recordings under random input.
#include "../recording_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    recording_input_run(data, size);
    return 0;
}
