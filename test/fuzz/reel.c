// The reader of reels under random input.
#include "../reel_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    reel_input_run(data, size);
    return 0;
}
