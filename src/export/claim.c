#define _GNU_SOURCE // locks that belong to the open file (F_OFD_SETLK): two recorders of one process see each other's

#include "export/claim.h"

#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static CordResult claim_fail(const char* path, int error, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE, "%s cannot be recorded to: %s", path, export_error_text(error));
}

static CordResult claim_busy(const char* path, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE,
                       "%s is being recorded to by another run; wait for it to end, or record to another file",
                       path);
}

// ---------------------------------------------------------------------------------------------------- the lock

#ifdef F_OFD_SETLK
// One byte that no file reaches. HDF5's own locks are of another kind and neither see this one nor mind it.
static struct flock lock_range(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
}

// Disks that know no locks go without: only what is surely locked counts as busy.
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

// ---------------------------------------------------------------------------------------------------- the place

// Through a link, to the file it names: renaming over the link itself would cut it.
static char* path_resolve(const char* path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        return realpath(path, NULL);
    }
    return strdup(path);
}

static int path_refusal(const char* path) // errno, or 0 if a file may be put there
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? 0 : errno; // a missing directory is found when the part is made
    }
    if (S_ISDIR(info.st_mode)) {
        return EISDIR;
    }
    if (!S_ISREG(info.st_mode)) {
        return EINVAL;
    }
    return access(path, W_OK) == 0 ? 0 : errno; // a rename would not mind; its owner might
}

static bool same_file(int file, const char* path)
{
    struct stat a, b;
    return fstat(file, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whoever holds the lock on the part may rename it, so the order matters: first the part's lock, then a look whether it
// still is the part, and only then whether the place itself is held by one who has renamed already.
static CordResult claim_lock(Claim* claim, CordMessage* message)
{
    claim->file = open(claim->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (claim->file < 0) {
        int error = errno;
        free(claim->part);
        claim->part = NULL;
        return claim_fail(claim->path, error, message);
    }
    if (!lock_try(claim->file) || !same_file(claim->file, claim->part)) {
        free(claim->part); // not ours to remove
        claim->part = NULL;
        return claim_busy(claim->path, message);
    }
    return lock_held(claim->path) ? claim_busy(claim->path, message) : CORD_OK;
}

CordResult claim_take(Claim* claim, const char* path, CordMessage* message)
{
    *claim = (Claim){.file = -1};
    if (!path || path[0] == '\0') {
        return export_fail(message, CORD_BAD_ARGUMENT, "no path is given; name the file to record to");
    }
    claim->path = path_resolve(path);
    if (!claim->path) {
        return claim_fail(path, errno, message);
    }
    size_t size = strlen(claim->path) + sizeof ".part";
    int error = path_refusal(claim->path);
    claim->part = error == 0 ? malloc(size) : NULL;
    if (!claim->part) {
        claim_release(claim);
        return error == EINVAL
                   ? export_fail(message, CORD_BAD_FILE,
                                 "%s cannot be recorded to: it is a device or a pipe; give the name of a file", path)
                   : claim_fail(path, error != 0 ? error : ENOMEM, message);
    }
    snprintf(claim->part, size, "%s.part", claim->path);
    CordResult result = claim_lock(claim, message);
    if (result != CORD_OK) {
        claim_release(claim);
    }
    return result;
}

CordResult claim_settle(Claim* claim, bool durable, CordMessage* message)
{
    if ((durable && fsync(claim->file) != 0) || rename(claim->part, claim->path) != 0) {
        return claim_fail(claim->path, errno, message);
    }
    free(claim->part);
    claim->part = NULL;
    return CORD_OK;
}

void claim_release(Claim* claim)
{
    if (claim->part && claim->file >= 0) {
        remove(claim->part);
    }
    if (claim->file >= 0) {
        close(claim->file);
    }
    free(claim->path);
    free(claim->part);
    *claim = (Claim){.file = -1};
}

int64_t claim_size(const Claim* claim)
{
    struct stat info;
    return fstat(claim->file, &info) == 0 ? (int64_t)info.st_size : -1;
}
