// The tables of keys give the JSON Schema; the documentation and the shipped scenes must know the same keys.
#include "scene_text.h"

#include "scene/json.h"
#include "scene/scene.h"
#include "scene/values.h"

#include <dirent.h>
#include <sys/stat.h>

#define MOST_TABLES 200

// ---- files

static char* read_file(const char* name)
{
    size_t size;
    return scene_text_file(name, &size);
}

typedef struct Tree {
    char* text;
    Pool pool;
    JsonValue root;
} Tree;

static void report(void* user, uint16_t source, uint32_t offset, const char* text)
{
    (void)source;
    check_fail(__FILE__, __LINE__, "%s: byte %u: %s", (const char*)user, offset, text);
}

static Tree* read_tree(char* text, const char* name)
{
    Tree* tree = calloc(1, sizeof *tree);
    tree->text = text;
    pool_init(&tree->pool, (CordAllocator){0});
    JsonTree json = {.pool = &tree->pool, .report = {report, (void*)name}};
    CHECK(json_parse(&json, text, strlen(text), 0, &tree->root));
    return tree;
}

static void drop(Tree* tree)
{
    pool_free(&tree->pool);
    free(tree->text);
    free(tree);
}

// ---- a validator for what the schema uses

static const JsonValue* definition(const JsonValue* schema, const char* name)
{
    return json_member(json_member(schema, "$defs"), name);
}

static const JsonValue* resolve(const JsonValue* schema, const JsonValue* node)
{
    const JsonValue* reference = json_member(node, "$ref");
    return reference ? definition(schema, reference->string + strlen("#/$defs/")) : node;
}

static bool is_type(const JsonValue* value, const char* type)
{
    static const char* const names[] = {"null", "boolean", "number", "string", "array", "object"};
    bool whole = value->kind == JSON_NUMBER && value->number == floor(value->number);
    return strcmp(type, names[value->kind]) == 0 || (strcmp(type, "integer") == 0 && whole);
}

static bool is_equal(const JsonValue* a, const JsonValue* b)
{
    return a->kind == b->kind &&
           (a->kind == JSON_STRING ? strcmp(a->string, b->string) == 0 : a->number == b->number);
}

static bool validate(const JsonValue* schema, const JsonValue* node, const JsonValue* value);

static bool validate_number(const JsonValue* node, double number)
{
    const JsonValue *low = json_member(node, "minimum"), *open = json_member(node, "exclusiveMinimum");
    const JsonValue* high = json_member(node, "maximum");
    return (!low || number >= low->number) && (!open || number > open->number) &&
           (!high || number <= high->number);
}

static bool validate_array(const JsonValue* schema, const JsonValue* node, const JsonValue* value)
{
    const JsonValue *least = json_member(node, "minItems"), *most = json_member(node, "maxItems");
    const JsonValue* items = json_member(node, "items");
    bool good = (!least || value->count >= least->number) && (!most || value->count <= most->number);
    for (const JsonValue* entry = value->first; good && items && entry; entry = entry->next) {
        good = validate(schema, items, entry);
    }
    return good;
}

static bool validate_object(const JsonValue* schema, const JsonValue* node, const JsonValue* value)
{
    const JsonValue *properties = json_member(node, "properties"),
                    *others = json_member(node, "additionalProperties");
    const JsonValue* required = json_member(node, "required");
    bool good = true;
    for (const JsonValue* key = value->first; good && key; key = key->next->next) {
        const JsonValue* property = properties ? json_member(properties, key->string) : NULL;
        if (property || (others && others->kind == JSON_OBJECT)) {
            good = validate(schema, property ? property : others, key->next);
        } else {
            good = !others || others->truth;
        }
    }
    for (const JsonValue* name = required ? required->first : NULL; good && name; name = name->next) {
        good = json_member(value, name->string) != NULL;
    }
    return good;
}

// How many of the choices the value fits; -1: the node has none.
static int count_fitting(const JsonValue* schema, const JsonValue* choices, const JsonValue* value)
{
    int count = choices ? 0 : -1;
    for (const JsonValue* choice = choices ? choices->first : NULL; choice; choice = choice->next) {
        count += choice->kind == JSON_OBJECT ? validate(schema, choice, value) : is_equal(choice, value);
    }
    return count;
}

static bool validate_choices(const JsonValue* schema, const JsonValue* node, const JsonValue* value)
{
    int one = count_fitting(schema, json_member(node, "oneOf"), value);
    int any = count_fitting(schema, json_member(node, "anyOf"), value);
    int equal = count_fitting(schema, json_member(node, "enum"), value);
    return (one < 0 || one == 1) && any != 0 && (equal < 0 || equal == 1);
}

