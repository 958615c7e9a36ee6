// For F_OFD_SETLK: these locks belong to the open file, so that two recorders of one process see each
// other's.
#define _GNU_SOURCE

#include "export/recording_lock.h"

#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static CordResult lock_fail(const char* path, int error, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE, "%s cannot be recorded to: %s", path,
                       output_error_text(path, error));
}

static CordResult lock_busy(const char* path, CordMessage* message)
{
    return export_fail(
        message, CORD_BAD_FILE,
        "%s is being recorded to by another run; wait for it to end, or record to another file", path);
}

// ---- the lock

#ifdef F_OFD_SETLK
// Locks one byte beyond the end of any file. HDF5's own locks are of another kind and do not interfere.
static struct flock lock_range(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
}

// On disks without locks the lock counts as acquired: only a lock that is certainly held counts as busy.
static bool lock_try(int file)
{
    struct flock range = lock_range();
    return fcntl(file, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

static bool lock_held(const char* path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return false;
    }
    struct flock range = lock_range();
    bool held = fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
    close(file);
    return held;
}
#else
static bool lock_try(int file)
{
    (void)file;
    return true;
}

static bool lock_held(const char* path)
{
    (void)path;
    return false;
}
#endif

// ---- the path

// Follows a symbolic link to its file, because renaming over the link would replace it.
static char* path_resolve(const char* path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        return realpath(path, NULL);
    }
    return strdup(path);
}

static int path_refusal(const char* path) // errno, or 0 if a file may be created there
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? 0 : errno; // opening the part reports a missing directory
    }
    if (S_ISDIR(info.st_mode)) {
        return EISDIR;
    }
    if (!S_ISREG(info.st_mode)) {
        return EINVAL;
    }
    return access(path, W_OK) == 0 ? 0 : errno; // a rename would ignore that the file is read-only
}

static bool same_file(int file, const char* path)
{
    struct stat a, b;
    return fstat(file, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whoever holds the lock on the part may rename it, so the order matters. First the part is locked, then it
// must still be the file of that name, and only then the path itself is tested for a lock of a recorder that
// has already renamed its part.
static CordResult lock_lock(RecordingLock* lock, CordMessage* message)
{
    lock->file = open(lock->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->file < 0) {
        int error = errno;
        free(lock->part);
        lock->part = NULL;
        return lock_fail(lock->path, error, message);
    }
    if (!lock_try(lock->file) || !same_file(lock->file, lock->part)) {
        free(lock->part); // it belongs to another recorder
        lock->part = NULL;
        return lock_busy(lock->path, message);
    }
    return lock_held(lock->path) ? lock_busy(lock->path, message) : CORD_OK;
}

CordResult recording_lock_acquire(RecordingLock* lock, const char* path, CordMessage* message)
{
    *lock = (RecordingLock){.file = -1};
    if (!path || path[0] == '\0') {
        return export_fail(message, CORD_BAD_ARGUMENT, "no path is given; name the file to record to");
    }
    lock->path = path_resolve(path);
    if (!lock->path) {
        return lock_fail(path, errno, message);
    }
    size_t size = strlen(lock->path) + sizeof ".part";
    int error = path_refusal(lock->path);
    lock->part = error == 0 ? malloc(size) : NULL;
    if (!lock->part) {
        recording_lock_release(lock);
        return error == EINVAL
                   ? export_fail(
                         message, CORD_BAD_FILE,
                         "%s cannot be recorded to: it is a device or a pipe; give the name of a file", path)
                   : lock_fail(path, error != 0 ? error : ENOMEM, message);
    }
    snprintf(lock->part, size, "%s.part", lock->path);
    CordResult result = lock_lock(lock, message);
    if (result != CORD_OK) {
        recording_lock_release(lock);
    }
    return result;
}

CordResult recording_lock_publish(RecordingLock* lock, bool durable, CordMessage* message)
{
    if ((durable && fsync(lock->file) != 0) || rename(lock->part, lock->path) != 0) {
        return lock_fail(lock->path, errno, message);
    }
    free(lock->part);
    lock->part = NULL;
    return CORD_OK;
}

void recording_lock_release(RecordingLock* lock)
{
    if (lock->part && lock->file >= 0) {
        remove(lock->part);
    }
    if (lock->file >= 0) {
        close(lock->file);
    }
    free(lock->path);
    free(lock->part);
    *lock = (RecordingLock){.file = -1};
}

// A network file system keeps a removed file that is still open under another name, so its count of links
// does not tell. Only a path that certainly leads elsewhere counts: a disk that does not answer for a while
// does not.
bool recording_lock_is_lost(const RecordingLock* lock)
{
    struct stat ours, there;
    if (fstat(lock->file, &ours) != 0) {
        return false;
    }
    if (stat(lock->part ? lock->part : lock->path, &there) != 0) {
        return errno == ENOENT || ours.st_nlink == 0;
    }
    return there.st_dev != ours.st_dev || there.st_ino != ours.st_ino;
}

int64_t recording_lock_size(const RecordingLock* lock)
{
    struct stat info;
    return fstat(lock->file, &info) == 0 ? (int64_t)info.st_size : -1;
}
