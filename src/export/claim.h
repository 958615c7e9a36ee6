// The place of a recording: one writer at a time, and nothing there until it can be read.
#ifndef CORD_EXPORT_CLAIM_H
#define CORD_EXPORT_CLAIM_H

#include <cordage/io.h>

typedef struct Claim {
    char* path; // where the recording will be
    char* part; // where it is made; NULL once it is in its place
    int file;   // open while claimed, and locked; the lock goes with the process, however it ends
} Claim;

// Makes an empty PATH.part, locked. Fails if another recorder is writing to the path, or if nothing can be written
// there.
CordResult claim_take(Claim* claim, const char* path, CordMessage* message);

// Renames it to its place, over what was there. Durable: not before all of it is on the disk, so that not even a
// power cut can take both.
CordResult claim_settle(Claim* claim, bool durable, CordMessage* message);

void claim_release(Claim* claim);       // gives up the lock; removes what was not settled
int64_t claim_size(const Claim* claim); // of the file now [bytes]; -1: unknown

#endif
