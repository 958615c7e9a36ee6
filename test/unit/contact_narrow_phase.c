// ContactPoints: normal forces act along the gradients of gaps, second derivatives are theirs, and what
// gathers motion scatters forces.
#include "collider_rods.h"
#include "contact/contact_gap.h"
#include "contact/contact_turning.h"
#include "contact/friction.h"

#define RADIUS 0.01
#define GAP 0.2 // of the radius: wide, so that differences have room

typedef struct Pair { // two rods of two elements each, near each other
    CordWorld* world;
    Colliders colliders;
    ContactPoints contacts;
    CordVec3 x[8];
} Pair;

static const ContactLaw law = {.gap = GAP, .tolerance = 0.05};

static Pair open_pair_of(int rods, double element)
{
    Pair p = {.world = new_weightless_world()};
    add_straight_rods(p.world, &p.colliders, rods, 3, element, RADIUS);
    p.colliders.reach = GAP * RADIUS;
    return p;
}

static Pair open_pair(int rods)
{
    return open_pair_of(rods, 0.5);
}

static void close_pair(Pair* p)
{
    contact_points_free(&p->world->memory, &p->contacts);
    colliders_free(&p->world->memory, &p->colliders);
    cord_world_destroy(p->world);
}

static void search(Pair* p)
{
    for (int n = 0; n < p->colliders.node_count; n++) {
        p->colliders.begin[n] = p->colliders.from[n] = p->colliders.to[n] = p->x[n];
    }
    CHECK(broad_phase_update(&p->world->memory, &p->colliders));
}

static void find(Pair* p)
{
    CHECK(narrow_phase_find(&p->world->memory, &p->contacts, &p->colliders, p->x, &law));
}

static double* component(CordVec3* v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

// Two elements that cross, or nearly not, at a gap within reach; the others lead away.
static void place_pair(Pair* p, uint64_t* seed, double sine)
{
    double gap = random_in(seed, 0.2, 0.8) * GAP * RADIUS, cosine = sqrt(1.0 - sine * sine);
    CordVec3 up = {0, 0, 2.0 * RADIUS + gap}, a = {0.02, 0, 0}, b = {0.02 * cosine, 0.02 * sine, 0};
    CordVec3 shift = {random_in(seed, -0.01, 0.01), random_in(seed, -0.2, 0.2) * 0.02 * sine, 0};
    p->x[0] = vec3_mul(a, -0.5);
    p->x[1] = vec3_mul(a, 0.5);
    p->x[2] = vec3_add(p->x[1], (CordVec3){0.02, 0, -0.01});
    p->x[3] = vec3_add(vec3_add(vec3_mul(b, -0.5), up), shift);
    p->x[4] = vec3_add(vec3_add(vec3_mul(b, 0.5), up), shift);
    p->x[5] = vec3_add(p->x[4], (CordVec3){0.02, 0, 0.01});
    for (int n = 0; n < 6; n++) {
        p->x[n] = vec3_add(p->x[n], random_vec3(seed, 0.02 * GAP * RADIUS));
    }
}

// A unit push scatters to the gradient of the gap.
static void check_gradients(Pair* p, double step, double tolerance)
{
    DofVector force = {0};
    size_t size = 0;
    const double d = step * GAP * RADIUS;
    CHECK(dof_vector_reserve(&p->world->memory, &force, &p->colliders, &size));
    for (int i = 0; i < p->contacts.count; i++) {
        const ContactPoint* t = &p->contacts.all[i];
        dof_vector_clear(&force, &p->colliders);
        contact_point_scatter(&p->colliders, t, t->n, &force);
        for (int n = 0; n < p->colliders.node_count; n++) {
            for (int k = 0; k < 3; k++) {
                double *c = component(&p->x[n], k), at = *c;
                *c = at + d;
                double above = contact_point_gap(&p->colliders, t, p->x);
                *c = at - d;
                double below = contact_point_gap(&p->colliders, t, p->x);
                *c = at;
                CHECK_NEAR(*component(&force.x[n], k), (above - below) / (2.0 * d), tolerance);
            }
        }
    }
    dof_vector_free(&p->world->memory, &force, &size);
}

TEST(forces_between_rods_are_gradients)
{
    static const double sines[] = {0.0, 0.003, 0.03, 0.1,
                                   0.3, 0.7,   1.0}; // from parallel, where ends count, to crossing
    Pair p = open_pair(2);
    int crossing = 0, ends = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 210; i++) {
        place_pair(&p, &seed, sines[i % 7]);
        search(&p);
        find(&p);
        for (int k = 0; k < p.contacts.count; k++) {
            *(p.contacts.all[k].key.part == 0 ? &crossing : &ends) += 1;
        }
        check_gradients(&p, 1e-4, 1e-6); // second derivatives are 1 / RADIUS, and steps 2e-7: 2e-9; round-off
                                         // of a distance over them: 2e-11
    }
    CHECK(crossing > 50 && ends > 50);
    close_pair(&p);
}

