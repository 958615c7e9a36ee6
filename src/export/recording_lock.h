// The place of a recording: one writer at a time, and nothing there until it can be read.
#ifndef CORD_EXPORT_RECORDING_LOCK_H
#define CORD_EXPORT_RECORDING_LOCK_H

#include <cordage/io.h>

typedef struct RecordingLock {
    char* path; // where the recording will be
    char* part; // where it is made; NULL once it is in its place
    int file;   // open and locked while it is held; the lock goes with the process, however it ends
} RecordingLock;

// Makes an empty PATH.part, locked. Fails if another recorder is writing to the path, or if nothing can be
// written there.
CordResult recording_lock_acquire(RecordingLock* lock, const char* path, CordMessage* message);

// Renames it to its place, over what was there. Durable: not before all of it is on the disk, so that not
// even a power cut can take both.
CordResult recording_lock_publish(RecordingLock* lock, bool durable, CordMessage* message);

void recording_lock_release(RecordingLock* lock);       // gives up the lock; removes what was not settled
int64_t recording_lock_size(const RecordingLock* lock); // of the file now [bytes]; -1: unknown

#endif
