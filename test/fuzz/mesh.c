// The reader of meshes, OBJ, PLY and STL, under random input.
#include "../mesh_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    mesh_input_run(data, size);
    return 0;
}
