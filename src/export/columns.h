// The columns of a frame: one table of everything that a frame holds and that changes from frame to frame.
// Recordings, reels, VTK files, tables of comma-separated values and the table in docs/recording.md are all
// made by going through it, so a new column is one row of columns.c.
#ifndef CORD_EXPORT_COLUMNS_H
#define CORD_EXPORT_COLUMNS_H

#include "export/hdf5.h"

#include <cordage/io.h>

typedef enum ColumnRow { // a column has one row for each
    ROW_FRAME,
    ROW_ROD,
    ROW_NODE,
    ROW_EDGE,
    ROW_BODY,
    ROW_OBSTACLE,
    ROW_CONTACT,
    ROW_COUNT
} ColumnRow;

typedef enum ColumnMemory { MEMORY_F64, MEMORY_I64, MEMORY_INT, MEMORY_BOOL, MEMORY_U8 } ColumnMemory;

typedef struct FrameShape { // what stays the same in all frames of a recording
    int rod_count, body_count, obstacle_count, surface_count;
    bool adaptive; // some rods are
} FrameShape;

typedef struct Column {
    const char* name; // of the table in a recording
    Hdf5Type type;    // there
    int width;        // numbers in a row
    const char* unit; // NULL: none
    const char* about;
    ColumnRow row;
    size_t array;  // offset in CordFrame of the pointer to the elements, of which there is one for each row
    size_t stride; // size of an element
    size_t offset; // of the numbers, in the element; of ROW_FRAME, in CordFrame
    ColumnMemory memory; // type of the numbers there, which follow each other
    const char* labels;  // of its numbers, or, if a row is one number, of the values that it takes
    bool reel;           // it is in reels
    const char* vtk;     // its name in VTK files; NULL: it is not in them
    const char* csv;     // its names in tables of comma-separated values; NULL: it is not in them
    bool (*has)(const FrameShape* shape); // which recordings have it; NULL: all
} Column;

enum { COLUMN_MOST = 64, COLUMN_WIDEST = 5, COLUMN_TIME = 0 };
extern const Column columns[];
extern const int column_count; // COLUMN_MOST at the most, of COLUMN_WIDEST numbers at the most

FrameShape column_shape(const CordFrame* frame);
bool column_has(const Column* column, const FrameShape* shape);
int column_rows(const CordFrame* frame, ColumnRow row);

// The table has a row for each element; else, for each frame, with all elements of the frame.
static inline bool column_row_is_element(ColumnRow row)
{
    return row == ROW_NODE || row == ROW_EDGE || row == ROW_CONTACT;
}

// The first element; its numbers are `offset` bytes on. NULL: the frame has no such array.
const void* column_elements(const Column* column, const CordFrame* frame);
void column_set_elements(const Column* column, CordFrame* frame, const void* elements);

// Are the numbers of all elements doubles that follow each other, with nothing between them?
bool column_is_plain(const Column* column);
void column_get(const Column* column, const void* elements, int count, double* numbers); // (count x width)
void column_set(const Column* column, void* elements, int count, const double* numbers);

// Room for rows on the way to a file or from it. Set it to zero first.
typedef struct ColumnBuffer {
    double* numbers;
    void* rows;
    size_t capacity; // of both [numbers]
} ColumnBuffer;

void column_buffer_free(ColumnBuffer* buffer);
void* column_buffer_rows(ColumnBuffer* buffer, size_t count); // of any type; NULL: no memory

// Numbers of elements as the recording has them; valid until the buffer is used again. NULL: no memory.
const void* column_pack(const Column* column, const void* elements, int count, ColumnBuffer* buffer);
// The other way, from rows that column_buffer_rows gave.
void column_unpack(const Column* column, ColumnBuffer* buffer, void* elements, int count);

#endif
