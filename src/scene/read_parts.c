// Parts of a network: edges that have a section, a material or a frame of their own.
#include "scene/values.h"

#include <math.h>
#include <string.h>

// ---- reading

typedef struct PartKeys {
    NetworkPart part;
    MaterialUse material;
    Region box;
    const JsonValue *edges, *in_box;
} PartKeys;

typedef struct PartReader {
    SceneRod* rod;
    NetworkPart* parts;
    NetworkEdge* edges;
    bool* chosen; // by the part that is being read (edge_count)
} PartReader;

static void read_part_section(Reader* r, const JsonValue* value, void* target)
{
    SceneSection* section = target;
    read_section(r, value, section);
    if (section->count > 1) {
        reader_error(
            r, value,
            "varies; the edges of a network have one section each, so write one number for each size");
    }
}

static void read_m1(Reader* r, const JsonValue* value, void* target)
{
    NetworkPart* part = target;
    if (read_vector(r, value, &quantity_direction, &part->m1)) {
        part->m1_at = value;
    }
}

static void read_box(Reader* r, const JsonValue* value, void* target)
{
    PartKeys* keys = target;
    read_region(r, value, &keys->box);
    keys->in_box = value;
}

static const Field part_fields[] = {
    {FIELD("edges", COUNT_RANGES, PartKeys, edges),
     .about = "Numbers of the edges, from 0, before they are split; [5, 20] is all of 5 to 20.",
     .otherwise = "all in the box", .quantity = &quantity_index, .keep = true},
    {WHOLE("box", OBJECT), .about = "Box that holds the middles of the edges.", .otherwise = "anywhere",
     .table = &table_region, .read = read_box},
    {FIELD("section", OBJECT, PartKeys, part.section), .about = "Cross-section of the edges.",
     .otherwise = "the rod's", .table = &table_section, .read = read_part_section},
    {FIELD("material", STRING, PartKeys, material), .about = "Name of the edges' material.",
     .otherwise = "the rod's", .read = read_material_name},
    {FIELD("m1", VECTOR, PartKeys, part), .about = "Direction that the edges' axis m1 is made from.",
     .otherwise = "the rod's `frame`", .quantity = &quantity_direction, .read = read_m1},
};
const Table table_part =
    TABLE("part", "a part", part_fields, .about = "Edges of a network, and what they have of their own.");

static bool read_edge_number(Reader* r, const JsonValue* value, int count, int* edge)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        reader_error(r, value,
                     "is %s; edges are numbered from 0, and written as 3, or as [3, 7] for all of 3 to 7",
                     reader_describe(r, value));
        return false;
    }
    if (value->number < 0.0 || value->number >= count) {
        reader_error(r, value, "is edge %s; there are %d edges, 0 to %d, before they are split",
                     reader_describe(r, value), count, count - 1);
        return false;
    }
    *edge = (int)value->number;
    return true;
}

static void read_edges(Reader* r, const JsonValue* entry, int index, void* user)
{
    PartReader* p = user;
    int count = p->rod->network.edge_count, from = 0, to = 0;
    bool is_range = entry->kind == JSON_ARRAY && entry->count == 2;
    (void)index;
    if (!read_edge_number(r, is_range ? entry->first : entry, count, &from) ||
        (is_range && !read_edge_number(r, entry->first->next, count, &to))) {
        return;
    }
    if (is_range && to < from) {
        reader_error(r, entry, "goes from %d down to %d; write the lesser of the two first", from, to);
    }
    for (int k = from; k <= (is_range ? to : from); k++) {
        p->chosen[k] = true;
    }
}

// The middle of an edge as it is written, whose elements come one after the other.
static CordVec3 middle_of(const SceneRod* rod, int edge)
{
    const CordShape* s = &rod->def.shape;
    size_t first = (size_t)edge * (size_t)rod->network.split, last = first + (size_t)rod->network.split - 1;
    CordVec3 a = s->points[s->ends[2 * first]], b = s->points[s->ends[2 * last + 1]];
    return cord_vec3_madd(a, cord_vec3_sub(b, a), 0.5);
}

// Of those that `edges` names, or all, the ones in the box. Returns how many.
static int choose(Reader* r, const PartKeys* keys, PartReader* p)
{
    int count = 0;
    for (int k = 0; k < p->rod->network.edge_count; k++) {
        p->chosen[k] = keys->edges == NULL;
    }
    Path path;
    reader_enter(r, &path, "edges");
    bool good =
        !keys->edges ||
        read_list(r, keys->edges, "edges are a list of numbers, such as [0, 1, [5, 20]]", read_edges, p);
    reader_leave(r, &path);
    for (int k = 0; good && k < p->rod->network.edge_count; k++) {
        p->chosen[k] = p->chosen[k] && (!keys->in_box || region_has(&keys->box, middle_of(p->rod, k)));
        count += p->chosen[k];
    }
    return good ? count : -1;
}

