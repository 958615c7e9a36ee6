#include "export/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !H5_VERSION_GE(1, 10, 2)
#error "HDF5 1.10.2 or later is needed; configure with -DCORDAGE_HDF5=OFF to go without recordings"
#endif

#define PAGE_SIZE 4096

// Attempts to read a metadata block that a writer may be changing. The library doubles the wait each time,
// from a nanosecond on: a millisecond in all. Its own default of a hundred attempts would never end on a
// damaged file.
#define READ_ATTEMPTS 20

// ---- failures

// Switches the library's printing of errors off, and back to the caller's own setting afterwards.
typedef struct Quiet {
    H5E_auto2_t print;
    void* data;
} Quiet;

static Quiet quiet_begin(void)
{
    // After opening a damaged file the library may fail to close some objects at exit, and then prints an
    // error. Files here are closed explicitly, so exit handlers are not needed. Calls after the first have no
    // effect.
    H5dont_atexit();
    Quiet quiet = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    return quiet;
}

static herr_t cause_visit(unsigned depth, const H5E_error2_t* error, void* user)
{
    Hdf5File* file = user;
    const char* text = error->desc ? error->desc : "";
    if (depth == 0) { // the innermost error: what failed first
        snprintf(file->cause, sizeof file->cause, "%s", text);
    }
    const char* number = strstr(text, "errno = ");
    if (number && file->error == 0) {
        file->error = atoi(number + strlen("errno = "));
    }
    return 0;
}

static bool quiet_end(Quiet quiet, Hdf5File* file, bool good)
{
    if (!good) {
        file->error = 0;
        file->cause[0] = '\0';
        file->failed = true;
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, cause_visit, file);
        H5Eclear2(H5E_DEFAULT);
    }
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
    return good;
}

// ---- types and shapes

static hid_t file_type(Hdf5Type type)
{
    switch (type) {
    case HDF5_F64: return H5T_IEEE_F64LE;
    case HDF5_F32: return H5T_IEEE_F32LE;
    case HDF5_I64: return H5T_STD_I64LE;
    case HDF5_U64: return H5T_STD_U64LE;
    case HDF5_I32: return H5T_STD_I32LE;
    case HDF5_U8: return H5T_STD_U8LE;
    }
    return H5I_INVALID_HID;
}

static hid_t memory_type(Hdf5Type type)
{
    switch (type) {
    case HDF5_F64: return H5T_NATIVE_DOUBLE;
    case HDF5_F32: return H5T_NATIVE_FLOAT;
    case HDF5_I64: return H5T_NATIVE_INT64;
    case HDF5_U64: return H5T_NATIVE_UINT64;
    case HDF5_I32: return H5T_NATIVE_INT32;
    case HDF5_U8: return H5T_NATIVE_UINT8;
    }
    return H5I_INVALID_HID;
}

static void table_shape(const Hdf5Table* table, int64_t rows, hsize_t shape[3])
{
    shape[0] = (hsize_t)rows;
    shape[1] = (hsize_t)table->row[0];
    shape[2] = (hsize_t)table->row[1];
}

static hid_t string_type(size_t size, H5T_str_t padding)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_strpad(type, padding);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

// Closes a type, a space, an attribute or a list of properties; negative: it was not opened.
static void release(hid_t id)
{
    if (id >= 0) {
        H5Idec_ref(id);
    }
}

// ---- files

static hid_t file_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110); // the first version with SWMR
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);                 // closing a file closes its tables
#if H5_VERSION_GE(1, 10, 7)
    // The library's own locks fail on some network disks and keep readers out; recording_lock.c has another
    // lock.
    H5Pset_file_locking(access, false, true);
#endif
    return access;
}

bool hdf5_available(void)
{
    return true;
}

bool hdf5_create(Hdf5File* file, const char* path)
{
    *file = (Hdf5File){.id = -1};
    Quiet quiet = quiet_begin();
    hid_t access = file_access();
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1);
    H5Pset_file_space_page_size(creation, PAGE_SIZE);
    file->id = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return quiet_end(quiet, file, file->id >= 0);
}

bool hdf5_open(Hdf5File* file, const char* path)
{
    *file = (Hdf5File){.id = -1};
    Quiet quiet = quiet_begin();
    hid_t access = file_access();
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    file->closed = file->id >= 0;
    if (!file->closed) { // it is being written, or its writer was killed
        H5Eclear2(H5E_DEFAULT);
        H5Pset_metadata_read_attempts(access, READ_ATTEMPTS);
        file->id = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    }
    H5Pclose(access);
    return quiet_end(quiet, file, file->id >= 0);
}

bool hdf5_start(Hdf5File* file)
{
    Quiet quiet = quiet_begin();
    return quiet_end(quiet, file, H5Fstart_swmr_write(file->id) >= 0);
}

bool hdf5_flush(Hdf5File* file)
{
    Quiet quiet = quiet_begin();
    return quiet_end(quiet, file, H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0);
}

