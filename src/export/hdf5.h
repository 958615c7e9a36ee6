// HDF5, seen as files of tables that only grow. Nothing else in the program knows the library; its types stay
// behind this header. A function that fails returns false and leaves the cause in the file.
//
// Files are written in single-writer-multiple-reader mode: after hdf5_start a process may be killed at any
// moment, and what was flushed before can be read. Two things make that true at every moment and not only at
// most of them. HDF5 orders its writes so that nothing on disk refers to what is not there yet. And each
// block of the library's own bookkeeping lies within one 4096-byte page, because a kill can cut a write at a
// page's edge: hence the paged file, and hence HDF5_CHUNKS_MOST, past which a table's index blocks outgrow a
// page.
#ifndef CORD_EXPORT_HDF5_H
#define CORD_EXPORT_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDF5_CHUNKS_MOST 8000 // index blocks reach 512 entries, over 4096 bytes, at 16 * 511 = 8176 chunks

typedef struct Hdf5File {
    int64_t id;      // negative: not open
    bool failed;     // something has: when it is closed, nothing more is written
    bool closed;     // opened for reading: its writer had closed it
    int error;       // errno behind the last failure, or 0
    char cause[256]; // the last failure in HDF5's words
} Hdf5File;

typedef enum Hdf5Type { HDF5_F64, HDF5_F32, HDF5_I64, HDF5_U64, HDF5_I32, HDF5_U8 } Hdf5Type;

typedef struct Hdf5TableDef {
    const char* name;   // path in the file: "frames/x"; groups on the way are made
    Hdf5Type type;      // in the file and in memory
    int row[2];         // a row is row[0] x row[1] numbers; 0: that axis is absent
    int64_t chunk_rows; // stored together
    bool compress;      // only for tables whose chunks are written once: a rewritten one leaks its old copy
    const char* unit;   // kept as an attribute; NULL: none
} Hdf5TableDef;

typedef struct Hdf5Table {
    int64_t id; // negative: not open
    Hdf5Type type;
    int rank;
    int row[2];
    int64_t rows;
} Hdf5Table;

typedef struct Hdf5Names {
    char* text; // (count x width), each ended by a zero
    int count;
    size_t width;
} Hdf5Names;

bool hdf5_available(void);

// Writing. create replaces a file that is there; until start, the file cannot be read.
bool hdf5_create(Hdf5File* file, const char* path);
bool hdf5_attribute_write(Hdf5File* file, const char* object, const char* name, const char* text);
bool hdf5_text_write(Hdf5File* file, const char* name, const char* text, size_t size);
bool hdf5_names_write(Hdf5File* file, const char* name, const char* const* names, int count);
bool hdf5_table_create(Hdf5File* file, const Hdf5TableDef* def, Hdf5Table* table);
bool hdf5_record_create(Hdf5File* file, const char* name, int count, Hdf5Table* table); // int64, all zero
bool hdf5_start(Hdf5File* file); // from here on only the four below
bool hdf5_table_append(Hdf5File* file, Hdf5Table* table, const void* rows, int64_t count);
bool hdf5_flush(Hdf5File* file);
bool hdf5_record_write(Hdf5File* file, Hdf5Table* table, const int64_t* values); // all of it, flushed
bool hdf5_close(Hdf5File* file); // and its tables; on false what was flushed is safe

// Reading, of files that were closed, are being written, or whose writer was killed.
bool hdf5_open(Hdf5File* file, const char* path);
bool hdf5_attribute_read(Hdf5File* file, const char* object, const char* name, char* text, size_t size);
// ended by a zero; caller frees
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
