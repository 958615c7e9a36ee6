// What is compared: models, each with settings of its own, as --models of `cordage compare` names them.
#ifndef CORDAGE_CLI_COMPARE_VARIANT_H
#define CORDAGE_CLI_COMPARE_VARIANT_H

#include "options.h"

enum { VARIANTS_MOST = 8, VARIANT_NAME_MOST = 24 }; // as many as pictures have colours

typedef struct Variant {
    char name[VARIANT_NAME_MOST]; // in tables, plots and file names; no two have the same
    const char* model;            // NULL: each rod has the one the scene gives it
    OptionList settings;          // those of all variants, then the model's, then its own
    int own;                      // how many its own are: the last ones
} Variant;

typedef struct VariantList {
    Variant items[VARIANTS_MOST];
    int count;
} VariantList;

// Reads "MODEL,NAME=MODEL:PATH=VALUE:PATH=VALUE,...": commas and colons within brackets, braces or quotes
// belong to the value. NULL: every model there is. `common` are the settings of all. To be freed whatever
// comes back; EXIT_GOOD, or the exit status, and it has been said.
int variant_list_parse(VariantList* list, const char* text, const OptionList* common);
void variant_list_free(VariantList* list);

#endif
