#include "rod/contact_surface.h"

#include <math.h>

#define BEYOND 1e-9 // of the rod's length: how far a stretch may go past its end, by rounding

double contact_surface_kinetic(double friction, double friction_kinetic)
{
    return isnan(friction_kinetic) ? friction : friction_kinetic;
}

ContactSurface contact_surface_of_material(const CordMaterial* m, int id)
{
    return (ContactSurface){.id = id,
                            .friction = m->friction,
                            .friction_kinetic = contact_surface_kinetic(m->friction, m->friction_kinetic),
                            .friction_across = m->friction_across,
                            .friction_backward = m->friction_backward,
                            .restitution = m->restitution,
                            .rolling = m->rolling_friction,
                            .spinning = m->spinning_friction};
}

ContactSurface contact_surface_of_solid(int id, double friction, double friction_kinetic, double restitution)
{
    return (ContactSurface){.id = id,
                            .friction = friction,
                            .friction_kinetic = contact_surface_kinetic(friction, friction_kinetic),
                            .friction_across = 1.0,
                            .friction_backward = 1.0,
                            .restitution = restitution};
}

// ---- checks

CordResult contact_surface_check_kinetic(double friction, double friction_kinetic, const char* what,
                                         Message* message)
{
    bool good = isnan(friction_kinetic) || (friction_kinetic >= 0.0 && friction_kinetic <= friction);
    return good ? CORD_OK
                : message_fail(message, CORD_BAD_ARGUMENT,
                               "the kinetic friction of %s is %g; it must be between 0 and the static "
                               "friction, %g, or NAN to be the same",
                               what, friction_kinetic, friction);
}

CordResult contact_surface_check_restitution(double restitution, const char* what, Message* message)
{
    return restitution >= 0.0 && restitution <= 1.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "the restitution of %s is %g; it is a share of a speed, between 0 and 1", what,
                              restitution);
}

static bool is_length(double length)
{
    return isfinite(length) && length >= 0.0;
}

CordResult contact_surface_check_turning(double rolling, double spinning, const char* what, Message* message)
{
    return is_length(rolling) && is_length(spinning)
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "the rolling friction of %s is %g and its spinning friction %g; they are "
                              "lengths in metres, and must be finite and not negative",
                              what, rolling, spinning);
}

static bool is_factor(double factor)
{
    return isfinite(factor) && factor >= 0.0;
}

CordResult contact_surface_check_material(const CordMaterial* m, Message* message)
{
    if (!is_factor(m->friction) || !is_factor(m->friction_across) || !is_factor(m->friction_backward)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the friction is %g, across the rod %g times that, and backwards along it %g "
                            "times that forwards; all must be finite and not negative",
                            m->friction, m->friction_across, m->friction_backward);
    }
    CORD_TRY(contact_surface_check_kinetic(m->friction, m->friction_kinetic, "the material", message));
    CORD_TRY(contact_surface_check_restitution(m->restitution, "the material", message));
    return contact_surface_check_turning(m->rolling_friction, m->spinning_friction, "the material", message);
}

// ---- stretches

static CordResult check_stretch(const CordSurfaceStretch* s, int index, double length, Message* message)
{
    if (!(s->from >= 0.0 && s->from < s->to && s->to <= length * (1.0 + BEYOND))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "stretch %d goes from %g to %g m along the rod; it must lie between 0 and the "
                            "rod's rest length, %g m, and its start before its end",
                            index, s->from, s->to, length);
    }
    return contact_surface_check_material(&s->material, message);
}

CordResult contact_stretches_create(Memory* m, const CordRodDef* def, double length,
                                    ContactStretch** stretches, Message* message)
{
    int count = def->stretch_count;
    if (count < 0 || (count > 0 && !def->stretches)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the stretches of the rod are said to be %d, and none are given", count);
    }
    if (count > 0 && def->shape.kind == CORD_SHAPE_NETWORK) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "a network of edges has no length from its start, and so no stretches; leave "
                            "them out");
    }
    for (int i = 0; i < count; i++) {
        CORD_TRY(check_stretch(&def->stretches[i], i, length, message));
    }
    *stretches = count > 0 ? memory_array(m, ContactStretch, count) : NULL;
    if (count > 0 && !*stretches) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for %d stretches of a rod", count);
    }
    for (int i = 0; i < count; i++) {
        const CordSurfaceStretch* s = &def->stretches[i];
        (*stretches)[i] =
            (ContactStretch){s->from, s->to, contact_surface_of_material(&s->material, s->surface)};
    }
    return CORD_OK;
}

const ContactSurface* contact_stretches_find(const ContactStretch* stretches, int count, double arc)
{
    for (int i = count - 1; i >= 0; i--) {
        if (arc >= stretches[i].from && arc <= stretches[i].to) {
            return &stretches[i].surface;
        }
    }
    return NULL;
}