TEST(forces_of_solids_are_gradients)
{
    static const struct {
        CordSolidShape shape;
        CordVec3 size, at; // a point of the surface above which the rod lies
    } solids[] = {{CORD_SOLID_PLANE, {0, 0, 0}, {0.3, 0.1, 0}},
                  {CORD_SOLID_SPHERE, {0.05, 0, 0}, {0, 0, 0.05}},
                  {CORD_SOLID_SPHERE, {5.0, 0, 0}, {0, 0, 5.0}},
                  {CORD_SOLID_CYLINDER, {0.04, 0, 0.1}, {0.04, 0, 0}},
                  {CORD_SOLID_BOX, {0.1, 0.1, 0.1}, {0.01, 0.02, 0.05}},
                  {CORD_SOLID_TORUS, {0.1, 0.02, 0}, {0.1, 0, 0.02}},
                  {CORD_SOLID_CONE, {0.1, 0, 0.1}, {0.05, 0, 0.025}}};
    uint64_t seed = 7;
    for (int i = 0; i < 120; i++) {
        Pair p = open_pair(1);
        int k = i % 7;
        add_still_solid(p.world, &p.colliders, solids[k].shape, solids[k].size, (CordVec3){0, 0, 0}, 0.3);
        CordVec3 at = solids[k].at, up = solid_point(&p.colliders.solids[0].solid, at).normal;
        CordVec3 along = vec3_unit(vec3_reject(random_vec3(&seed, 1.0), up));
        double height = RADIUS * (1.0 + GAP * random_in(&seed, 0.3, 0.8));
        p.x[0] = vec3_madd(vec3_madd(at, up, height), along, -0.008);
        p.x[1] = vec3_madd(vec3_madd(at, up, height), along, 0.008);
        p.x[2] = vec3_madd(vec3_madd(p.x[1], along, 0.01), up, 0.02);
        search(&p);
        find(&p);
        CHECK(p.contacts.count > 0);
        check_gradients(&p, 1e-4, 1e-6); // round-off of the distance to a torus is 1e-16 over 2e-7
        close_pair(&p);
    }
}

TEST(second_derivatives_are_those_of_the_gap)
{
    Pair p = open_pair(2);
    uint64_t seed = 3;
    int checked = 0, inner = 0;
    const double d = 1e-6;
    for (int i = 0; i < 300; i++) {
        place_pair(&p, &seed, 0.6 + 0.4 * random_in(&seed, 0.0, 1.0));
        search(&p);
        find(&p);
        if (p.contacts.count != 1 || p.contacts.all[0].key.a != 0 || p.contacts.all[0].key.b != 2) {
            continue;
        }
        ContactPoint contact = p.contacts.all[0];
        contact.push = 1.0;
        GeometricStiffness curve = contact_point_stiffness(&p.colliders, &contact, false);
        CordVec3 way[6], x[6];
        double gap[3];
        for (int n = 0; n < 6; n++) {
            way[n] = random_vec3(&seed, 1.0);
        }
        for (int k = 0; k < 3; k++) {
            for (int n = 0; n < 6; n++) {
                x[n] = vec3_madd(p.x[n], way[n], (k - 1) * d);
            }
            gap[k] = contact_point_gap(&p.colliders, &contact, x);
        }
        const int nodes[4] = {0, 1, 3, 4}; // of the first elements
        double foretold = 0.0;
        for (int r = 0; r < curve.count; r++) {
            double along = 0.0;
            for (int k = 0; k < 4; k++) {
                along += vec3_dot(curve.node[r][k], way[nodes[k]]);
            }
            foretold -= curve.stiffness[r] * along * along;
        }
        // Second derivatives are some hundred; the round-off of a gap is 1e-17 over 1e-12.
        CHECK_NEAR((gap[0] - 2.0 * gap[1] + gap[2]) / (d * d), foretold, 1e-3);
        checked++;
        inner += curve.count == 4; // both places are free
    }
    CHECK(checked > 100 && inner > 80 && inner < checked);
    close_pair(&p);
}

