#include "scene/settings.h"

#include "base/utf8.h"
#include "scene/names.h"

#include <stdio.h>
#include <string.h>

typedef enum StepKind { STEP_KEY, STEP_INDEX, STEP_NAME, STEP_ALL } StepKind;

typedef struct Step { // a part of a path
    StepKind kind;
    const char* text; // the key, or the text in brackets
    uint32_t index;   // of STEP_INDEX
    size_t end;       // its end in the path
} Step;

typedef struct Setter {
    JsonTree* tree;
    Notes* notes;
    uint16_t source;
    const char* path;
    size_t path_size;
    Step steps[JSON_MOST_DEPTH];
    int step_count;
    JsonValue value;
} Setter;

// ---- notes

POOL_PRINTF(2, 3) static bool fail(Setter* s, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char* text = pool_vformat(s->tree->pool, format, arguments);
    va_end(arguments);
    notes_add(s->notes, true, s->source, 0, "%s", text ? text : "");
    return false;
}

// The path before a step; "the scene" before the first.
static const char* path_before(Setter* s, int step)
{
    const char* text = step > 0 ? pool_text(s->tree->pool, s->path, s->steps[step - 1].end) : "the scene";
    return text ? text : "";
}

static const char* kind_name(const JsonValue* value)
{
    static const char* const names[] = {"null", "true or false", "a number", "text", "a list", "an object"};
    return names[value->kind];
}

// ---- the path

bool setting_split(const char* setting, size_t* path_size, const char** value)
{
    const char* equals = strchr(setting, '='); // the first one, if a bracket is never closed
    bool inside = false;                       // in brackets, where a name may have =
    for (const char* at = setting; *at; at++) {
        inside = *at == '[' || (inside && *at != ']');
        if (*at == '=' && !inside) {
            equals = at;
            break;
        }
    }
    if (equals) {
        *path_size = (size_t)(equals - setting);
        *value = equals + 1;
    }
    return equals != NULL;
}

static bool parse_bracket(Setter* s, Step* step, const char* open, const char* close)
{
    size_t size = (size_t)(close - open) - 1;
    step->text = pool_text(s->tree->pool, open + 1, size);
    step->end = (size_t)(close + 1 - s->path);
    if (!step->text) {
        return false;
    }
    if (size == 0) {
        return fail(s, "[] is empty; write an index, a name or * in it");
    }
    size_t digits = strspn(step->text, "0123456789");
    step->kind = strcmp(step->text, "*") == 0 ? STEP_ALL : digits == size ? STEP_INDEX : STEP_NAME;
    for (size_t i = 0; step->kind == STEP_INDEX && i < size; i++) {
        uint32_t next = 10 * step->index + (uint32_t)(step->text[i] - '0');
        step->index = step->index > 100000000 ? step->index : next; // longer than any list
    }
    return true;
}

static bool parse_step(Setter* s, Step* step, const char** at, const char* end)
{
    if (**at == '[') {
        const char* close = memchr(*at, ']', (size_t)(end - *at));
        if (!close) {
            return fail(s, "a ] is missing in the path");
        }
        const char* open = *at;
        *at = close + 1;
        return parse_bracket(s, step, open, close);
    }
    if (s->step_count > 0 && *(*at)++ != '.') {
        return fail(s, "a . is missing after the ] in the path");
    }
    const char* start = *at;
    while (*at < end && **at != '.' && **at != '[') {
        (*at)++;
    }
    if (*at == start) {
        return fail(s, "a key is missing in the path; it looks like rods[0].elements");
    }
    *step = (Step){.kind = STEP_KEY, .end = (size_t)(*at - s->path)};
    step->text = pool_text(s->tree->pool, start, (size_t)(*at - start));
    return step->text != NULL;
}

