# Pictures and movies; included by CMakeLists.txt of this directory. Embree and libpng are each left out if not found:
# the functions that need them then say which package to install.
target_sources(cord_io PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/picture.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_camera.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_curve.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_solid.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_marker.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_surface.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_trace.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_stage.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_mask.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_light.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_tile.c
    ${CMAKE_CURRENT_LIST_DIR}/picture_label.c
    ${CMAKE_CURRENT_LIST_DIR}/png.c
    ${CMAKE_CURRENT_LIST_DIR}/movie.c)

if(CORDAGE_EMBREE)
    # By header and library: Embree's own package file also demands the development files of its task library.
    find_path(EMBREE3_INCLUDE_DIR embree3/rtcore.h)
    find_library(EMBREE3_LIBRARY embree3)
    mark_as_advanced(EMBREE3_INCLUDE_DIR EMBREE3_LIBRARY)
    if(EMBREE3_INCLUDE_DIR AND EMBREE3_LIBRARY)
        target_include_directories(cord_io SYSTEM PRIVATE ${EMBREE3_INCLUDE_DIR})
        target_compile_definitions(cord_io PRIVATE CORD_EMBREE=1)
        target_link_libraries(cord_io PRIVATE ${EMBREE3_LIBRARY})
    else()
        message(STATUS "Embree 3 not found (libembree-dev): no pictures")
    endif()
endif()

if(CORDAGE_PNG)
    find_package(PNG)
    if(PNG_FOUND)
        target_compile_definitions(cord_io PRIVATE CORD_PNG=1)
        target_link_libraries(cord_io PRIVATE PNG::PNG)
    else()
        message(STATUS "libpng not found (libpng-dev): no PNG files")
    endif()
endif()