static bool validate(const JsonValue* schema, const JsonValue* node, const JsonValue* value)
{
    if (json_member(node, "$ref") && !validate(schema, resolve(schema, node), value)) {
        return false;
    }
    const JsonValue* type = json_member(node, "type");
    if ((type && !is_type(value, type->string)) || !validate_choices(schema, node, value)) {
        return false;
    }
    switch ((JsonKind)value->kind) {
    case JSON_NUMBER: return validate_number(node, value->number);
    case JSON_ARRAY: return validate_array(schema, node, value);
    case JSON_OBJECT: return validate_object(schema, node, value);
    default: return true;
    }
}

// ---- the tables

static void fail_key(const Table* table, const char* key, const char* what)
{
    check_fail(__FILE__, __LINE__, "%s.%s: %s", table->name, key, what);
}

TEST(the_shipped_schema_is_what_the_tables_give)
{
    size_t size = cord_scene_schema(NULL, 0);
    char *text = malloc(size + 1), *shipped = read_file("scenes/scene.schema.json");
    CHECK_INT(cord_scene_schema(text, size + 1), size);
    if (strcmp(text, shipped) != 0) {
        check_fail(__FILE__, __LINE__,
                   "scenes/scene.schema.json is not what `cordage schema` prints; write it anew");
    }
    char start[10] = "";
    CHECK_INT(cord_scene_schema(start, sizeof start), size); // cut
    CHECK(strncmp(start, text, 9) == 0 && start[9] == '\0');
    free(text);
    free(shipped);
}

static bool is_sentence(const char* about)
{
    size_t size = about ? strlen(about) : 0;
    return size > 4 && about[size - 1] == '.' && !(about[0] >= 'a' && about[0] <= 'z');
}

TEST(every_key_is_described_and_can_be_read)
{
    const Table* tables[MOST_TABLES];
    Pool pool;
    pool_init(&pool, (CordAllocator){0});
    int count = tables_from(&pool, &table_scene, tables, MOST_TABLES);
    CHECK(count > 80 && count < MOST_TABLES);
    for (int i = 0; i < count; i++) {
        CHECK(is_sentence(tables[i]->about));
        CHECK(tables[i]->size <= TABLE_MOST_SIZE && (!tables[i]->convert || tables[i]->size > 0));
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(tables[i]->name, tables[k]->name) != 0);
        }
        for (int k = 0; k < tables[i]->count; k++) {
            const Field* field = &tables[i]->fields[k];
            if (!is_sentence(field->about) && (field->about || !field->table)) {
                fail_key(tables[i], field->name, "no sentence says what it is");
            }
            bool is_list = field->kind >= FIELD_LIST && field->kind <= FIELD_JOINED;
            if (!field->read && (!value_types[field->kind].read || (is_list && !field->entry))) {
                fail_key(tables[i], field->name, "nothing reads it");
            }
        }
    }
    pool_free(&pool);
}

// ---- fields that the library describes

typedef struct Sample {
    int before;
    CordVec3 pull;
    double strength;
    int count;
    bool hidden;
} Sample;

static const CordField sample_fields[] = {
    {.key = "pull",
     .about = "Direction of the pull.",
     .unit = "",
     .type = CORD_FIELD_VECTOR,
     .offset = offsetof(Sample, pull),
     .low = -1.0,
     .high = 1.0,
     .needed = true},
    {.key = "strength",
     .about = "Strength of the pull.",
     .unit = "N",
     .type = CORD_FIELD_NUMBER,
     .offset = offsetof(Sample, strength),
     .high = 1e9,
     .low_open = true},
    {.key = "count",
     .about = "Number of pulls.",
     .unit = "",
     .type = CORD_FIELD_COUNT,
     .offset = offsetof(Sample, count),
     .low = 2.0,
     .high = 9.0},
    {.key = "hidden",
     .about = "Whether it is shown.",
     .unit = "",
     .type = CORD_FIELD_FLAG,
     .offset = offsetof(Sample, hidden)},
};

static void sample_start(void* keys)
{
    *(Sample*)keys = (Sample){.strength = 2.5, .count = 3};
}

