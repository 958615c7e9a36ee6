// In place of hdf5.c in a build without HDF5. Recorders and recordings ask hdf5_available first, so none of
// the other functions is ever called.
#include "export/hdf5.h"

bool hdf5_available(void)
{
    return false;
}

// Functions of one to five arguments that fail.
#define NONE1(name, A)                                                                                       \
    bool name(A a)                                                                                           \
    {                                                                                                        \
        (void)a;                                                                                             \
        return false;                                                                                        \
    }
#define NONE2(name, A, B)                                                                                    \
    bool name(A a, B b)                                                                                      \
    {                                                                                                        \
        (void)a, (void)b;                                                                                    \
        return false;                                                                                        \
    }
#define NONE3(name, A, B, C)                                                                                 \
    bool name(A a, B b, C c)                                                                                 \
    {                                                                                                        \
        (void)a, (void)b, (void)c;                                                                           \
        return false;                                                                                        \
    }
#define NONE4(name, A, B, C, D)                                                                              \
    bool name(A a, B b, C c, D d)                                                                            \
    {                                                                                                        \
        (void)a, (void)b, (void)c, (void)d;                                                                  \
        return false;                                                                                        \
    }
#define NONE5(name, A, B, C, D, E)                                                                           \
    bool name(A a, B b, C c, D d, E e)                                                                       \
    {                                                                                                        \
        (void)a, (void)b, (void)c, (void)d, (void)e;                                                         \
        return false;                                                                                        \
    }

NONE2(hdf5_create, Hdf5File*, const char*)
NONE4(hdf5_attribute_write, Hdf5File*, const char*, const char*, const char*)
NONE4(hdf5_text_write, Hdf5File*, const char*, const char*, size_t)
NONE4(hdf5_names_write, Hdf5File*, const char*, const char* const*, int)
NONE3(hdf5_table_create, Hdf5File*, const Hdf5TableDef*, Hdf5Table*)
NONE4(hdf5_record_create, Hdf5File*, const char*, int, Hdf5Table*)
NONE1(hdf5_start, Hdf5File*)
NONE4(hdf5_table_append, Hdf5File*, Hdf5Table*, const void*, int64_t)
NONE1(hdf5_flush, Hdf5File*)
NONE3(hdf5_record_write, Hdf5File*, Hdf5Table*, const int64_t*)
NONE1(hdf5_close, Hdf5File*)
NONE2(hdf5_open, Hdf5File*, const char*)
NONE5(hdf5_attribute_read, Hdf5File*, const char*, const char*, char*, size_t)
NONE4(hdf5_text_read, Hdf5File*, const char*, char**, size_t*)
NONE3(hdf5_names_read, Hdf5File*, const char*, Hdf5Names*)
NONE4(hdf5_table_open, Hdf5File*, const char*, Hdf5Type, Hdf5Table*)
NONE5(hdf5_table_read, Hdf5File*, const Hdf5Table*, int64_t, int64_t, void*)

void hdf5_names_free(Hdf5Names* names)
{
    *names = (Hdf5Names){0};
}
