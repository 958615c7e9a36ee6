#include "command.h"
#include "compare.h"
#include "heap.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char as_the_scene[] = "scene"; // takes the place of a model

// ---- the text

// The first separator outside brackets, braces and quotes, or the end of the text.
static char* part_end(char* text, char separator)
{
    int depth = 0;
    bool quoted = false;
    for (char* at = text; *at; at++) {
        if (quoted) {
            quoted = *at != '"';
            at += *at == '\\' && at[1];
        } else if (*at == separator && depth <= 0) {
            return at;
        } else {
            quoted = *at == '"';
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        }
    }
    return text + strlen(text);
}

// Ends the text at the separator and returns what follows it, or NULL.
static char* part_cut(char* text, char separator)
{
    char* end = part_end(text, separator);
    if (!*end) {
        return NULL;
    }
    *end = '\0';
    return end + 1;
}

// ---- names

static const Variant* variant_named(const VariantList* list, const char* name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool name_give(const VariantList* list, Variant* v, const char* name)
{
    size_t length = strlen(name);
    bool good = length > 0 && length < sizeof v->name && name[0] != '.' && name[0] != '-' &&
                strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
    if (!good) {
        console_error(
            "compare --models: \"%s\" is no name for a variant; take up to %d of a-z, 0-9, _, . and -", name,
            VARIANT_NAME_MOST - 1);
    } else if (variant_named(list, name)) {
        good = error_false("compare --models: two variants are called \"%s\"; give each a name of its own",
                           name);
    } else {
        memcpy(v->name, name, length + 1);
    }
    return good;
}

// The model's name, with a number if it is taken: corde, corde2, corde3.
static void name_make(const VariantList* list, Variant* v, const char* model)
{
    snprintf(v->name, sizeof v->name, "%s", model);
    for (int k = 2; variant_named(list, v->name); k++) {
        snprintf(v->name, sizeof v->name, "%.12s%d", model, k);
    }
}

static bool model_find(Variant* v, const char* name)
{
    char known[256] = "";
    size_t n = 0;
    for (int k = 0; k < CORD_MODEL_COUNT; k++) {
        const char* model = cord_model_name((CordModel)k);
        if (strcmp(name, model) == 0) {
            v->model = model;
            return true;
        }
        n += (size_t)snprintf(known + n, sizeof known - n, "%s, ", model);
    }
    if (strcmp(name, as_the_scene) == 0) {
        return true;
    }
    return error_false(
        "compare --models: there is no model \"%s\"; there are %sand \"%s\" for what the scene says", name,
        known, as_the_scene);
}

// ---- variants

// Reads "NAME=MODEL", or the model alone.
static bool head_parse(const VariantList* list, Variant* v, char* head)
{
    char* model = part_cut(head, '=');
    const char* name = model ? head : NULL;
    model = model ? model : head;
    if (!model_find(v, model) || (name && !name_give(list, v, name))) {
        return false;
    }
    if (!name) {
        name_make(list, v, model);
    }
    return true;
}

static int variant_parse(VariantList* list, char* text, const OptionList* common)
{
    Variant* v = &list->items[list->count];
    *v = (Variant){0};
    char* rest = part_cut(text, ':');
    if (!head_parse(list, v, text)) {
        return EXIT_USAGE;
    }
    list->count++;
    for (int i = 0; i < common->count; i++) {
        option_list_add(&v->settings, "%s", common->items[i]);
    }
    (void)settings_add_model(&v->settings, "compare", v->model); // it is the name of one
    for (; rest; v->own++) {
        char* setting = rest;
        rest = part_cut(rest, ':');
        option_list_add(&v->settings, "%s", setting);
    }
    return EXIT_GOOD;
}

// All models: "der,corde,pbd".
static void name_models(char* text, size_t size)
{
    size_t n = 0;
    for (int k = 0; k < CORD_MODEL_COUNT; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? "," : "", cord_model_name((CordModel)k));
    }
}

int variant_list_parse(VariantList* list, const char* text, const OptionList* common)
{
    char models[256];
    name_models(models, sizeof models);
    text = text ? text : models;
    char* copy = heap_take(strlen(text) + 1, 1);
    memcpy(copy, text, strlen(text));
    int status = EXIT_GOOD;
    for (char* rest = copy; rest && status == EXIT_GOOD;) {
        char* part = rest;
        rest = part_cut(rest, ',');
        if (list->count < VARIANTS_MOST) {
            status = variant_parse(list, part, common);
        } else {
            status = error_usage("compare --models takes %d variants at the most", VARIANTS_MOST);
        }
    }
    free(copy);
    if (status == EXIT_GOOD && list->count < 2) {
        status =
            error_usage("compare --models takes at least two, with commas between them, such as der,corde");
    }
    return status;
}

void variant_list_free(VariantList* list)
{
    for (int i = 0; i < list->count; i++) {
        option_list_free(&list->items[i].settings);
    }
}
