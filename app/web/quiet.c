// What wasi-libc would ask of a system. Its snprintf can complain on standard error, about long doubles, which nobody formats here; so it
// wants files. There are none, and the module needs no system at all.
#include <wasi/api.h>

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

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t* parts, size_t count, __wasi_size_t* written)
{
    (void)fd, (void)parts, (void)count, (void)written;
    return __WASI_ERRNO_BADF;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t code)
{
    (void)code;
    __builtin_trap();
}