static bool parse_path(Setter* s)
{
    if (s->path_size == 0) {
        return fail(s, "the path is empty; it looks like rods[0].elements");
    }
    const char *at = s->path, *end = s->path + s->path_size;
    while (at < end) {
        if (s->step_count == JSON_MOST_DEPTH) {
            return fail(s, "the path has more than %d parts", JSON_MOST_DEPTH);
        }
        if (!parse_step(s, &s->steps[s->step_count], &at, end)) {
            return false;
        }
        s->step_count++;
    }
    return true;
}

// ---- the value

static void ignore_error(void* user, uint16_t source, uint32_t offset, const char* text)
{
    (void)user, (void)source, (void)offset, (void)text;
}

// Whether the value is text without quotes, such as der or scenes/points.csv, and no number, list or object.
static bool is_bare_text(const char* text)
{
    static const char* const numbers[] = {"nan", "inf", "infinity"};
    for (int i = 0; i < 3; i++) {
        size_t j = 0;
        while (text[j] && (text[j] | 0x20) == numbers[i][j]) {
            j++;
        }
        if (!text[j] && !numbers[i][j]) {
            return false;
        }
    }
    if (!*text || strchr("\"'[{+-", *text)) {
        return false;
    }
    bool starts_as_number = strchr(".0123456789", *text);
    return !starts_as_number || text[strspn(text, "+-.0123456789eE")];
}

static bool parse_setting_value(Setter* s, const char* text)
{
    if (!*text) {
        return fail(s, "there is no value after the =; an empty text is written \"\"");
    }
    JsonReport report = s->tree->report;
    uint32_t value_count = s->tree->value_count;
    if (is_bare_text(text)) {
        s->tree->report.error = ignore_error;
    }
    bool parsed = json_parse(s->tree, text, strlen(text), s->source, &s->value);
    s->tree->report = report;
    if (parsed || !is_bare_text(text) || s->tree->pool->failed) {
        return parsed;
    }
    s->tree->value_count = value_count;
    s->value = (JsonValue){
        .string = text, .kind = JSON_STRING, .source = s->source, .count = (uint32_t)strlen(text)};
    return true;
}

// ---- finding and making places in the tree

static bool fail_full(Setter* s)
{
    return s->tree->pool->failed ? false
                                 : fail(s, "the scene would have more than %u values", JSON_MOST_VALUES);
}

static JsonValue* make_value(Setter* s, JsonKind kind, JsonValue* parent)
{
    JsonValue* value = json_value_make(s->tree, parent);
    if (value) {
        value->kind = (uint16_t)kind;
        value->source = s->source;
    } else {
        fail_full(s);
    }
    return value;
}

// The kind of a new value for the step after this one. The last one is null until the value replaces it.
static JsonKind kind_for(const Setter* s, int step)
{
    if (step + 1 == s->step_count) {
        return JSON_NULL;
    }
    StepKind next = s->steps[step + 1].kind;
    return next == STEP_INDEX || next == STEP_ALL ? JSON_ARRAY : JSON_OBJECT;
}

static JsonValue* find_member(Setter* s, JsonValue* object, int step)
{
    const char* key = s->steps[step].text;
    JsonValue** tail = &object->first;
    for (; *tail; tail = &(*tail)->next->next) {
        if (strcmp((*tail)->string, key) == 0) {
            return (*tail)->next;
        }
    }
    JsonValue* made = make_value(s, JSON_STRING, object);
    if (!made) {
        return NULL;
    }
    made->string = key;
    made->count = (uint32_t)strlen(key);
    made->next = make_value(s, kind_for(s, step), object);
    if (!made->next) {
        return NULL;
    }
    *tail = made;
    object->count++;
    return made->next;
}

static void fail_index(Setter* s, uint32_t count, int step)
{
    const char* before = path_before(s, step);
    if (count == 0) {
        fail(s, "%s is empty; the index is 0, which adds an entry", before);
    } else if (count == 1) {
        fail(s, "%s has 1 entry; the index is 0, or 1 to add one", before);
    } else {
        fail(s, "%s has %u entries; the index is 0 to %u, or %u to add one", before, count, count - 1, count);
    }
}

