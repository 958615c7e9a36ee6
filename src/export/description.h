// The description of a recorded run: what stays the same in all its frames. It is a list of HDF5 tables, and
// one array in description.c says what they are. A recorder gathers their rows from a frame and writes them,
// a recording reads them back, and a run is resumed if those of the recording and of the world are equal.
#ifndef CORD_EXPORT_DESCRIPTION_H
#define CORD_EXPORT_DESCRIPTION_H

#include "export/recording_layout.h"

typedef enum DescriptionGroup {
    GROUP_SCENE,
    GROUP_RODS,
    GROUP_BODIES,
    GROUP_OBSTACLES,
    GROUP_SURFACES,
    GROUP_PROBES,
    GROUP_LEDGER,
    GROUP_COUNT
} DescriptionGroup;

typedef enum DescriptionItem { // in the order of the file and of the checksum
    SCENE_SETTING,
    ROD_NAME,
    ROD_CLOSED,
    ROD_ADAPTIVE,
    ROD_NETWORK,
    ROD_ENDS_OFFSET, // of networks
    ROD_ENDS,        // the two nodes of each of their edges, counted within the rod
    BODY_NAME,
    BODY_SHAPE,
    BODY_SIZE,
    OBSTACLE_NAME,
    OBSTACLE_SHAPE,
    OBSTACLE_SIZE,
    OBSTACLE_VERTEX_OFFSET,
    OBSTACLE_TRIANGLE_OFFSET,
    OBSTACLE_VERTICES,
    OBSTACLE_TRIANGLES, // three vertices each, counted within their obstacle
    SURFACE_NAME,
    SURFACE_ROD,
    SURFACE_HIDES,
    SURFACE_VERTEX_OFFSET,
    SURFACE_TRIANGLE_OFFSET,
    SURFACE_TRIANGLES, // three vertices each, counted within their surface
    SURFACE_TIE_EDGE,  // CORD_SURFACE_TIES for each vertex, as the next three
    SURFACE_TIE_WEIGHT,
    SURFACE_TIE_ALONG,
    SURFACE_TIE_OFFSET,
    PROBE_NAME,
    PROBE_MEASURE,
    LEDGER_NAME,
    LEDGER_KIND,
    ITEM_COUNT
} DescriptionItem;

typedef enum DescriptionRows {
    ROWS_NAMES,   // strings, one for each element of the group
    ROWS_EACH,    // one for each element
    ROWS_OFFSETS, // where the elements begin in a list, and where the last one ends
    ROWS_LISTED   // the rows of a list
} DescriptionRows;

typedef struct DescriptionTable {
    const char* name;
    DescriptionGroup group;
    DescriptionRows rows;
    Hdf5Type type; // not of ROWS_NAMES
    int row[2];    // as in Hdf5TableDef
    const char* unit;
    DescriptionItem offsets; // of ROWS_LISTED: the item that says where the elements begin
} DescriptionTable;

extern const DescriptionTable description_tables[ITEM_COUNT];

typedef struct Description {
    bool branch;      // the frames are the points of a branch of equilibria
    char* scene_text; // (scene_size), and a zero
    size_t scene_size;
    char* scene_path;
    void* rows[ITEM_COUNT];     // as the file has them, or const char*; NULL: the file does not have the item
    int64_t count[ITEM_COUNT];  // rows
    Hdf5Names text[ITEM_COUNT]; // what the names that were read point into
} Description;

// The description of a run that starts at this frame of a world. The names belong to the world and to the
// scene. Returns false if there is no memory.
bool description_gather(Description* d, const CordRecorderDef* def, const CordFrame* frame,
                        const CordWorld* world);
// Reads one group after the other and checks that their rows fit each other. Returns the first group that is
// damaged, or GROUP_COUNT.
DescriptionGroup description_read(Description* d, Hdf5File* file);
void description_free(Description* d);

uint64_t description_check(const Description* d);
// The first group in which two differ, or GROUP_COUNT. Kinds, texts and paths of scenes are not compared.
DescriptionGroup description_compare(const Description* a, const Description* b);
const char* description_group_name(DescriptionGroup group); // "settings", "rods", ...

static inline const char* description_name(const Description* d, DescriptionItem item, int i)
{
    return ((const char**)d->rows[item])[i];
}

// One of a rod's marks: ROD_CLOSED, ROD_ADAPTIVE, ROD_NETWORK.
static inline bool description_mark(const Description* d, DescriptionItem item, int rod)
{
    return ((const uint8_t*)d->rows[item])[rod] != 0;
}

#endif
