// The picture that a scene asks for.
#ifndef CORDAGE_CLI_CAMERA_H
#define CORDAGE_CLI_CAMERA_H

#include <cordage/io.h>

// Keys that the scene does not have leave the def as it is.
void camera_from_scene(const CordSceneCamera* camera, CordPictureDef* def);

// Gives the strands of one entry one colour, and draws them thinner the more there are. The caller frees the
// groups that come back.
CordPictureGroup* camera_strands(const CordScene* scene, CordPictureDef* def);

#endif
