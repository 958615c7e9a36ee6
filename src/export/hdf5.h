// HDF5 files as tables that only grow. Only hdf5.c includes the library, and none of its types is in this
// header. A function that fails returns false and leaves the cause in Hdf5File.
//
// Files are written in single-writer-multiple-reader (SWMR) mode: after hdf5_start the process may be killed
// at any moment, and all that was flushed can be read. Two conditions make this hold at every moment. HDF5
// orders its writes so that nothing on disk refers to data that is not there yet. And every metadata block
// lies within one page of 4096 bytes, because a kill can cut a write at a page boundary. Files are therefore
// paged, and no table has more than HDF5_CHUNKS_MOST chunks, beyond which its index blocks would outgrow a
// page.
#ifndef CORD_EXPORT_HDF5_H
#define CORD_EXPORT_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDF5_CHUNKS_MOST 8000 // index blocks reach 512 entries, over 4096 bytes, at 16 * 511 = 8176 chunks

typedef struct Hdf5File {
    int64_t id;      // negative: not open
    bool failed;     // a write failed: closing the file writes nothing more
    bool closed;     // of a file opened for reading: its writer had closed it
    int error;       // errno behind the last failure, or 0
    char cause[256]; // the last failure in HDF5's words
} Hdf5File;

typedef enum Hdf5Type { HDF5_F64, HDF5_F32, HDF5_I64, HDF5_U64, HDF5_I32, HDF5_U8 } Hdf5Type;

typedef struct Hdf5TableDef {
    const char* name;   // path in the file, such as "frames/x"; missing groups are created
    Hdf5Type type;      // in the file and in memory
    int row[2];         // a row is row[0] x row[1] numbers; 0: that axis is absent
    int64_t chunk_rows; // rows in a chunk
    bool compress;    // only if every chunk is written once: rewriting a compressed chunk leaks the old copy
    const char* unit; // stored as an attribute; NULL: none
} Hdf5TableDef;

typedef struct Hdf5Table {
    int64_t id; // negative: not open
    Hdf5Type type;
    int rank;
    int row[2];
    int64_t rows;
} Hdf5Table;

typedef struct Hdf5Names {
    char* text; // (count x width), each terminated by a zero
    int count;
    size_t width;
} Hdf5Names;

bool hdf5_available(void);

// Writing. hdf5_create replaces an existing file. The file cannot be read before hdf5_start.
bool hdf5_create(Hdf5File* file, const char* path);
bool hdf5_attribute_write(Hdf5File* file, const char* object, const char* name, const char* text);
bool hdf5_text_write(Hdf5File* file, const char* name, const char* text, size_t size);
bool hdf5_names_write(Hdf5File* file, const char* name, const char* const* names, int count);
bool hdf5_table_create(Hdf5File* file, const Hdf5TableDef* def, Hdf5Table* table);
bool hdf5_record_create(Hdf5File* file, const char* name, int count, Hdf5Table* table); // int64, all zero
bool hdf5_start(Hdf5File* file); // from here on only the four functions below
bool hdf5_table_append(Hdf5File* file, Hdf5Table* table, const void* rows, int64_t count);
bool hdf5_flush(Hdf5File* file);
bool hdf5_record_write(Hdf5File* file, Hdf5Table* table, const int64_t* values); // all values, and flushes
bool hdf5_close(Hdf5File* file); // closes the tables too; if it returns false, all that was flushed is safe

// Reading: files that were closed, that are being written, or whose writer was killed.
bool hdf5_open(Hdf5File* file, const char* path);
bool hdf5_attribute_read(Hdf5File* file, const char* object, const char* name, char* text, size_t size);
// The text is terminated by a zero; the caller frees it.
bool hdf5_text_read(Hdf5File* file, const char* name, char** text, size_t* size);
bool hdf5_names_read(Hdf5File* file, const char* name, Hdf5Names* names);
bool hdf5_table_open(Hdf5File* file, const char* name, Hdf5Type type, Hdf5Table* table);
bool hdf5_table_read(Hdf5File* file, const Hdf5Table* table, int64_t first, int64_t count, void* rows);

void hdf5_names_free(Hdf5Names* names);
static inline const char* hdf5_name(const Hdf5Names* names, int i)
{
    return names->text + (size_t)i * names->width;
}

static inline size_t hdf5_type_size(Hdf5Type type)
{
    return type == HDF5_U8 ? 1 : type == HDF5_F32 || type == HDF5_I32 ? 4 : 8;
}

static inline int hdf5_row_size(const Hdf5Table* table) // numbers in a row
{
    return (table->row[0] > 0 ? table->row[0] : 1) * (table->row[1] > 0 ? table->row[1] : 1);
}

#endif