TEST(what_gathers_motion_scatters_forces)
{
    Pair p = open_pair(2);
    uint64_t seed = 11;
    DofVector u = {0}, f = {0};
    size_t u_size = 0, f_size = 0;
    for (int i = 0; i < 50; i++) {
        place_pair(&p, &seed, 0.5);
        search(&p);
        find(&p);
        CHECK(dof_vector_reserve(&p.world->memory, &u, &p.colliders, &u_size));
        CHECK(dof_vector_reserve(&p.world->memory, &f, &p.colliders, &f_size));
        for (int t = 0; t < p.contacts.count; t++) {
            dof_vector_clear(&f, &p.colliders);
            CordVec3 push = random_vec3(&seed, 1.0);
            double work = 0.0;
            contact_point_scatter(&p.colliders, &p.contacts.all[t], push, &f);
            for (int n = 0; n < p.colliders.node_count; n++) {
                u.x[n] = random_vec3(&seed, 1.0);
                work += vec3_dot(u.x[n], f.x[n]);
            }
            for (int s = 0; s < p.colliders.segment_count; s++) {
                u.spin[s] = random_in(&seed, -1.0, 1.0);
                work += u.spin[s] * f.spin[s];
            }
            CHECK_NEAR(vec3_dot(push, contact_point_gather(&p.colliders, &p.contacts.all[t], &u)), work,
                       1e-13);
            // momentum is passed on, and angular momentum: arms are centimetres
            check_balance(&p.colliders, p.x, &f, 1e-13, 1e-15);
        }
    }
    dof_vector_free(&p.world->memory, &u, &u_size);
    dof_vector_free(&p.world->memory, &f, &f_size);
    close_pair(&p);
}

// The contact of the first elements at nodes moved by `way`; false: there is another, or none.
static bool find_one(Pair* p, const CordVec3 way[6], double by, ContactKey key, ContactPoint* contact)
{
    CordVec3 x[6];
    for (int n = 0; n < 6; n++) {
        x[n] = vec3_madd(p->x[n], way[n], by);
    }
    CHECK(narrow_phase_find(&p->world->memory, &p->contacts, &p->colliders, x, &law));
    if (p->contacts.count != 1 || contact_key_compare(&p->contacts.all[0].key, &key) != 0) {
        return false;
    }
    *contact = p->contacts.all[0];
    contact_point_set_chords(&p->colliders, x, contact);
    return true;
}

typedef struct TurningCase { // motions along `way`, and a force and motions to turn
    CordVec3 way[6], friction;
    TurningMotion u;
} TurningCase;

static TurningCase random_turning(const ContactPoint* contact, uint64_t* seed)
{
    TurningCase c;
    for (int n = 0; n < 6; n++) {
        c.way[n] = random_vec3(seed, 1.0);
    }
    for (int k = 0; k < TURNING_NODES; k++) {
        c.u.node[k] = random_vec3(seed, 1.0);
    }
    c.u.spin[0] = random_in(seed, -10.0, 10.0), c.u.spin[1] = random_in(seed, -10.0, 10.0);
    c.friction = vec3_reject(random_vec3(seed, 1.0), contact->n);
    return c;
}

// The work of friction, which stays perpendicular to n, on motions of the nodes.
static double work_of_turned(const Pair* p, const ContactPoint* contact, const TurningCase* c)
{
    DofVector u = {0};
    size_t size = 0;
    CHECK(dof_vector_reserve(&p->world->memory, &u, &p->colliders, &size));
    dof_vector_clear(&u, &p->colliders);
    for (int k = 0; k < TURNING_NODES; k++) {
        int side = k / 4;
        bool of_chord = k % 4 >= 2;
        int node = of_chord ? contact->chord[side][k % 2] : 3 * side + k % 2;
        if (!of_chord ||
            contact_point_has_chord(contact, side)) { // a chord may share a node with the segment
            u.x[node] = vec3_add(u.x[node], c->u.node[k]);
        }
    }
    u.spin[0] = c->u.spin[0], u.spin[2] = c->u.spin[1];
    CordVec3 motion = contact_point_gather(&p->colliders, contact, &u);
    dof_vector_free(&p->world->memory, &u, &size);
    return vec3_dot(vec3_reject(c->friction, contact->n), motion);
}