static const Table* sample_expand(Pool* pool)
{
    Table* table = pool_array(pool, Table, 1);
    Field* fields = pool_array(pool, Field, 4);
    for (int i = 0; i < 4; i++) {
        CHECK(field_from(pool, &sample_fields[i], 0, &fields[i]));
    }
    *table = (Table){.name = "sample",
                     .noun = "a sample",
                     .about = "A sample.",
                     .fields = fields,
                     .count = 4,
                     .size = sizeof(Sample),
                     .start = sample_start};
    return table;
}

static const Table sample_table = {.name = "sample", .expand = sample_expand};

TEST(fields_of_the_library_are_keys)
{
    char text[3000];
    size_t size = schema_write(&sample_table, text, sizeof text);
    CHECK(size > 0 && size < sizeof text);
    CHECK_CONTAINS(text,
                   "\"strength\": {\"description\": \"Strength of the pull [N].\", \"type\": \"number\", "
                   "\"exclusiveMinimum\": 0, \"maximum\": 1000000000, \"default\": 2.5}");
    CHECK_CONTAINS(
        text, "\"count\": {\"description\": \"Number of pulls.\", \"type\": \"integer\", \"minimum\": 2, "
              "\"maximum\": 9, \"default\": 3}");
    CHECK_CONTAINS(text, "\"type\": \"boolean\", \"default\": false}");
    CHECK_CONTAINS(text, "\"required\": [\"pull\"]");
}

static void check_sample(const char* text, const char* expected)
{
    Tree* tree = read_tree(strdup(text), "a sample");
    NoteText source = {text, strlen(text), NULL};
    Notes* notes = calloc(1, sizeof *notes);
    *notes = (Notes){.pool = &tree->pool, .texts = &source};
    Reader reader = {.pool = &tree->pool, .notes = notes};
    Sample sample;
    sample_start(&sample);
    for (int i = 0; i < 2; i++) { // its table is made once
        bool good = read_table(&reader, &tree->root, &sample_table, &sample);
        CHECK(good == !expected && (good || strcmp(notes->list[i].text, expected) == 0));
    }
    CHECK(reader.tables[0].of == &sample_table && !reader.tables[1].of);
    CHECK(expected || (sample.pull.y == 0.5 && sample.strength == 2.5 && sample.count == 4 && sample.hidden));
    free(notes);
    drop(tree);
}

TEST(fields_of_the_library_are_read)
{
    check_sample("{\"pull\": [0, 0.5, 1], \"count\": 4, \"hidden\": true}", NULL);
    check_sample("{}", "the scene has no pull; write three numbers");
    check_sample("{\"pull\": [0, 0, 1], \"strength\": 0}",
                 "strength is 0; it is a force in newtons and must be positive");
    check_sample("{\"pull\": [0, 0, 2]}", "pull[2] is 2; it is three numbers and must be at most 1");
    check_sample("{\"pull\": [0, 0, 1], \"count\": 1}", "count is 1; it is a number and must be at least 2");
    check_sample("{\"pull\": [0, 0, 1], \"pul\": 1}", "pul is not a key of a sample; did you mean \"pull\"?");
}

// ---- scenes against schema and reader

static bool fits_schema(const char* text, const char* name)
{
    Tree* schema = read_tree(read_file("scenes/scene.schema.json"), "the schema");
    Tree* scene = read_tree(strdup(text), name);
    bool fits = validate(&schema->root, &schema->root, &scene->root);
    drop(scene);
    drop(schema);
    return fits;
}

static bool ends_in(const char* name, const char* ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

// Every scene under a folder. Returns how many.
static int check_folder(const char* folder)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, folder);
    DIR* directory = opendir(path);
    CHECK(directory != NULL);
    int count = 0;
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        char name[600];
        struct stat status;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, name);
        if (entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            count += check_folder(name);
        }
        if (!ends_in(name, ".json") || ends_in(name, ".schema.json")) {
            continue;
        }
        CordScene* scene;
        CordResult result = cord_scene_load(path, NULL, 0, &scene);
        char* notes = scene_text_notes(scene);
        size_t size;
        if (result != CORD_OK || *notes || !fits_schema(cord_scene_text(scene, &size), name)) {
            check_fail(__FILE__, __LINE__, "%s does not fit the schema, or: %s", name, notes);
        }
        free(notes);
        cord_scene_destroy(scene);
        count++;
    }
    closedir(directory);
    return count;
}

TEST(every_shipped_scene_fits_reader_and_schema)
{
    CHECK(check_folder("scenes") >= 6);
}

