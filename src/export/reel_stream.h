// A reel on its way to somewhere, a chunk at a time: whole recordings need not fit into memory.
#ifndef CORD_EXPORT_REEL_STREAM_H
#define CORD_EXPORT_REEL_STREAM_H

#include <cordage/reel.h>

typedef struct ReelSink {
    void (*put)(void* user, const uint8_t* bytes, size_t size); // errors are found when the file is closed
    void* user;
    int64_t most;     // bytes of the reel
    const char* what; // that cannot hold more: "a reel"
} ReelSink;

CordResult reel_stream(const CordFrames* frames, const CordExportDef* def, const ReelSink* sink,
                       CordMessage* message);

#endif