// The change of that work along `way`, by the forces and by the motion.
static void foretell_work(const Pair* p, const ContactPoint* contact, const TurningCase* c, double work[2])
{
    CordVec3 move[TURNING_NODES], e[TURNING_NODES];
    for (int k = 0; k < TURNING_NODES; k++) {
        int side = k / 4;
        bool has = contact_point_has_chord(contact, side), of_chord = k % 4 >= 2;
        int node = of_chord && has ? contact->chord[side][k % 2] : 3 * side + k % 2;
        move[k] = c->way[node];
        e[k] = vec3_mul(c->u.node[k], of_chord && !has ? 0.0 : 1.0);
    }
    // motions of one node, by the segment or the chord, are one motion
    TurningMotion u = {.spin = {c->u.spin[0], c->u.spin[1]}};
    for (int k = 0; k < TURNING_NODES; k++) {
        for (int j = 0; j < TURNING_NODES; j++) {
            int side = k / 4, other = j / 4;
            bool has = contact_point_has_chord(contact, side);
            int at = k % 4 >= 2 && has ? contact->chord[side][k % 2] : 3 * side + k % 2,
                to = j % 4 >= 2 && has ? contact->chord[other][j % 2] : 3 * other + j % 2;
            u.node[k] = at == to ? vec3_add(u.node[k], e[j]) : u.node[k];
        }
    }
    ContactTurning by = contact_turning(&p->colliders, contact, move);
    CordVec3 change = vec3_mul(contact->n, -vec3_dot(by.n, c->friction)),
             at_rest = contact_turning_motion(&p->colliders, contact, &by, &u);
    TurningForces f = contact_turning_forces(&p->colliders, contact, &by, c->friction, change);
    work[0] = f.torque[0] * u.spin[0] + f.torque[1] * u.spin[1];
    for (int k = 0; k < TURNING_NODES; k++) {
        work[0] += vec3_dot(f.node[k], u.node[k]);
    }
    f = contact_turning_forces(&p->colliders, contact, &by, c->friction, (CordVec3){0, 0, 0});
    work[1] = vec3_dot(c->friction, at_rest);
    double same = f.torque[0] * u.spin[0] + f.torque[1] * u.spin[1];
    for (int k = 0; k < TURNING_NODES; k++) {
        same += vec3_dot(f.node[k], u.node[k]);
    }
    work[1] -= same; // J' f on u is f on J u
}

TEST(jacobians_turn_with_their_contacts)
{
    const double d = 2e-7;
    uint64_t seed = 5;
    for (int chords = 0; chords < 2; chords++) {
        Pair p = open_pair_of(2, chords ? 0.5 * RADIUS : 0.5);
        int checked = 0, inner = 0;
        for (int i = 0; i < 300; i++) {
            ContactPoint at, before, after;
            place_pair(&p, &seed, 0.6 + 0.4 * random_in(&seed, 0.0, 1.0));
            search(&p);
            find(&p);
            if (p.contacts.count != 1 || p.contacts.all[0].key.a != 0 || p.contacts.all[0].key.b != 2) {
                continue;
            }
            at = p.contacts.all[0];
            contact_point_set_chords(&p.colliders, p.x, &at);
            TurningCase c = random_turning(&at, &seed);
            if (!find_one(&p, c.way, -d, at.key, &before) || !find_one(&p, c.way, d, at.key, &after)) {
                continue;
            }
            CHECK(contact_point_has_chord(&at, 0) == (chords == 1));
            double work[2];
            foretell_work(&p, &at, &c, work);
            // Third derivatives are some million, times 4e-14; round-off is 1e-16 over 4e-7.
            CHECK_NEAR((work_of_turned(&p, &after, &c) - work_of_turned(&p, &before, &c)) / (2.0 * d),
                       work[0], 1e-6);
            CHECK_NEAR(work[1], 0.0, 1e-11);
            checked++;
            inner += at.s > 0.0 && at.s < 1.0 && at.t > 0.0 && at.t < 1.0;
        }
        CHECK(checked > 100 && inner > 80);
        close_pair(&p);
    }
}

// The end of a rod beside the edge of a mesh, which it meets from the side: straight on it goes through, and
// well above it around.
TEST(what_goes_around_has_not_gone_through)
{
    const CordVec3 vertices[] = {{0, -0.05, 0}, {0, 0.05, 0}, {-0.05, 0, -0.05}, {0.05, 0, -0.05}};
    const int triangles[] = {0, 1, 2, 1, 0, 3};
    Pair p = open_pair(1);
    Mesh mesh = {0};
    Message message;
    CHECK_OK(mesh_create(&p.world->memory, &mesh, vertices, 4, triangles, 2, &message));
    add_still_solid(p.world, &p.colliders, CORD_SOLID_MESH, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0}, 0.3);
    p.colliders.solids[0].mesh = &mesh;
    ContactPoint contact = {.kind = CONTACT_EDGE, .key = {.part = 2}, .n = {1, 0, 0}, .gap = RADIUS};
    for (int e = 0; e < mesh.edge_count; e++) { // the one along y
        contact.key.feature =
            mesh.edges[2 * e] + mesh.edges[2 * e + 1] == 1 ? 2 * e + 1 : contact.key.feature;
    }
    for (double height = 0.0; height <= 2.0; height += 0.25) { // in radii, as all that follows
        const CordVec3 x[3] = {{-0.1, 0, height * RADIUS}, {-2.0 * RADIUS, 0, height * RADIUS}, {-0.2, 0, 0}};
        double distance = vec3_length(x[1]), gap = contact_point_gap(&p.colliders, &contact, x);
        // the line from (2, 0) to (-2, height)
        bool through = 2.0 * height / sqrt(16.0 + height * height) < 0.5;
        CHECK_NEAR(gap, (through ? -distance : distance) - RADIUS, 1e-15);
    }
    mesh_destroy(&p.world->memory, &mesh);
    close_pair(&p);
}

TEST_GROUP(contact_narrow_phase)
