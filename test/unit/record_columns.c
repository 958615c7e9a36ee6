// One table says what a frame holds: what is in it comes back from recordings and reels, and is what
// docs/recording.md says.
#include "record_scene.h"
#include "reel_stage.h"

#include <cordage/ledger.h>

// ---- the documentation

static const char* row_text(ColumnRow row)
{
    static const char* const texts[ROW_COUNT] = {"F",    "F, R", "nodes",    "edges",
                                                 "F, B", "F, O", "contacts", "F, L"};
    return texts[row];
}

static void print_columns(FILE* file)
{
    static const char* const types[] = {[HDF5_F64] = "float64", [HDF5_F32] = "float32", [HDF5_I64] = "int64",
                                        [HDF5_U64] = "uint64",  [HDF5_I32] = "int32",   [HDF5_U8] = "uint8"};
    fputs("| name | shape | type | what | reel | VTK | CSV |\n|---|---|---|---|---|---|---|\n", file);
    for (int i = 0; i < column_count; i++) {
        const Column* c = &columns[i];
        char width[16] = "";
        if (c->width > 1) {
            snprintf(width, sizeof width, ", %d", c->width);
        }
        fprintf(file, "| `%s` | %s%s | %s | %s", c->name, row_text(c->row), width, types[c->type], c->about);
        if (c->unit) {
            fprintf(file, "%s[%s]", c->about[0] != '\0' ? " " : "", c->unit);
        }
        fprintf(file, " | %s | %s | %s |\n", c->reel ? "yes" : "", c->vtk ? c->vtk : "",
                c->csv ? c->csv : "");
    }
}

// After a change of the table, the table that this test writes goes into docs/recording.md.
TEST(the_documentation_has_this_table)
{
    const char* path = CORD_BINARY_DIR "/columns.md";
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    print_columns(file);
    CHECK(fclose(file) == 0);
    char *table = file_load(path), *page = file_load(CORD_SOURCE_DIR "/docs/recording.md");
    if (!strstr(page, table)) {
        check_fail(__FILE__, __LINE__, "docs/recording.md has not the table that is in %s; put it there",
                   path);
    }
    char version[40];
    snprintf(version, sizeof version, "the version of this layout (`%d`)", LAYOUT_VERSION);
    CHECK_CONTAINS(page, version);
}

TEST(the_table_is_as_those_who_go_through_it_take_it_to_be)
{
    CHECK_STR(columns[COLUMN_TIME].name, "frames/time");
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        CHECK(column->width >= 1 && column->width <= COLUMN_WIDEST);
        CHECK((column->row == ROW_FRAME) == (column->stride == 0));
        for (int k = 0; k < c; k++) {
            CHECK(strcmp(columns[k].name, column->name) != 0);
        }
    }
}

// ---- there and back

enum { RODS = 2, NODES = 9, EDGES = 8, BODIES = 2, OBSTACLES = 2, CONTACTS = 3 };

// A frame of the world of record_scene.h, less what the columns hold.
typedef struct Made {
    CordFrame frame;
    CordFrameRod rods[RODS];
    CordFrameBody bodies[BODIES];
    CordFrameObstacle obstacles[OBSTACLES];
} Made;

// Another number for each place, which every type holds, and which is a rotation, a kind of contact, a rod or
// an edge where it has to be.
static double number_of(const Column* column, int c, int element, int k)
{
    if (strstr(column->name, "rotation")) {
        return k == 3 - element;
    }
    switch (column->memory) {
    case MEMORY_BOOL:
    case MEMORY_INT: return column->row == ROW_CONTACT ? (element + c) % 2 : 3 + c + element;
    case MEMORY_U8:
    case MEMORY_I64: return 5 + 7 * element + c;
    case MEMORY_F64:
    case MEMORY_F32: break;
    }
    return column->type == HDF5_I64 ? 11.0 + c + element : 0.25 * (1 + k) + 8.0 * element + 64.0 * c;
}

static void made_fill(Made* m, int ledger_count)
{
    *m = (Made){.rods = {{"rope", 0, 4, 0, 3, false, false}, {"ring, small", 4, 5, 3, 5, true, false}}};
    for (int i = 0; i < BODIES; i++) {
        m->bodies[i].solid.shape = CORD_SOLID_SPHERE;
    }
    m->frame = (CordFrame){.rod_count = RODS,
                           .node_count = NODES,
                           .edge_count = EDGES,
                           .rods = m->rods,
                           .body_count = BODIES,
                           .bodies = m->bodies,
                           .obstacle_count = OBSTACLES,
                           .obstacles = m->obstacles,
                           .contact_count = CONTACTS,
                           .ledger_count = ledger_count};
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        int count = column_rows(&m->frame, column->row);
        if (column->row != ROW_FRAME && !column_elements(column, &m->frame)) {
            column_set_elements(column, &m->frame, keep_zeros((size_t)count * column->stride));
        }
        for (int i = 0; i < count; i++) {
            double numbers[COLUMN_WIDEST];
            for (int k = 0; k < column->width; k++) {
                numbers[k] = number_of(column, c, i, k);
            }
            char* elements = (char*)column_elements(column, &m->frame);
            column_set(column, elements + (size_t)i * column->stride, 1, numbers);
        }
    }
}

static void check_column(int c, const CordFrame* frame)
{
    const Column* column = &columns[c];
    const char* elements = column_elements(column, frame);
    CHECK(elements != NULL);
    for (int i = 0; i < column_rows(frame, column->row); i++) {
        double numbers[COLUMN_WIDEST];
        column_get(column, elements + (size_t)i * column->stride, 1, numbers);
        for (int k = 0; k < column->width; k++) {
            CHECK(numbers[k] == number_of(column, c, i, k));
        }
    }
}

TEST(every_column_comes_back_from_a_recording)
{
    const char* path = record_path("columns.h5");
    RecordRun run = record_world("rods[0].adapt={}"); // so that it has all columns
    CHECK_OK(cord_ledger_open(run.world));
    run = record_to(run, path);
    Made made;
    made_fill(&made, run.recorder->shape.frame.ledger_count);
    record_put(&run, &made.frame, NULL);
    record_end(&run);
    CordFrame frame = record_frame(record_read(path), 0);
    for (int c = 0; c < column_count; c++) {
        check_column(c, &frame);
    }
}

static void check_unknown(const Column* column, const CordFrame* frame)
{
    double numbers[COLUMN_WIDEST];
    bool elsewhere = strcmp(column->name, "edges/radius") == 0 || // in the layout
                     strcmp(column->name, "frames/twist") == 0;   // beside the writhe
    if (column->memory == MEMORY_F64 && !column->has && !elsewhere) {
        column_get(column, column_elements(column, frame), 1, numbers);
        CHECK(isnan(numbers[0]) && isnan(numbers[column->width - 1]));
    }
}

TEST(the_columns_of_reels_come_back_and_no_others)
{
    Made made;
    made_fill(&made, 0);
    made.frame.skin = NULL; // else it is what is drawn
    CordFrame frame = reel_frame(reel_of_frame(&made.frame), 0);
    for (int c = 0; c < column_count; c++) {
        if (columns[c].reel) {
            check_column(c, &frame);
        } else {
            check_unknown(&columns[c], &frame);
        }
    }
}

TEST_GROUP(record_columns)
