#include "info.h"

#include <math.h>

enum { OBSTACLES_SHOWN = 20 }; // in text; JSON lists all

static double thinner_radius(const CordFrame* frame, const CordContact* c)
{
    double radius = frame->radius[frame->rods[c->rod].first_edge + c->edge];
    if (c->kind == CORD_TOUCH_ROD) {
        radius = fmin(radius, frame->radius[frame->rods[c->other].first_edge + c->other_edge]);
    }
    return radius;
}

void contacts_add_frame(ContactReport* contacts, const CordFrame* frame, int index)
{
    if (contacts->frames == 0 || frame->contact_count > contacts->most) {
        contacts->most = frame->contact_count;
        contacts->most_frame = index;
        contacts->most_time = frame->time;
    }
    contacts->frames++;
    for (int i = 0; i < frame->contact_count; i++) {
        const CordContact* c = &frame->contacts[i];
        if (c->gap < (contacts->overlaps ? contacts->deepest.gap : 0.0)) {
            contacts->overlaps = true;
            contacts->deepest = *c;
            contacts->share = -c->gap / thinner_radius(frame, c);
            contacts->deepest_frame = index;
            contacts->deepest_time = frame->time;
        }
    }
}

// ---- words

static const char* kind_name(CordTouch kind)
{
    return kind == CORD_TOUCH_ROD ? "rod" : kind == CORD_TOUCH_OBSTACLE ? "obstacle" : "body";
}

static const char* other_name(const Report* report, const CordContact* c)
{
    return c->kind == CORD_TOUCH_ROD        ? report->rods[c->other].rod.name
           : c->kind == CORD_TOUCH_OBSTACLE ? report->obstacles[c->other].name
                                            : report->bodies[c->other].body.name;
}

// ---- as text

static void print_obstacle(const CordFrameObstacle* o)
{
    const CordSolidKind* kind = cord_solid_kind((int)o->solid.shape);
    printf("\nobstacle \"%s\": %s", o->name, kind->name);
    if (kind->is_mesh) {
        printf(" of %d triangles", o->solid.mesh.triangle_count);
    }
    printf("\n  position          (%.6g, %.6g, %.6g) m\n", o->position.x, o->position.y, o->position.z);
    if (!isnan(o->force.x)) { // a reel has no forces
        printf("  force on it       (%.6g, %.6g, %.6g) N, torque (%.6g, %.6g, %.6g) N m\n", o->force.x,
               o->force.y, o->force.z, o->torque.x, o->torque.y, o->torque.z);
    }
}

static void print_deepest(const ContactReport* contacts, const Report* report)
{
    const CordContact* c = &contacts->deepest;
    if (!contacts->overlaps) {
        printf("deepest penetration none\n");
        return;
    }
    printf("deepest penetration %.3g m, %.3g of the radius, of \"%s\" edge %d into %s \"%s\"", -c->gap,
           contacts->share, report->rods[c->rod].rod.name, c->edge, kind_name(c->kind),
           other_name(report, c));
    if (c->kind == CORD_TOUCH_ROD) {
        printf(" edge %d", c->other_edge);
    }
    printf(", t = %.6g s\n", contacts->deepest_time);
}

void contacts_print(const ContactReport* contacts, const Report* report)
{
    int shown = report->obstacle_count < OBSTACLES_SHOWN ? report->obstacle_count : OBSTACLES_SHOWN;
    for (int i = 0; i < shown; i++) {
        print_obstacle(&report->obstacles[i]);
    }
    if (report->obstacle_count > shown) {
        printf("\n... and %d more obstacles; --json lists them all\n", report->obstacle_count - shown);
    }
    if (report->obstacle_count == 0 && report->contact_count == 0 && contacts->most == 0) {
        return;
    }
    printf("\ncontacts            %d in this frame", report->contact_count);
    if (contacts->frames > 1 && contacts->most > 0) {
        printf("; at the most %d, t = %.6g s", contacts->most, contacts->most_time);
    }
    printf("\n");
    if (contacts->frames > 0) {
        print_deepest(contacts, report);
    }
}

// ---- as JSON

static void json_obstacle(Json* j, const CordFrameObstacle* o)
{
    json_object(j, NULL);
    json_text(j, "name", o->name);
    json_text(j, "shape", cord_solid_kind((int)o->solid.shape)->name);
    json_vector(j, "size", o->solid.size);
    json_int(j, "triangles", o->solid.mesh.triangle_count);
    json_vector(j, "position", o->position);
    json_quat(j, "rotation", o->rotation);
    json_vector(j, "force", o->force);
    json_vector(j, "torque", o->torque);
    json_close_object(j);
}

static void json_deepest(Json* j, const ContactReport* contacts, const Report* report)
{
    const CordContact* c = &contacts->deepest;
    if (!contacts->overlaps) {
        json_null(j, "deepest");
        return;
    }
    json_object(j, "deepest");
    json_number(j, "penetration", -c->gap);
    json_number(j, "of_radius", contacts->share);
    json_text(j, "rod", report->rods[c->rod].rod.name);
    json_int(j, "edge", c->edge);
    json_text(j, "kind", kind_name(c->kind));
    json_text(j, "other", other_name(report, c));
    json_int(j, "frame", contacts->deepest_frame);
    json_number(j, "time", contacts->deepest_time);
    json_close_object(j);
}

static void json_most(Json* j, const ContactReport* contacts)
{
    json_int(j, "most", contacts->most);
    if (contacts->most == 0) { // so that no frame has the most
        json_null(j, "most_frame");
        json_null(j, "most_time");
    } else {
        json_int(j, "most_frame", contacts->most_frame);
        json_number(j, "most_time", contacts->most_time);
    }
}

void contacts_json(Json* j, const ContactReport* contacts, const Report* report)
{
    json_array(j, "obstacles");
    for (int i = 0; i < report->obstacle_count; i++) {
        json_obstacle(j, &report->obstacles[i]);
    }
    json_close_array(j);
    json_object(j, "contacts");
    json_int(j, "count", report->contact_count);
    if (contacts->frames > 0) {
        json_most(j, contacts);
        json_deepest(j, contacts, report);
    }
    json_close_object(j);
}
