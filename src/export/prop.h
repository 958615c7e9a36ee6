// A rigid body or an obstacle of an export that moves: its surface in its own axes, made once, with two
// colours as pictures have them.
#ifndef CORD_EXPORT_PROP_H
#define CORD_EXPORT_PROP_H

#include "export/mesh.h"
#include "export/motion.h"
#include "export/sequence.h"

typedef struct Prop {
    const char* name; // of the frame that it was made of
    Mesh mesh;        // [m]; no faces: nothing to be seen
    uint8_t* tones;   // which of its colours each face has (mesh.face_count)
    uint32_t colors[2];
    bool both_sides; // it may be seen from behind: a mesh need not be closed
} Prop;

int prop_count(const CordFrame* frame); // bodies, then obstacles
MotionPose prop_pose(const CordFrame* frame, int index);
bool prop_make(Prop* prop, const Sequence* sequence, const CordFrame* frame, int index); // false: no memory
void prop_free(Prop* prop);

#endif
