// The scenes that come with the program, and where they are.
#ifndef CORDAGE_CLI_LIBRARY_H
#define CORDAGE_CLI_LIBRARY_H

#include <stdbool.h>

enum { LIBRARY_PATH_MOST = 4096 };

// The directory with the scenes that ship: $CORDAGE_SCENES if it is set, else share/cordage/scenes beside the
// program's own directory, else the input tree's. False if there is none; `path` is then where it was looked
// for last.
bool library_directory(char path[LIBRARY_PATH_MOST]);

// The page of the browser, cordage.html: in $CORDAGE_WEB if that is set, else in share/cordage/web beside the
// program's own directory, else where "make web" puts it. False: there is none, and it has been said.
bool library_page(char path[LIBRARY_PATH_MOST]);

// Turns what the user typed into the path of a file: itself if there is such a file, else the shipped scene
// of that name. False: there is neither, and it has been said.
bool library_find(const char* name, char path[LIBRARY_PATH_MOST]);

typedef struct Library { // names without ".json", in order; those in folders as "folder/name"
    char** names;        // (count)
    int count;
} Library;

bool library_list(const char* directory, Library* library); // false: no memory, or it cannot be read
void library_free(Library* library);

// The path of the scene called name; false if it is too long.
bool library_path(const char* directory, const char* name, char path[LIBRARY_PATH_MOST]);

#endif
