// The scenes and the web page that ship with the program.
#ifndef CORDAGE_CLI_LIBRARY_H
#define CORDAGE_CLI_LIBRARY_H

#include <stdbool.h>

enum { LIBRARY_PATH_MOST = 4096 };

// The directory of the shipped scenes: $CORDAGE_SCENES if set, else share/cordage/scenes beside the program's
// directory, else that of the source tree. False: it does not exist, and `path` is the last place tried.
bool library_directory(char path[LIBRARY_PATH_MOST]);

// The page cordage.html: in $CORDAGE_WEB if set, else in share/cordage/web beside the program's directory,
// else where "make web" puts it. False: an error has been reported.
bool library_page(char path[LIBRARY_PATH_MOST]);

// The file of that name if it exists, else the shipped scene of that name. False: an error has been reported.
bool library_find(const char* name, char path[LIBRARY_PATH_MOST]);

// Is the file a shipped scene? Its name, "folder/name.json", goes to `name`.
bool library_is_shipped(const char* path, char name[LIBRARY_PATH_MOST]);

typedef struct Library { // names without ".json", sorted; "folder/name" in a folder
    char** names;        // (count)
    int count;
} Library;

bool library_list(const char* directory, Library* library); // false: unreadable
void library_free(Library* library);

// The path of a shipped scene. False: too long.
bool library_path(const char* directory, const char* name, char path[LIBRARY_PATH_MOST]);

#endif
