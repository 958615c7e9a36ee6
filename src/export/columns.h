// The columns of a frame: one table of all data that changes from frame to frame. Recordings, reels, VTK
// files, tables of comma-separated values and the table in docs/recording.md are made by looping over it, so
// a new column is one row of columns.c.
#ifndef CORD_EXPORT_COLUMNS_H
#define CORD_EXPORT_COLUMNS_H

#include "export/hdf5.h"

#include <cordage/io.h>

typedef enum ColumnRow { // what a column has one row for
    ROW_FRAME,
    ROW_ROD,
    ROW_NODE,
    ROW_EDGE,
    ROW_BODY,
    ROW_OBSTACLE,
    ROW_CONTACT,
    ROW_LEDGER,
    ROW_COUNT
} ColumnRow;

typedef enum ColumnMemory {
    MEMORY_F64,
    MEMORY_F32,
    MEMORY_I64,
    MEMORY_INT,
    MEMORY_BOOL,
    MEMORY_U8
} ColumnMemory;

typedef struct FrameShape { // what stays the same in all frames of a recording
    int rod_count, body_count, obstacle_count, surface_count, ledger_count;
    bool adaptive; // some rod is
} FrameShape;

typedef struct Column {
    const char* name; // of the table in a recording
    Hdf5Type type;    // of the numbers in that table
    int width;        // numbers in a row
    const char* unit; // NULL: none
    const char* about;
    ColumnRow row;
    size_t array;        // offset in CordFrame of the pointer to an array with one element for each row
    size_t stride;       // size of an element [bytes]
    size_t offset;       // of the numbers in the element, or, for ROW_FRAME, in CordFrame
    ColumnMemory memory; // type of the numbers, which are contiguous there
    const char* labels;  // of the numbers in a row, or, if a row has one number, of its values
    bool reel;           // reels have the column
    const char* vtk;     // name in VTK files; NULL: they do not have it
    const char* csv;     // names in tables of comma-separated values; NULL: they do not have it
    bool (*has)(const FrameShape* shape); // do recordings of this shape have it? NULL: all do
} Column;

enum { COLUMN_MOST = 64, COLUMN_WIDEST = 5, COLUMN_TIME = 0 };
extern const Column columns[];
extern const int column_count; // at most COLUMN_MOST, of at most COLUMN_WIDEST numbers each

FrameShape column_shape(const CordFrame* frame);
bool column_has(const Column* column, const FrameShape* shape);
int column_rows(const CordFrame* frame, ColumnRow row);

// True if the table has a row for each element. Otherwise it has a row for each frame, with all its elements.
static inline bool column_row_is_element(ColumnRow row)
{
    return row == ROW_NODE || row == ROW_EDGE || row == ROW_CONTACT;
}

// The first element of a column's array; its numbers start at `offset`. NULL: the frame does not have the
// array.
const void* column_elements(const Column* column, const CordFrame* frame);
void column_set_elements(const Column* column, CordFrame* frame, const void* elements);

// Is the column a contiguous array of doubles?
bool column_is_plain(const Column* column);
void column_get(const Column* column, const void* elements, int count, double* numbers); // (count x width)
void column_set(const Column* column, void* elements, int count, const double* numbers);

// The size of a number [bytes], and its value as another type, clamped to what that type holds.
size_t memory_size(ColumnMemory memory);
void number_convert(ColumnMemory from_type, const void* from, ColumnMemory to_type, void* to);

// Memory for elements, or for rows that are being written or read. Set it to zero first.
typedef struct ColumnBuffer {
    void* memory;
    size_t capacity; // [bytes]
} ColumnBuffer;

void column_buffer_free(ColumnBuffer* buffer);
void* column_buffer_reserve(ColumnBuffer* buffer, size_t bytes); // NULL: no memory
void* column_buffer_rows(ColumnBuffer* buffer, const Column* column, int count);

// The numbers of elements as a recording stores them, valid until the buffer is used again. NULL: no memory.
const void* column_pack(const Column* column, const void* elements, int count, ColumnBuffer* buffer);
// The inverse of column_pack.
void column_unpack(const Column* column, const void* rows, void* elements, int count);

#endif