// HDF5 cannot abandon a file that it cannot write to: H5Fclose fails half way, and opening the file again
// crashes. So after a failed write the file descriptor is redirected to /dev/null, where the remaining writes
// succeed. The file itself stays as after a kill.
static void file_divert(Hdf5File* file)
{
    int* descriptor = NULL;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0 && H5Fget_vfd_handle(file->id, H5P_DEFAULT, (void**)&descriptor) >= 0 && descriptor) {
        dup2(nowhere, *descriptor);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
}

bool hdf5_close(Hdf5File* file)
{
    if (file->id < 0) {
        return true;
    }
    Quiet quiet = quiet_begin();
    if (file->failed) {
        file_divert(file);
    }
    bool good = H5Fclose(file->id) >= 0;
    file->id = -1;
    return quiet_end(quiet, file, good);
}

// ---- text

bool hdf5_attribute_write(Hdf5File* file, const char* object, const char* name, const char* text)
{
    Quiet quiet = quiet_begin();
    hid_t type = string_type(strlen(text), H5T_STR_NULLPAD);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        H5Acreate_by_name(file->id, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    release(attribute);
    release(space);
    release(type);
    return quiet_end(quiet, file, good);
}

bool hdf5_attribute_read(Hdf5File* file, const char* object, const char* name, char* text, size_t size)
{
    Quiet quiet = quiet_begin();
    memset(text, 0, size);
    hid_t attribute = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    bool good = stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1;
    if (good) {
        hid_t type = string_type(size, H5T_STR_NULLTERM);
        good = H5Aread(attribute, type, text) >= 0;
        H5Tclose(type);
    }
    release(stored);
    release(space);
    release(attribute);
    return quiet_end(quiet, file, good);
}

// A dataset of `count` strings of one width, or of one scalar string if count is -1.
static bool strings_write(Hdf5File* file, const char* name, const char* text, size_t width, int count)
{
    Quiet quiet = quiet_begin();
    hsize_t shape = (hsize_t)(count < 0 ? 1 : count);
    hid_t type = string_type(width, H5T_STR_NULLPAD);
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &shape, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t data = H5Dcreate2(file->id, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    bool good = data >= 0 && (count == 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    if (data >= 0) {
        H5Dclose(data);
    }
    H5Pclose(links);
    H5Sclose(space);
    H5Tclose(type);
    return quiet_end(quiet, file, good);
}

bool hdf5_text_write(Hdf5File* file, const char* name, const char* text, size_t size)
{
    return strings_write(file, name, size > 0 ? text : "", size > 0 ? size : 1, -1);
}

bool hdf5_names_write(Hdf5File* file, const char* name, const char* const* names, int count)
{
    size_t width = 1;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        width = length > width ? length : width;
    }
    char* text = calloc((size_t)count + 1, width);
    if (!text) {
        file->error = ENOMEM;
        return false;
    }
    for (int i = 0; i < count; i++) {
        memcpy(text + (size_t)i * width, names[i], strlen(names[i]));
    }
    bool good = strings_write(file, name, text, width, count);
    free(text);
    return good;
}

// Reads what strings_write wrote. Each string is terminated by a zero, which *width includes.
static bool strings_read(Hdf5File* file, const char* name, char** text, size_t* width, int* count)
{
    Quiet quiet = quiet_begin();
    *text = NULL;
    hid_t data = H5Dopen2(file->id, name, H5P_DEFAULT);
    hid_t stored = data >= 0 ? H5Dget_type(data) : -1;
    hid_t space = data >= 0 ? H5Dget_space(data) : -1;
    bool good = stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
    if (good) {
        hssize_t points = H5Sget_simple_extent_npoints(space);
        *width = H5Tget_size(stored) + 1;
        good = points >= 0 && points < INT_MAX && (size_t)points < PTRDIFF_MAX / *width;
        *count = good ? (int)points : 0;
    }
    if (good) {
        *text = calloc((size_t)*count + 1, *width);
        hid_t type = string_type(*width, H5T_STR_NULLTERM);
        good = *text && (*count == 0 || H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) >= 0);
        H5Tclose(type);
    }
    if (!good) {
        free(*text);
        *text = NULL;
    }
    release(stored);
    release(space);
    if (data >= 0) {
        H5Dclose(data);
    }
    return quiet_end(quiet, file, good);
}

bool hdf5_text_read(Hdf5File* file, const char* name, char** text, size_t* size)
{
    size_t width;
    int count;
    if (!strings_read(file, name, text, &width, &count)) {
        return false;
    }
    *size = strlen(*text);
    return true;
}

bool hdf5_names_read(Hdf5File* file, const char* name, Hdf5Names* names)
{
    return strings_read(file, name, &names->text, &names->width, &names->count);
}

void hdf5_names_free(Hdf5Names* names)
{
    free(names->text);
    *names = (Hdf5Names){0};
}

// ---- tables

static hid_t table_creation(const Hdf5TableDef* def, int rank)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[3] = {(hsize_t)def->chunk_rows, (hsize_t)def->row[0], (hsize_t)def->row[1]};
    H5Pset_chunk(creation, rank, chunk);
    if (def->compress) {
        H5Pset_shuffle(creation);
        H5Pset_deflate(creation, 1); // higher levels take twice the time and save one percent
    }
    return creation;
}

