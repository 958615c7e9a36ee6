// What a scene says about its picture.
#ifndef CORDAGE_CLI_CAMERA_H
#define CORDAGE_CLI_CAMERA_H

#include <cordage/io.h>

// what it leaves open stays as it is
void camera_from_scene(const CordSceneCamera* camera, CordPictureDef* def);

// Strands of one entry have one colour, and are drawn the thinner the more they are; a scene without any
// stays as it is. The client frees the groups. False: there is no memory, which has been said.
bool camera_strands(const CordScene* scene, CordPictureDef* def, CordPictureGroup** groups);

#endif
