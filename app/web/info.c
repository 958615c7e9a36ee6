// Describes a scene as JSON for the page.
#include "session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text that grows

static void put(CordReelBytes* text, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = text->capacity - text->size;
    int length = vsnprintf(text->data ? (char*)text->data + text->size : NULL, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= room) {
        size_t capacity = 2 * text->capacity + (size_t)length + 1024;
        uint8_t* larger = realloc(text->data, capacity);
        if (!larger) {
            return; // The page will find that the JSON cannot be read.
        }
        text->data = larger, text->capacity = capacity;
        va_start(arguments, format);
        vsnprintf((char*)text->data + text->size, text->capacity - text->size, format, arguments);
        va_end(arguments);
    }
    text->size += length > 0 ? (size_t)length : 0;
}

static void put_text(CordReelBytes* text, const char* name, const char* value)
{
    put(text, "\"%s\":\"", name);
    for (const char* c = value ? value : ""; *c; c++) {
        unsigned char u = (unsigned char)*c;
        put(text, u < 0x20 || u == '"' || u == '\\' ? "\\u%04x" : "%c", u);
    }
    put(text, "\"");
}

static void put_number(CordReelBytes* text, const char* name, double value)
{
    put(text, isfinite(value) ? "\"%s\":%.17g" : "\"%s\":null", name, value);
}

static void put_vector(CordReelBytes* text, const char* name, CordVec3 a)
{
    bool finite = isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
    put(text, finite ? "\"%s\":[%.17g,%.17g,%.17g]" : "\"%s\":null", name, a.x, a.y, a.z);
}

static void put_bool(CordReelBytes* text, const char* name, bool value)
{
    put(text, "\"%s\":%s", name, value ? "true" : "false");
}

// ---- parts

static const char* integrator_name(CordIntegrator integrator) // as scenes spell it
{
    switch (integrator) {
    case CORD_INTEGRATOR_SYMPLECTIC_EULER: return "symplectic_euler";
    case CORD_INTEGRATOR_MIDPOINT: return "implicit";
    case CORD_INTEGRATOR_BACKWARD_EULER: return "backward_euler";
    default: return "verlet";
    }
}

static bool end_is_held(const Session* s, int rod, bool at_end)
{
    CordRodId id = cord_world_rod(s->world, rod), on;
    int last = cord_rod_node_count(s->world, id) - 1, node;
    for (int i = 0; i < cord_world_clamp_count(s->world); i++) {
        CordClampId clamp = cord_world_clamp(s->world, i);
        CordFix fix;
        if (cord_clamp_holds(s->world, clamp) &&
            cord_clamp_at(s->world, clamp, &on, &node, &fix) == CORD_OK && on.slot == id.slot) {
            int far = hold_is_of_edge(fix) ? node + 1 : node;
            if (at_end ? far == last : node == 0) {
                return true;
            }
        }
    }
    return false;
}

static void put_rod(const Session* s, CordReelBytes* text, int rod, const CordFrame* frame)
{
    const CordRodDef* def = cord_scene_rod(s->scene, rod);
    CordRodId id = cord_world_rod(s->world, rod);
    put(text, rod > 0 ? ",{" : "{");
    put_text(text, "name", cord_rod_name(s->world, id)), put(text, ",");
    put_text(text, "model", cord_model_name(def->model)), put(text, ",");
    put_text(text, "integrator", integrator_name(def->integrator)), put(text, ",");
    put(text, "\"elements\":%d,\"nodes\":%d,", cord_rod_edge_count(s->world, id),
        cord_rod_node_count(s->world, id));
    put_number(text, "length", cord_rod_length(s->world, id)), put(text, ",");
    put_number(text, "radius", frame->edge_count > 0 ? frame->radius[frame->rods[rod].first_edge] : 0.0),
        put(text, ",");
    put_number(text, "young", def->material.young), put(text, ",");
    put_number(text, "density", def->material.density), put(text, ",");
    put_number(text, "damping", isnan(def->damping_time) ? 0.0 : def->damping_time), put(text, ",");
    put_bool(text, "closed", def->closed), put(text, ",");
    put_bool(text, "network", frame->rods[rod].network), put(text, ",");
    put_bool(text, "adaptive", def->adapt.on), put(text, ",");
    put_bool(text, "inextensible", def->inextensible);
    put(text, ",\"ends\":[%s,%s]}", end_is_held(s, rod, false) ? "true" : "false",
        end_is_held(s, rod, true) ? "true" : "false");
}

static void put_camera(CordReelBytes* text, const CordSceneCamera* camera)
{
    put(text, "\"camera\":{");
    put_vector(text, "eye", camera->eye), put(text, ",");
    put_vector(text, "target", camera->target), put(text, ",");
    put_vector(text, "up", camera->up), put(text, ",");
    put_number(text, "fov", camera->field_of_view), put(text, ",");
    put_number(text, "radiusScale", camera->radius_scale), put(text, ",");
    put(text, "\"ground\":%s,", !camera->has_ground ? "null" : camera->ground ? "true" : "false");
    put_number(text, "groundHeight", camera->ground_height);
    put(text, "},");
}

// ---- all of it

static const char* finish(CordReelBytes* text)
{
    put(text, "%c", '\0');
    return text->data ? (const char*)text->data : "";
}

// The session must have a world.
WEB(web_info) const char* web_info(Session* s)
{
    CordReelBytes* text = &s->text;
    CordFrame frame;
    const CordSceneRun* run = cord_scene_run(s->scene);
    text->size = 0;
    if (cord_world_frame(s->world, &frame) != CORD_OK) {
        return "";
    }
    put(text, "{");
    put_text(text, "title", run->title), put(text, ",");
    put_number(text, "step", run->step), put(text, ",");
    put_number(text, "end", run->end), put(text, ",");
    put_number(text, "fps", run->fps), put(text, ",");
    put_vector(text, "gravity", cord_world_gravity(s->world)), put(text, ",");
    put_bool(text, "contact", cord_world_contact_def(s->world).on), put(text, ",");
    put_number(text, "friction", cord_world_contact_def(s->world).friction), put(text, ",");
    put_camera(text, cord_scene_camera(s->scene));
    put(text, "\"rods\":[");
    for (int i = 0; i < frame.rod_count; i++) {
        put_rod(s, text, i, &frame);
    }
    put(text, "]}");
    return finish(text);
}

// The materials that come with Cordage, by name.
WEB(web_materials) const char* web_materials(Session* s)
{
    CordReelBytes* text = &s->text;
    text->size = 0;
    put(text, "[");
    for (int i = 0; i < cord_material_count(); i++) {
        const CordNamedMaterial* m = cord_material_named(i);
        put(text, i > 0 ? ",{" : "{");
        put_text(text, "name", m->name), put(text, ",");
        const struct {
            const char* name;
            double value; // NAN: not set
        } numbers[] = {{"young", m->material.young},
                       {"poisson", m->material.poisson},
                       {"density", m->material.density},
                       {"friction", m->material.friction},
                       {"viscosity", m->material.viscosity},
                       {"bend_modulus", m->material.bend_modulus},
                       {"twist_modulus", m->material.twist_modulus},
                       {"stretch_modulus", m->material.stretch_modulus}};
        for (size_t k = 0, any = 0; k < sizeof numbers / sizeof *numbers; k++) {
            if (isfinite(numbers[k].value)) {
                put(text, any++ > 0 ? "," : "");
                put_number(text, numbers[k].name, numbers[k].value);
            }
        }
        put(text, "}");
    }
    put(text, "]");
    return finish(text);
}
