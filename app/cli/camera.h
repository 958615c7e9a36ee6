// What a scene says about its picture.
#ifndef CORDAGE_CLI_CAMERA_H
#define CORDAGE_CLI_CAMERA_H

#include <cordage/io.h>

void camera_from_scene(const CordSceneCamera* camera, CordPictureDef* def); // what it leaves open stays as it is

#endif
