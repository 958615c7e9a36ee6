// ContactPoints: forces are gradients of the barrier's energy, second derivatives are theirs, and what
// gathers motion scatters forces.
#include "collider_rods.h"
#include "contact/friction.h"

#define RADIUS 0.01
#define GAP 0.2 // of the radius: wide, so that differences have room

typedef struct Pair { // two rods of two elements each, near each other
    CordWorld* world;
    Colliders colliders;
    ContactPoints contacts;
    CordVec3 x[8];
} Pair;

static const ContactLaw law = {.gap = GAP};

static Pair open_pair(int rods)
{
    Pair p = {.world = new_weightless_world()};
    add_straight_rods(p.world, &p.colliders, rods, 3, 0.5, RADIUS);
    p.colliders.reach = GAP * RADIUS;
    return p;
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

static double energy(Pair* p)
{
    CHECK(narrow_phase_find(&p->world->memory, &p->contacts, &p->colliders, p->x, &law));
    return p->contacts.energy;
}

// Minus the gradient.
static void forces(Pair* p, CordVec3* f)
{
    DofVector move = {0};
    size_t size = 0;
    energy(p);
    CHECK(dof_vector_reserve(&p->world->memory, &move, &p->colliders, &size));
    dof_vector_clear(&move, &p->colliders);
    for (int i = 0; i < p->contacts.count; i++) {
        const ContactPoint* t = &p->contacts.all[i];
        contact_point_scatter(&p->colliders, t, vec3_mul(t->n, t->push), &move);
    }
    contact_points_add_mollifier(&p->colliders, &p->contacts, &move);
    for (int n = 0; n < p->colliders.node_count; n++) {
        f[n] = move.x[n];
    }
    dof_vector_free(&p->world->memory, &move, &size);
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

static void check_gradient(Pair* p, double scale, double step)
{
    CordVec3 f[8];
    const double d = step * GAP * RADIUS;
    forces(p, f);
    for (int n = 0; n < p->colliders.node_count; n++) {
        for (int k = 0; k < 3; k++) {
            double* c = component(&p->x[n], k);
            double at = *c;
            *c = at + d;
            double above = energy(p);
            *c = at - d;
            double below = energy(p);
            *c = at;
            CHECK_NEAR(*component(&f[n], k), -(above - below) / (2.0 * d), 1e-6 * scale);
        }
    }
}

static double scale_of(const Pair* p)
{
    double sum = 1e-9;
    for (int i = 0; i < p->contacts.count; i++) {
        sum += p->contacts.all[i].push;
    }
    return sum;
}

TEST(forces_between_rods_are_gradients)
{
    static const double sines[] = {0.0, 0.003, 0.03, 0.1,
                                   0.3, 0.7,   1.0}; // from parallel, where ends count, to crossing
    Pair p = open_pair(2);
    int touched = 0, tilted = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 210; i++) {
        place_pair(&p, &seed, sines[i % 7]);
        search(&p);
        energy(&p);
        touched += p.contacts.count > 0;
        tilted += p.contacts.mollifier_count > 0;
        // Nearly parallel elements have closest points that run along them a million times as fast: short
        // differences.
        check_gradient(&p, scale_of(&p), 1e-7);
    }
    CHECK(touched > 100);
    CHECK(tilted > 20);
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
        energy(&p);
        CHECK(p.contacts.count > 0);
        check_gradient(&p, scale_of(&p), 1e-5); // round-off of the distance to a torus is 1e-16 over 2e-8
        close_pair(&p);
    }
}

// Of closest points alone, where no share goes over to the ends.
TEST(second_derivatives_are_those_of_the_forces)
{
    Pair p = open_pair(2);
    uint64_t seed = 3;
    int checked = 0, inner = 0;
    const double d = 1e-6 * GAP * RADIUS;
    for (int i = 0; i < 300; i++) {
        place_pair(&p, &seed, 0.6 + 0.4 * random_in(&seed, 0.0, 1.0));
        search(&p);
        energy(&p);
        if (p.contacts.count != 1 || p.contacts.all[0].share < 1.0) {
            continue;
        }
        ContactPoint contact = p.contacts.all[0];
        GeometricStiffness curve = contact_point_stiffness(&p.colliders, &contact);
        CordVec3 way[6], before[6], after[6];
        for (int n = 0; n < 6; n++) {
            way[n] = random_vec3(&seed, 1.0);
        }
        const int nodes[4] = {0, 1, 3, 4}; // of the first elements
        for (int side = 0; side < 2; side++) {
            for (int n = 0; n < 6; n++) {
                p.x[n] = vec3_madd(p.x[n], way[n], side == 0 ? -d : 2.0 * d);
            }
            forces(&p, side == 0 ? before : after);
        }
        if (contact.key.a != 0 || contact.key.b != 2) {
            continue;
        }
        double change = 0.0, foretold = 0.0, normal = 0.0;
        const double share[4] = {1.0 - contact.s, contact.s, contact.t - 1.0, -contact.t};
        for (int k = 0; k < 4; k++) {
            change += vec3_dot(vec3_sub(after[nodes[k]], before[nodes[k]]), way[nodes[k]]) / (2.0 * d);
            normal += share[k] * vec3_dot(contact.n, way[nodes[k]]);
        }
        foretold -= contact.stiffness * normal * normal;
        for (int r = 0; r < curve.count; r++) {
            double along = 0.0;
            for (int k = 0; k < 4; k++) {
                along += vec3_dot(curve.node[r][k], way[nodes[k]]);
            }
            foretold -= curve.stiffness[r] * along * along;
        }
        // differences of forces over d: round-off 1e-7
        CHECK_NEAR(change / contact.stiffness, foretold / contact.stiffness, 1e-5);
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
        energy(&p);
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

TEST(the_barrier_has_no_end_and_begins_smoothly)
{
    Barrier b = {1e-3, 2.0};
    CHECK(isinf(barrier_energy(&b, 0.0)));
    CHECK_NEAR(barrier_energy(&b, 1e-3), 0.0, 0.0);
    CHECK_NEAR(barrier_force(&b, (1.0 - 1e-6) * 1e-3), 0.0, 2.1e-12);    // 2 (1e-6)^2
    CHECK_NEAR(barrier_stiffness(&b, (1.0 - 1e-6) * 1e-3), 0.0, 4.1e-3); // 2e3 * 2e-6
    CHECK_NEAR(barrier_force(&b, 1e-6) / (2.0 * 999.0 * 999.0 / 1000.0), 1.0, 1e-12);
}

TEST_GROUP(contact_narrow_phase)