static bool is_possible(const CordMaterial* material, const SceneSection* section)
{
    CordSection made = section_make(&section->stations[0]);
    CordStiffness s = cord_stiffness_from(material, &made);
    return s.EI1 > 0.0 && s.EI2 > 0.0 && s.GJ > 0.0 && s.EA > 0.0 && s.mass_per_length > 0.0;
}

static void read_part(Reader* r, const JsonValue* entry, int index, void* user)
{
    PartReader* p = user;
    PartKeys keys = {.material = {cord_material_default(), 0}};
    if (!read_table(r, entry, &table_part, &keys)) {
        return;
    }
    NetworkPart* part = &keys.part;
    part->has_material = json_member(entry, "material") != NULL;
    part->material = keys.material.material;
    if (part->section.count == 0 && !part->has_material && !part->m1_at) {
        reader_error(r, entry, "has nothing of its own; give it a section, a material or m1");
        return;
    }
    if (!keys.edges && !keys.in_box) {
        reader_error(r, entry,
                     "does not say of which edges it is; write \"edges\": [0, 1, [5, 20]], or a box");
        return;
    }
    if (part->section.count > 0 &&
        !is_possible(part->has_material ? &part->material : &p->rod->def.material, &part->section)) {
        reader_error(r, entry, "has a section so small that its stiffness is zero");
    }
    int count = choose(r, &keys, p);
    if (count == 0) {
        reader_error(r, entry, "has no edges: none has its middle in the box");
    }
    p->parts[index] = *part;
    for (int k = 0; count > 0 && k < p->rod->network.edge_count; k++) {
        NetworkEdge* edge = &p->edges[k];
        edge->section = p->chosen[k] && part->section.count > 0 ? index + 1 : edge->section;
        edge->material = p->chosen[k] && part->has_material ? index + 1 : edge->material;
        edge->m1 = p->chosen[k] && part->m1_at ? index + 1 : edge->m1;
    }
}

void read_network_parts(Reader* r, const JsonValue* value, void* target)
{
    SceneRod* rod = target;
    SceneNetwork* network = &rod->network;
    bool is_list = value->kind == JSON_ARRAY;
    if (network->edge_count == 0) {
        reader_error(r, value, "are of networks; along other rods write \"section\": {\"along\": [...]}");
        return;
    }
    Memory* memory = &r->pool->memory;
    PartReader p = {.rod = rod,
                    .parts = pool_array(r->pool, NetworkPart, is_list ? value->count : 0),
                    .edges = pool_array(r->pool, NetworkEdge, network->edge_count),
                    .chosen = memory_array(memory, bool, network->edge_count)};
    bool made = p.parts && p.edges && p.chosen;
    if (made && read_list(r, value, "parts are a list", read_part, &p)) {
        network->parts = p.parts;
        network->part_count = (int)value->count;
        network->edges = p.edges;
    }
    memory_array_free(memory, p.chosen, network->edge_count);
    r->pool->failed = r->pool->failed || !made;
}

// ---- keys of the rod that a network has no use for

static void refuse(Reader* r, const JsonValue* entry, const char* key, const char* why)
{
    const JsonValue* at = json_member(entry, key);
    Path path;
    reader_enter(r, &path, key);
    reader_error(r, at ? at : entry, "%s", why);
    reader_leave(r, &path);
}

bool network_check_keys(Reader* r, const JsonValue* entry, const SceneRod* rod)
{
    static const char* const as_shaped =
        "means nothing for a network, which rests as it is shaped; leave it out";
    static const char* const turned[] = {"twist", "rest_twist", "rest_frame"};
    const CordRodDef* def = &rod->def;
    int errors = r->notes->error_count;
    if (def->model != CORD_MODEL_MODAL) {
        Path path;
        reader_enter(r, &path, "shape");
        reader_error(
            r, json_member(entry, "shape"),
            "is a network, and rods of the model \"%s\" are chains; write \"model\": \"modal\" in the rod",
            cord_model_name(def->model));
        reader_leave(r, &path);
    }
    if (json_member(entry, "elements")) {
        refuse(r, entry, "elements",
               "is not for networks; to cut each edge into 4, write \"split\": 4 in the shape");
    }
    if (def->closed) {
        refuse(r, entry, "closed", "is not for networks, whose edges close what is closed; leave it out");
    }
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        if (json_member(entry, turned[i])) {
            refuse(r, entry, turned[i], as_shaped);
        }
    }
    const JsonValue* rest = json_member(entry, "rest");
    if (rest && !(rest->kind == JSON_STRING && strcmp(rest->string, "as_shaped") == 0)) {
        refuse(r, entry, "rest", as_shaped);
    }
    if (rod->section.count > 1) {
        refuse(r, entry, "section",
               "varies along the rod, and a network has no start and no end; give sections in parts");
    }
    if (rod->stiffness.count > 0) {
        refuse(r, entry, "stiffness",
               "varies along the rod, and a network has no start and no end; give materials in parts");
    }
    if (def->adapt.on) {
        refuse(r, entry, "adapt", "is not for networks, whose edges stay as they are; leave it out");
    }
    return r->notes->error_count == errors;
}
