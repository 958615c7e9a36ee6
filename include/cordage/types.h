// Small values that every part of the interface uses: vectors, rotations, results and ids.
#ifndef CORDAGE_TYPES_H
#define CORDAGE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CORD_API __attribute__((visibility("default")))
#else
#define CORD_API
#endif

typedef struct CordVec3 {
    double x, y, z;
} CordVec3;

typedef struct CordQuat { // a rotation; scalar part last
    double x, y, z, w;
} CordQuat;

// about an axis that is not zero, by angle [rad]
CORD_API CordQuat cord_quat_about(CordVec3 axis, double angle);

typedef enum CordResult {
    CORD_OK = 0,
    CORD_BAD_ARGUMENT,  // a def or an argument is wrong; nothing was changed
    CORD_BAD_ID,        // the id is null, or what it named is gone
    CORD_NOT_SUPPORTED, // the model cannot do what the def asks for
    CORD_NO_MEMORY,     // the allocator returned NULL; nothing was changed
    CORD_DIVERGED,      // a state stopped being finite; the world keeps the last good one
    // an iteration did not reach its tolerance; the world keeps the last good state, a solve its best
    CORD_NOT_CONVERGED,
    CORD_BAD_STATE, // the bytes given to cord_world_state_set do not fit this world
    CORD_BAD_FILE,  // a file could not be read or written, or does not hold what it should
} CordResult;

CORD_API const char* cord_result_name(CordResult result); // "CORD_OK", "CORD_BAD_ARGUMENT", ...

typedef struct CordWorld CordWorld; // cordage/cordage.h

// Ids are small values; the zero id is null. An id stays invalid after its object is destroyed.
typedef struct CordRodId {
    uint32_t slot, generation;
} CordRodId;
typedef struct CordClampId {
    uint32_t slot, generation;
} CordClampId;
typedef struct CordLoadId {
    uint32_t slot, generation;
} CordLoadId;
typedef struct CordObstacleId { // see cordage/contact.h
    uint32_t slot, generation;
} CordObstacleId;
typedef struct CordProbeId {
    uint32_t slot, generation;
} CordProbeId;
typedef struct CordBodyId {
    uint32_t slot, generation;
} CordBodyId;
typedef struct CordWeldId {
    uint32_t slot, generation;
} CordWeldId;
typedef struct CordSurfaceId { // see cordage/surface.h
    uint32_t slot, generation;
} CordSurfaceId;

#ifdef __cplusplus
}
#endif

#endif
