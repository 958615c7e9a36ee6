// Parts of a network: edges that have a section, a material or an axis m1 of their own.
#include "scene/values.h"

#include <math.h>
#include <string.h>

// ---- reading

typedef struct PartKeys {
    NetworkPart part;
    MaterialUse material;
    Region box;
} PartKeys;

typedef struct PartReader {
    SceneRod* rod;
    NetworkPart* parts;
    NetworkEdge* edges;
    bool* chosen; // edges of the part that is read now (edge_count)
} PartReader;

static void read_part_section(Reader* r, const JsonValue* value, void* target)
{
    SceneSection* section = target;
    read_table(r, value, &table_section, section);
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

static void read_edges(Reader* r, const JsonValue* value, void* parts);

static const Field part_fields[] = {
    {WHOLE("edges", COUNT_RANGES),
     .about = "Numbers of the edges, from 0, before they are split; [5, 20] is all of 5 to 20.",
     .otherwise = "all in the box", .quantity = &quantity_index, .example = "[0, 1, [5, 20]]", .later = true,
     .read = read_edges},
    {FIELD("box", OBJECT, PartKeys, box), .about = "Box that holds the middles of the edges.",
     .otherwise = "anywhere", .table = &table_region},
    {FIELD("section", OBJECT, PartKeys, part.section), .about = "Cross-section of the edges.",
     .otherwise = "the rod's", .table = &table_section, .read = read_part_section},
    {FIELD("material", MATERIAL, PartKeys, material), .about = "Name of the edges' material.",
     .otherwise = "the rod's"},
    {FIELD("m1", VECTOR, PartKeys, part), .about = "Direction that the edges' axis m1 is made from.",
     .otherwise = "the rod's `frame`", .quantity = &quantity_direction, .read = read_m1},
};
const Table table_part =
    TABLE("part", "a part", part_fields, .about = "Edges of a network, and what they have of their own.");

static bool read_edge_number(Reader* r, const JsonValue* entry, const JsonValue* value, int count, int* edge)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        return part_error(
            r, entry, value,
            "is %s; edges are numbered from 0, and written as 3, or as [3, 7] for all of 3 to 7",
            reader_describe(r, value));
    }
    if (value->number < 0.0 || value->number >= count) {
        return part_error(r, entry, value, "is edge %s; there are %d edges, 0 to %d, before they are split",
                          reader_describe(r, value), count, count - 1);
    }
    *edge = (int)value->number;
    return true;
}

static void choose_edges(Reader* r, const JsonValue* entry, int index, void* user)
{
    PartReader* p = user;
    int count = p->rod->network.edge_count, from = 0, to = 0;
    bool is_range = entry->kind == JSON_ARRAY && entry->count == 2;
    (void)index;
    if (!read_edge_number(r, entry, is_range ? entry->first : entry, count, &from) ||
        (is_range && !read_edge_number(r, entry, entry->first->next, count, &to))) {
        return;
    }
    if (is_range && to < from) {
        reader_error(r, entry, "goes from %d down to %d; write the lesser of the two first", from, to);
    }
    for (int k = from; k <= (is_range ? to : from); k++) {
        p->chosen[k] = true;
    }
}

static void read_edges(Reader* r, const JsonValue* value, void* parts)
{
    read_list(r, value, choose_edges, parts);
}

// The middle of an edge before it is split. Its elements follow each other.
static CordVec3 middle_of(const SceneRod* rod, int edge)
{
    const CordShape* s = &rod->def.shape;
    size_t first = (size_t)edge * (size_t)rod->network.split, last = first + (size_t)rod->network.split - 1;
    CordVec3 a = s->points[s->ends[2 * first]], b = s->points[s->ends[2 * last + 1]];
    return cord_vec3_madd(a, cord_vec3_sub(b, a), 0.5);
}

// Chooses the edges that `edges` names, or all, as far as they are in the box. Returns how many; -1: a note
// was added.
static int choose(Reader* r, const JsonValue* entry, const Region* box, PartReader* p)
{
    bool all = json_member(entry, "edges") == NULL;
    int count = 0;
    for (int k = 0; k < p->rod->network.edge_count; k++) {
        p->chosen[k] = all;
    }
    if (!read_later(r, entry, &table_part, "edges", p)) {
        return -1;
    }
    for (int k = 0; k < p->rod->network.edge_count; k++) {
        p->chosen[k] = p->chosen[k] && (!box || region_has(box, middle_of(p->rod, k)));
        count += p->chosen[k];
    }
    return count;
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
    bool boxed = json_member(entry, "box") != NULL;
    if (!boxed && !json_member(entry, "edges")) {
        reader_error(r, entry,
                     "does not say of which edges it is; write \"edges\": [0, 1, [5, 20]], or a box");
        return;
    }
    if (part->section.count > 0 &&
        !material_makes_stiffness(part->has_material ? &part->material : &p->rod->def.material,
                                  &part->section.stations[0])) {
        reader_error(r, entry, "has a section so small that its stiffness is zero");
    }
    int count = choose(r, entry, boxed ? &keys.box : NULL, p);
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
    Pool scratch = pool_beside(r->pool);
    PartReader p = {.rod = rod,
                    .parts = pool_array(r->pool, NetworkPart, is_list ? value->count : 0),
                    .edges = pool_array(r->pool, NetworkEdge, network->edge_count),
                    .chosen = pool_array(&scratch, bool, network->edge_count)};
    if (p.parts && p.edges && p.chosen && read_list(r, value, read_part, &p)) {
        network->parts = p.parts;
        network->part_count = (int)value->count;
        network->edges = p.edges;
    }
    pool_end(&scratch, r->pool);
}

// ---- keys of the rod that a network does not use

bool network_check_keys(Reader* r, const JsonValue* entry, const SceneRod* rod)
{
    static const char as_shaped[] = "means nothing for a network, which rests as it is shaped; leave it out";
    const CordRodDef* def = &rod->def;
    const JsonValue* rest = json_member(entry, "rest");
    bool rests_as_shaped = rest && rest->kind == JSON_STRING && strcmp(rest->string, "as_shaped") == 0;
    const struct {
        const char* key;
        bool refused;
        const char* why;
    } keys[] = {
        {"elements", json_member(entry, "elements"),
         "is not for networks; to cut each edge into 4, write \"split\": 4 in the shape"},
        {"closed", def->closed, "is not for networks, whose edges close what is closed; leave it out"},
        {"twist", json_member(entry, "twist"), as_shaped},
        {"rest_twist", json_member(entry, "rest_twist"), as_shaped},
        {"rest_frame", json_member(entry, "rest_frame"), as_shaped},
        {"rest", rest && !rests_as_shaped, as_shaped},
        {"section", rod->section.count > 1,
         "varies along the rod, and a network has no start and no end; give sections in parts"},
        {"stiffness", rod->stiffness.count > 0,
         "varies along the rod, and a network has no start and no end; give materials in parts"},
        {"adapt", def->adapt.on, "is not for networks, whose edges stay as they are; leave it out"},
    };
    int errors = r->notes->error_count;
    if (def->model != CORD_MODEL_MODAL) {
        member_error(
            r, entry, "shape",
            "is a network, and rods of the model \"%s\" are chains; write \"model\": \"modal\" in the rod",
            cord_model_name(def->model));
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].refused) {
            member_error(r, entry, keys[i].key, "%s", keys[i].why);
        }
    }
    return r->notes->error_count == errors;
}