// Scenes that are right but for the keys given: of a rod, or of the scene.
#define RING "'shape': {'circle': {'radius': 1}}"
#define ROD_OF(keys) "{'cordage': 1, 'rods': [{" keys "}]}"
#define RING_WITH(keys) ROD_OF(RING ", " keys)
#define BESIDE_RING(keys) "{'cordage': 1, 'rods': [{" RING "}], " keys "}"

TEST(the_schema_refuses_what_the_reader_refuses)
{
    const char* const bad[] = {
        "{}",
        "{'cordage': 1, 'rods': [{}]}",
        "{'cordage': 2, 'rods': []}",
        ROD_OF("'shape': {}"),
        ROD_OF("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0]}}"),
        ROD_OF("'shape': {'circle': {'radius': -1}}"),
        ROD_OF("'model': 'modal', 'shape': {'network': {'nodes': [[0, 0, 0], [1, 0, 0]], 'edges': [[0]]}}"),
        ROD_OF("'model': 'modal', 'shape': {'grid': {'u': [1, 0, 0], 'v': [0, 1, 0], 'cells': [2]}}"),
        ROD_OF("'model': 'modal', 'shape': {'tree': {'base': [0, 0, 0], 'tip': [0, 0, 1], 'levels': 0}}"),
        RING_WITH("'adapt': {'shortest': 0.3}"),
        RING_WITH("'elemnts': 5"),
        RING_WITH("'elements': 2.5"),
        RING_WITH("'model': 'finite'"),
        RING_WITH("'modal': {'modes': 0}"),
        RING_WITH("'modal': {'damping_ratio': []}"),
        RING_WITH("'preset': 'rope'"),
        RING_WITH("'corde': {'penalty': 0}"),
        RING_WITH("'pbd': {'substeps': 0}"),
        RING_WITH("'pbd': {'weights': {'bend': [1, 2]}}"),
        RING_WITH("'stiffness': {'rotary_inertia': [1, 0]}"),
        RING_WITH("'frame': {'toward': 1}"),
        RING_WITH("'section': {'disc': {'radius': [1]}}"),
        BESIDE_RING("'bodies': [{'shape': {'sphere': {'radius': 1}}}]"),
        BESIDE_RING("'clamps': [{'at': {'nodes': []}}]"),
        BESIDE_RING("'clamps': [{'at': {'node': 1}, 'fix': {'freedoms': ['w']}}]"),
        BESIDE_RING("'surfaces': [{}]"),
        BESIDE_RING("'obstacles': [{'plane': {'normal': 1}}]"),
        BESIDE_RING("'obstacles': [{'plane': {}, 'box': {'size': [1, 1, 1]}}]"),
        BESIDE_RING("'contact': {'gap': 0}"),
        BESIDE_RING("'bodies': [{'mass': 1}]"),
        BESIDE_RING("'engine': 'odd'"),
        BESIDE_RING("'joints': [{'rods': [['a', 'end']]}]"),
        BESIDE_RING("'solve': {'points': 0}"),
        BESIDE_RING("'time': {'step': 'fast'}"),
        BESIDE_RING("'clamps': [{'at': 'middle'}]"),
    };
    char* small = scene_text_quoted(ROD_OF(RING));
    CHECK(fits_schema(small, "a small scene"));
    free(small);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char* text = scene_text_quoted(bad[i]);
        if (fits_schema(text, text)) {
            check_fail(__FILE__, __LINE__, "the schema lets this pass: %s", text);
        }
        free(text);
        CHECK_RESULT(scene_text(bad[i], NULL).result, CORD_BAD_FILE);
    }
}

// ---- the documentation

// An example is a scene, or keys of one, or keys of a rod; a later key of the same name wins by its place in
// the text, so the example stands before the rest and the rest leaves out what the example gives.
static char* complete(const char* kind, const char* example)
{
    size_t room = strlen(example) + 1000;
    char* text = malloc(room);
    bool rod = strcmp(kind, "rod") == 0;
    const char* shape =
        strstr(example, "\"shape\"")
            ? ""
            : "\"shape\": {\"line\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}}, \"elements\": 60,";
    const char* material = strstr(example, "\"material\"") ? "" : "\"material\": \"rubber\",";
    const char* section =
        strstr(example, "\"section\"") ? "" : "\"section\": {\"disc\": {\"radius\": 0.005}},";
    const char* rods =
        strstr(example, "\"rods\"")
            ? ""
            : ", \"rods\": [{\"name\": \"rope\", \"material\": \"rubber\", \"section\": {\"disc\": "
              "{\"radius\": 0.005}}, "
              "\"shape\": {\"line\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}}, \"elements\": 60}]";
    if (!*kind) {
        snprintf(text, room, "%s", example);
    } else if (rod) {
        snprintf(text, room, "{\"cordage\": 1, \"rods\": [{%s%s%s\n%s}]}", shape, material, section, example);
    } else {
        snprintf(text, room, "{\"cordage\": 1,\n%s\n%s}", example, rods);
    }
    return text;
}

