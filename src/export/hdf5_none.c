// In place of hdf5.c in a build without HDF5. Nothing else here is reached: recorders and recordings ask
// hdf5_available first.
#include "export/hdf5.h"

bool hdf5_available(void)
{
    return false;
}

bool hdf5_create(Hdf5File* file, const char* path)
{
    (void)path;
    *file = (Hdf5File){.id = -1};
    return false;
}

bool hdf5_attribute_write(Hdf5File* file, const char* object, const char* name, const char* text)
{
    (void)file, (void)object, (void)name, (void)text;
    return false;
}

bool hdf5_text_write(Hdf5File* file, const char* name, const char* text, size_t size)
{
    (void)file, (void)name, (void)text, (void)size;
    return false;
}

bool hdf5_names_write(Hdf5File* file, const char* name, const char* const* names, int count)
{
    (void)file, (void)name, (void)names, (void)count;
    return false;
}

bool hdf5_table_create(Hdf5File* file, const Hdf5TableDef* def, Hdf5Table* table)
{
    (void)file, (void)def, (void)table;
    return false;
}

bool hdf5_record_create(Hdf5File* file, const char* name, int count, Hdf5Table* table)
{
    (void)file, (void)name, (void)count, (void)table;
    return false;
}

bool hdf5_start(Hdf5File* file)
{
    (void)file;
    return false;
}

bool hdf5_table_append(Hdf5File* file, Hdf5Table* table, const void* rows, int64_t count)
{
    (void)file, (void)table, (void)rows, (void)count;
    return false;
}

bool hdf5_flush(Hdf5File* file)
{
    (void)file;
    return false;
}

bool hdf5_record_write(Hdf5File* file, Hdf5Table* table, const int64_t* values)
{
    (void)file, (void)table, (void)values;
    return false;
}

bool hdf5_close(Hdf5File* file)
{
    (void)file;
    return true;
}

bool hdf5_open(Hdf5File* file, const char* path)
{
    (void)path;
    *file = (Hdf5File){.id = -1};
    return false;
}

bool hdf5_attribute_read(Hdf5File* file, const char* object, const char* name, char* text, size_t size)
{
    (void)file, (void)object, (void)name, (void)text, (void)size;
    return false;
}

bool hdf5_text_read(Hdf5File* file, const char* name, char** text, size_t* size)
{
    (void)file, (void)name, (void)text, (void)size;
    return false;
}

bool hdf5_names_read(Hdf5File* file, const char* name, Hdf5Names* names)
{
    (void)file, (void)name, (void)names;
    return false;
}

bool hdf5_table_open(Hdf5File* file, const char* name, Hdf5Type type, Hdf5Table* table)
{
    (void)file, (void)name, (void)type, (void)table;
    return false;
}

bool hdf5_table_read(Hdf5File* file, const Hdf5Table* table, int64_t first, int64_t count, void* rows)
{
    (void)file, (void)table, (void)first, (void)count, (void)rows;
    return false;
}

void hdf5_names_free(Hdf5Names* names)
{
    *names = (Hdf5Names){0};
}
