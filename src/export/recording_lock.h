// The lock on the path of a recording: there is one writer at a time, and the file appears at its path only
// when it can be read.
#ifndef CORD_EXPORT_RECORDING_LOCK_H
#define CORD_EXPORT_RECORDING_LOCK_H

#include <cordage/io.h>

typedef struct RecordingLock {
    char* path; // where the recording will be
    char* part; // where it is created; NULL once it has been renamed
    int file;   // holds the lock; the system releases it when the process ends, however that happens
} RecordingLock;

// Creates an empty PATH.part and locks it. Fails if another recorder is writing to the path, or if nothing
// can be written there.
CordResult recording_lock_acquire(RecordingLock* lock, const char* path, CordMessage* message);

// Renames the file to its path and replaces a file there. If durable, all data is flushed to the disk first,
// so that even a power cut leaves either the old file or the new one.
CordResult recording_lock_publish(RecordingLock* lock, bool durable, CordMessage* message);

// releases the lock and removes a file that was not published
void recording_lock_release(RecordingLock* lock);
bool recording_lock_is_lost(const RecordingLock* lock); // its path does not lead to the file any more
int64_t recording_lock_size(const RecordingLock* lock); // size of the file [bytes]; -1: not known

#endif
