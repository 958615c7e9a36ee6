// The scene reader and its settings under random input.
#include "../scene_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scene_input_run(data, size);
    return 0;
}