static JsonValue* find_index(Setter* s, JsonValue* array, int step)
{
    if (s->steps[step].index > array->count) {
        fail_index(s, array->count, step);
        return NULL;
    }
    JsonValue** tail = &array->first;
    for (uint32_t i = 0; i < s->steps[step].index; i++) {
        tail = &(*tail)->next;
    }
    if (!*tail) {
        *tail = make_value(s, kind_for(s, step), array);
        array->count += *tail != NULL;
    }
    return *tail;
}

static const char* entry_name(const JsonValue* entry)
{
    const JsonValue* name = entry->kind == JSON_OBJECT ? json_member(entry, "name") : NULL;
    return name && name->kind == JSON_STRING ? name->string : NULL;
}

static const char* name_of_entry(const void* context, int i)
{
    const char* const* names = context;
    return names[i];
}

static JsonValue* find_named(Setter* s, JsonValue* array, int step)
{
    const char* names[100];
    int count = 0;
    for (JsonValue* entry = array->first; entry; entry = entry->next) {
        const char* name = entry_name(entry);
        if (name && strcmp(name, s->steps[step].text) == 0) {
            return entry;
        }
        if (name && count < 100) {
            names[count++] = name;
        }
    }
    NameHint hint = name_hint(s->steps[step].text, name_of_entry, names, count);
    fail(s, "%s has no entry with the name %s%s", path_before(s, step), utf8_quote(s->steps[step].text).text,
         hint.text);
    return NULL;
}

// ---- applying

static bool set_at(Setter* s, JsonValue* here, int step);

static bool set_all(Setter* s, JsonValue* here, int step)
{
    if (here->count == 0) {
        return fail(s, "%s is empty, so [*] is nothing", path_before(s, step));
    }
    bool is_object = here->kind == JSON_OBJECT;
    for (JsonValue* entry = is_object ? here->first->next : here->first; entry;) {
        if (!set_at(s, entry, step + 1)) {
            return false;
        }
        entry = is_object && entry->next ? entry->next->next : entry->next;
    }
    return true;
}

static JsonValue* find_child(Setter* s, JsonValue* here, int step)
{
    const Step* part = &s->steps[step];
    if (here->kind == JSON_OBJECT) {
        return find_member(s, here, step); // brackets name a member too: materials[my rope]
    }
    if (here->kind == JSON_ARRAY && part->kind == STEP_INDEX) {
        return find_index(s, here, step);
    }
    if (here->kind == JSON_ARRAY && part->kind == STEP_NAME) {
        return find_named(s, here, step);
    }
    const char* before = path_before(s, step);
    if (here->kind == JSON_ARRAY) {
        fail(s, "%s is a list; write %s[0].%s, or %s[*].%s for all its entries", before, before, part->text,
             before, part->text);
    } else {
        fail(s, "%s is %s, so there is no %s in it", before, kind_name(here), utf8_quote(part->text).text);
    }
    return NULL;
}

// Sets the value below `here`, from `step` on. The number of steps bounds the recursion.
static bool set_at(Setter* s, JsonValue* here, int step)
{
    if (step == s->step_count) {
        return json_copy(s->tree, &s->value, here) || fail_full(s);
    }
    bool holds = here->kind == JSON_ARRAY || here->kind == JSON_OBJECT;
    if (holds && s->steps[step].kind == STEP_ALL) {
        return set_all(s, here, step);
    }
    JsonValue* child = find_child(s, here, step);
    return child && set_at(s, child, step + 1);
}

bool setting_apply(JsonTree* tree, Notes* notes, uint16_t source, JsonValue* root)
{
    Setter s = {.tree = tree, .notes = notes, .source = source};
    s.path = notes->texts[source].setting;
    size_t size = strlen(s.path);
    const char* value;
    if (utf8_check(s.path, size) < size) {
        return fail(&s, "a setting must be UTF-8 text");
    }
    if (!setting_split(s.path, &s.path_size, &value)) {
        return fail(&s, "a setting has the form path=value, such as time.end=2");
    }
    return parse_path(&s) && parse_setting_value(&s, value) && set_at(&s, root, 0);
}