static void check_example(const char* kind, const char* example)
{
    char* text = complete(kind, example);
    CordScene* scene;
    CordWorld* world = NULL;
    CordResult result = cord_scene_parse(text, strlen(text), "docs/scene.md", NULL, 0, &scene);
    bool fits = result != CORD_OK || fits_schema(text, "an example");
    result = result == CORD_OK ? cord_scene_build(scene, NULL, &world) : result;
    char* notes = scene_text_notes(scene);
    if (result != CORD_OK || *notes || !fits) {
        check_fail(__FILE__, __LINE__, "an example of docs/scene.md is wrong:\n%s\n%s%s", text, notes,
                   fits ? "" : "it does not fit the schema");
    }
    free(notes);
    free(text);
    cord_world_destroy(world);
    cord_scene_destroy(scene);
}

TEST(the_examples_of_the_documentation_are_right)
{
    char* text = read_file("docs/scene.md");
    int count = 0;
    for (char* at = strstr(text, "```jsonc"); at; at = strstr(at, "```jsonc")) {
        char kind[16] = "";
        sscanf(at + strlen("```jsonc"), "%*1[ ]%15[a-z]", kind);
        char* start = strchr(at, '\n') + 1;
        char* end = strstr(start, "\n```");
        CHECK(end != NULL);
        *end = '\0';
        check_example(kind, start);
        count++;
        at = end + 4;
    }
    CHECK(count >= 20);
    free(text);
}

// ---- materials

TEST(the_table_of_materials_in_the_documentation_is_the_library_s)
{
    char* text = read_file("docs/materials.md");
    enum { CELLS = 7 };
    int count = 0;
    for (char* row = strstr(text, "\n| `"); row && strstr(row, "\n\n"); row = strstr(row + 1, "\n| `")) {
        count++;
    }
    for (int i = 0; i < cord_material_count(); i++) {
        const CordNamedMaterial* m = cord_material_named(i);
        char start[80], cells[CELLS][40] = {""};
        snprintf(start, sizeof start, "\n| `%s` |", m->name);
        char* row = strstr(text, start);
        if (!row) {
            check_fail(__FILE__, __LINE__, "docs/materials.md does not have %s", m->name);
        }
        char* at = row + strlen(start);
        for (int k = 0; k < CELLS; k++, at = strchr(at, '|') + 1) {
            sscanf(at, " %39[^| ]", cells[k]);
        }
        const double values[CELLS] = {m->material.young / 1e9,
                                      m->material.poisson,
                                      m->material.density,
                                      m->material.friction,
                                      m->material.bend_modulus / 1e9,
                                      m->material.twist_modulus / 1e9,
                                      m->material.stretch_modulus / 1e9};
        for (int k = 0; k < CELLS; k++) {
            CHECK(isnan(values[k]) == (cells[k][0] == '\0'));
            if (cells[k][0]) {
                // decimal text of few digits
                CHECK_NEAR(strtod(cells[k], NULL), values[k], 1e-12 * fabs(values[k]));
            }
        }
        size_t length = strlen(m->source);
        CHECK(length > 10 && strncmp(at + 1, m->source, length) == 0);
    }
    CHECK(count >= cord_material_count());
    free(text);
}

TEST(materials_are_possible_and_differ_in_name)
{
    for (int i = 0; i < cord_material_count(); i++) {
        const CordNamedMaterial* m = cord_material_named(i);
        // and no more than that
        bool printed = strncmp(m->name, "corde_table2_", strlen("corde_table2_")) == 0;
        CHECK(m->material.young > (printed ? 1.0 : 1e5) && m->material.young < 1e12);
        CHECK(m->material.poisson >= (printed ? -0.5 : 0.0) && m->material.poisson <= 0.5);
        CHECK(m->material.density > 500.0 && m->material.density < 20000.0);
        CHECK(m->material.friction > 0.0 && m->material.friction < 2.0);
        CHECK(!(m->material.bend_modulus > m->material.young)); // strands make it softer
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(m->name, cord_material_named(k)->name) != 0);
        }
    }
    CHECK(cord_material_named(-1) == NULL && cord_material_named(cord_material_count()) == NULL);
}

TEST_GROUP(scene_schema)
