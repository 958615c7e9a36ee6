// The C interface under random calls.
#include "../calls_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    calls_input_run(data, size);
    return 0;
}