bool hdf5_table_create(Hdf5File* file, const Hdf5TableDef* def, Hdf5Table* table)
{
    Quiet quiet = quiet_begin();
    *table = (Hdf5Table){.id = -1, .type = def->type, .row = {def->row[0], def->row[1]}};
    table->rank = 1 + (def->row[0] > 0) + (def->row[1] > 0);
    hsize_t shape[3], most[3];
    table_shape(table, 0, shape);
    table_shape(table, 0, most);
    most[0] = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(table->rank, shape, most);
    hid_t creation = table_creation(def, table->rank);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    table->id = H5Dcreate2(file->id, def->name, file_type(def->type), space, links, creation, H5P_DEFAULT);
    H5Pclose(links);
    H5Pclose(creation);
    H5Sclose(space);
    if (!quiet_end(quiet, file, table->id >= 0)) {
        return false;
    }
    return !def->unit || hdf5_attribute_write(file, def->name, "unit", def->unit);
}

bool hdf5_record_create(Hdf5File* file, const char* name, int count, Hdf5Table* table)
{
    Quiet quiet = quiet_begin();
    *table = (Hdf5Table){.id = -1, .type = HDF5_I64, .rank = 1, .rows = count};
    hsize_t shape = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &shape, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY); // its address must not change once readers know it
    table->id = H5Dcreate2(file->id, name, H5T_STD_I64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return quiet_end(quiet, file, table->id >= 0);
}

bool hdf5_record_write(Hdf5File* file, Hdf5Table* table, const int64_t* values)
{
    Quiet quiet = quiet_begin();
    bool good = H5Dwrite(table->id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                H5Dflush(table->id) >= 0;
    return quiet_end(quiet, file, good);
}

// Selects the rows [first, first + count) of a table in the file and in memory.
static bool rows_select(const Hdf5Table* table, int64_t first, int64_t count, hid_t* in_file,
                        hid_t* in_memory)
{
    hsize_t start[3] = {(hsize_t)first, 0, 0}, shape[3];
    table_shape(table, count, shape);
    *in_memory = H5Screate_simple(table->rank, shape, NULL);
    *in_file = H5Dget_space(table->id);
    return *in_file >= 0 && *in_memory >= 0 &&
           H5Sselect_hyperslab(*in_file, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0;
}

bool hdf5_table_append(Hdf5File* file, Hdf5Table* table, const void* rows, int64_t count)
{
    if (count == 0) {
        return true;
    }
    Quiet quiet = quiet_begin();
    hsize_t shape[3];
    table_shape(table, table->rows + count, shape);
    bool good = H5Dset_extent(table->id, shape) >= 0;
    if (good) {
        hid_t in_file, in_memory;
        good = rows_select(table, table->rows, count, &in_file, &in_memory) &&
               H5Dwrite(table->id, memory_type(table->type), in_memory, in_file, H5P_DEFAULT, rows) >= 0;
        release(in_file);
        release(in_memory);
    }
    if (good) {
        table->rows += count;
    }
    return quiet_end(quiet, file, good);
}

// Does the dataset hold numbers of this type? A file from elsewhere may hold anything.
static bool type_fits(hid_t data, Hdf5Type type)
{
    hid_t stored = H5Dget_type(data);
    bool fits = stored >= 0 && H5Tequal(stored, file_type(type)) > 0;
    release(stored);
    return fits;
}

bool hdf5_table_open(Hdf5File* file, const char* name, Hdf5Type type, Hdf5Table* table)
{
    Quiet quiet = quiet_begin();
    *table = (Hdf5Table){.id = H5Dopen2(file->id, name, H5P_DEFAULT), .type = type};
    hid_t space = table->id >= 0 ? H5Dget_space(table->id) : -1;
    hsize_t shape[3] = {0, 0, 0};
    table->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    bool good = table->rank >= 1 && table->rank <= 3 && H5Sget_simple_extent_dims(space, shape, NULL) >= 0 &&
                type_fits(table->id, type);
    good = good && shape[0] < INT64_MAX && shape[1] < 1 << 30 && shape[2] < 1 << 30;
    if (good) {
        table->rows = (int64_t)shape[0];
        table->row[0] = (int)shape[1];
        table->row[1] = (int)shape[2];
    }
    release(space);
    if (!good && table->id >= 0) {
        H5Dclose(table->id);
        table->id = -1;
    }
    return quiet_end(quiet, file, good);
}

bool hdf5_table_read(Hdf5File* file, const Hdf5Table* table, int64_t first, int64_t count, void* rows)
{
    if (count == 0) {
        return true;
    }
    Quiet quiet = quiet_begin();
    hid_t in_file, in_memory;
    bool good = first >= 0 && count > 0 && first <= table->rows - count;
    if (good) {
        good = rows_select(table, first, count, &in_file, &in_memory) &&
               H5Dread(table->id, memory_type(table->type), in_memory, in_file, H5P_DEFAULT, rows) >= 0;
        release(in_file);
        release(in_memory);
    }
    return quiet_end(quiet, file, good);
}
