# The libraries, from the objects that the directories under src/ have filled.

# cord_library(NAME OBJECTS... ): NAME (shared) and NAME_static, both called libFILE on disk.
function(cord_library name file)
    set(objects ${ARGN})
    list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
    foreach(kind SHARED STATIC)
        set(target ${name})
        if(kind STREQUAL "STATIC")
            set(target ${name}_static)
        endif()
        add_library(${target} ${kind} ${objects})
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${file} LINKER_LANGUAGE C
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
        target_include_directories(${target} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endforeach()
endfunction()

# What a library needs from outside stays out of its shared form's interface. The static form passes it on: by target
# inside this tree, by name on the linker's command line once installed (cmake/CordageInstall.cmake).
function(cord_link name)
    target_link_libraries(${name} PRIVATE ${ARGN})
    foreach(library ${ARGN})
        target_link_libraries(${name}_static INTERFACE $<BUILD_INTERFACE:${library}>)
    endforeach()
endfunction()

set(core_objects cord_core)
if(TARGET cord_core_avx2)
    list(APPEND core_objects cord_core_avx2)
endif()
cord_library(cordage cordage ${core_objects})
cord_link(cordage m)
if(CORDAGE_OPENMP)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
        target_compile_options(cord_core PRIVATE ${OpenMP_C_FLAGS})
        target_compile_definitions(cord_core PRIVATE CORD_OPENMP=1)
        cord_link(cordage OpenMP::OpenMP_C)
    endif()
endif()
add_library(cordage::cordage ALIAS cordage)
add_library(cordage::cordage_static ALIAS cordage_static)

get_target_property(io_sources cord_io SOURCES)
if(io_sources)
    cord_library(cordage_io cord_io cord_io)
    # src/base is hidden in libcordage.so: libcord_io.so takes its own copy of those objects, and of nothing else.
    target_link_libraries(cordage_io PUBLIC cordage PRIVATE $<BUILD_INTERFACE:cordage_static>)
    target_link_options(cordage_io PRIVATE LINKER:--exclude-libs,libcordage.a)
    target_link_libraries(cordage_io_static INTERFACE cordage_static)
    get_target_property(CORDAGE_IO_NEEDS cord_io LINK_LIBRARIES)
    list(FILTER CORDAGE_IO_NEEDS EXCLUDE REGEX "^::@|-NOTFOUND$") # CMake's note of the directory that linked it; nothing
    cord_link(cordage_io ${CORDAGE_IO_NEEDS})
    add_library(cordage::io ALIAS cordage_io)
    add_library(cordage::io_static ALIAS cordage_io_static)
endif()

if(TARGET cord_ode)
    cord_library(cordage_ode cord_ode cord_ode)
    cord_link(cordage_ode ${ODE_LIBRARY} m)
    add_library(cordage::ode ALIAS cordage_ode)
    add_library(cordage::ode_static ALIAS cordage_ode_static)
endif()

cord_library(cordage_eigs cord_eigs cord_eigs)
cord_link(cordage_eigs ${CORDAGE_EIGS_NEEDS})
add_library(cordage::eigs ALIAS cordage_eigs)
add_library(cordage::eigs_static ALIAS cordage_eigs_static)
