#include "rod/polygon_bvh.h"

#include "base/real.h"
#include "math/vec3.h"

#define MOST_DEPTH 32 // an int counts the leaves

static CordVec3 least(CordVec3 a, CordVec3 b)
{
    return (CordVec3){real_min(a.x, b.x), real_min(a.y, b.y), real_min(a.z, b.z)};
}

static CordVec3 most(CordVec3 a, CordVec3 b)
{
    return (CordVec3){real_max(a.x, b.x), real_max(a.y, b.y), real_max(a.z, b.z)};
}

BoundingBox bounding_box_empty(void)
{
    return (BoundingBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void bounding_box_add(BoundingBox* box, CordVec3 point)
{
    box->low = least(box->low, point);
    box->high = most(box->high, point);
}

BoundingBox bounding_box_of_points(const CordVec3* points, int count, double margin)
{
    BoundingBox box = bounding_box_empty();
    for (int i = 0; i < count; i++) {
        bounding_box_add(&box, points[i]);
    }
    CordVec3 by = {margin, margin, margin};
    return (BoundingBox){vec3_sub(box.low, by), vec3_add(box.high, by)};
}

static BoundingBox box_union(BoundingBox a, BoundingBox b)
{
    return (BoundingBox){least(a.low, b.low), most(a.high, b.high)};
}

bool bounding_boxes_overlap(const BoundingBox* a, const BoundingBox* b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static int leaves_for(int edges)
{
    int leaves = 1;
    while (leaves < edges) {
        leaves *= 2;
    }
    return leaves;
}

bool polygon_bvh_create(Memory* m, PolygonBvh* b, int edges)
{
    b->room = b->leaf_count = leaves_for(edges);
    b->nodes = memory_array(m, BoundingBox, 2 * (size_t)b->room);
    return b->nodes != NULL;
}

void polygon_bvh_destroy(Memory* m, PolygonBvh* b)
{
    memory_array_free(m, b->nodes, 2 * (size_t)b->room);
    b->nodes = NULL;
}

void polygon_bvh_fit(PolygonBvh* b, const CordVec3* x, int count)
{
    b->leaf_count = leaves_for(count);
    for (int k = 0; k < b->leaf_count; k++) {
        CordVec3 ends[2] = {x[k < count ? k : 0], x[k + 1 < count ? k + 1 : 0]};
        b->nodes[b->leaf_count + k] = k < count ? bounding_box_of_points(ends, 2, 0.0) : bounding_box_empty();
    }
    for (int k = b->leaf_count - 1; k > 0; k--) {
        b->nodes[k] = box_union(b->nodes[2 * k], b->nodes[2 * k + 1]);
    }
}

void polygon_bvh_set_leaf(PolygonBvh* b, int leaf, BoundingBox box)
{
    int k = b->leaf_count + leaf;
    b->nodes[k] = box;
    for (k /= 2; k > 0; k /= 2) {
        b->nodes[k] = box_union(b->nodes[2 * k], b->nodes[2 * k + 1]);
    }
}

bool polygon_bvh_query(const PolygonBvh* b, BoundingBox query, bool (*visit)(void* user, int leaf),
                       void* user)
{
    int stack[MOST_DEPTH + 1], depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        int k = stack[--depth];
        if (!bounding_boxes_overlap(&b->nodes[k], &query)) {
            continue;
        }
        if (k < b->leaf_count) {
            stack[depth++] = 2 * k + 1;
            stack[depth++] = 2 * k;
        } else if (!visit(user, k - b->leaf_count)) {
            return false;
        }
    }
    return true;
}
