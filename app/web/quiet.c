// The system calls that wasi-libc links. Its snprintf can report long doubles on standard error and therefore
// needs files, although nothing here formats long doubles. These functions refuse everything, so that the
// module needs no system at all.
#include <wasi/api.h>

#include <stdint.h>
#include <unistd.h>

#define PAGE ((uintptr_t)65536)

// malloc asks for a page at a time, and growing by one page takes as long as growing by many: the memory
// grows by a quarter at once.
void* sbrk(intptr_t more)
{
    static uintptr_t used; // end of what malloc has [bytes]; 0: no call yet, it has the whole initial memory
    uintptr_t there = __builtin_wasm_memory_size(0) * PAGE, from = used > 0 ? used : there;
    uintptr_t needed =
        from + (uintptr_t)more > there ? (from + (uintptr_t)more - there + PAGE - 1) / PAGE : 0;
    uintptr_t wanted = needed > there / PAGE / 4 ? needed : there / PAGE / 4;
    if (more < 0 || (needed > 0 && __builtin_wasm_memory_grow(0, wanted) == SIZE_MAX &&
                     __builtin_wasm_memory_grow(0, needed) == SIZE_MAX)) {
        return (void*)-1;
    }
    used = from + (uintptr_t)more;
    return (void*)from;
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
    (void)fd;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t* at)
{
    (void)fd, (void)offset, (void)whence, (void)at;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t* parts, size_t count,
                               __wasi_size_t* written)
{
    (void)fd, (void)parts, (void)count, (void)written;
    return __WASI_ERRNO_BADF;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t code)
{
    (void)code;
    __builtin_trap();
}
