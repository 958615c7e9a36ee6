// Parallel transport along a rod by its kernels, against one edge after the other.
#include "world_rods.h"

#include "math/kernel.h"
#include "model/der/uniform_twist_kernel.h"
#include "rod/frame.h"

KERNEL_DECLARE(TwistKernels, twist_kernels);

#define NODES 70

typedef struct Path {
    double x[3][NODES];
} Path;

static Path random_path(uint64_t seed, double size)
{
    Path p;
    CordVec3 at = {0, 0, 0}, t = {1, 0, 0};
    for (int i = 0; i < NODES; i++) {
        p.x[0][i] = at.x, p.x[1][i] = at.y, p.x[2][i] = at.z;
        t = vec3_unit(vec3_add(t, random_vec3(&seed, 0.8)));
        at = vec3_madd(at, t, size * random_in(&seed, 0.5, 1.5));
    }
    return p;
}

static CordVec3 tangent(const Path* p, int edge)
{
    CordVec3 a = {p->x[0][edge], p->x[1][edge], p->x[2][edge]};
    return vec3_unit(vec3_sub((CordVec3){p->x[0][edge + 1], p->x[1][edge + 1], p->x[2][edge + 1]}, a));
}

static CordQuat transport(const TwistKernels* kernels, const Path* p, int from, int to)
{
    return kernels->transport((const double* const[3]){p->x[0], p->x[1], p->x[2]}, from, to);
}

// Round-off of as many turns as there are nodes; at any size, as squares of lengths are multiplied.
TEST(frames_are_carried_as_one_edge_at_a_time)
{
    const double sizes[] = {1.0, 1e-9, 1e6};
    for (int k = 0; k < 3; k++) {
        Path p = random_path((uint64_t)k + 1, sizes[k]);
        for (int to = 0; to < NODES - 1; to++) {
            CordVec3 t = tangent(&p, 0), first = vec3_any_normal(t), u = first;
            for (int edge = 1; edge <= to; edge++) {
                u = frame_transport(u, tangent(&p, edge - 1), tangent(&p, edge));
            }
            CordQuat q = transport(twist_kernels(), &p, 0, to);
            CHECK_VEC3(quat_rotate(q, first), u, 1e-14);
            CHECK_VEC3(quat_rotate(q, t), tangent(&p, to), 1e-14);
        }
    }
}

TEST(an_edge_that_folds_back_leaves_frames_as_they_are)
{
    Path p = {.x = {{0, 1, 2, 1, 0, -1, -2}}};
    CordVec3 u = {0, 0.6, 0.8};
    for (int to = 0; to < 6; to++) {
        CHECK_VEC3(quat_rotate(transport(twist_kernels(), &p, 0, to), u), u, 0.0);
    }
}

TEST(both_kernels_give_the_same_bits)
{
    Path p = random_path(7, 1.0);
    for (int to = 0; to < NODES - 1; to++) {
        CordQuat a = transport(&twist_kernels_plain, &p, 0, to), b = transport(twist_kernels(), &p, 0, to);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
}

TEST_GROUP(der_twist)
