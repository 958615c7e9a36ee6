#include "contact/bvh.h"

#include "base/real.h"

#include <string.h>

#define LANES 4
#define FAR 1e30 // [m]: farther boxes would overflow the nodes' floats
// Leaves are sorted again once the excess size of the nodes exceeds WORSE times what it was, plus SLACK of
// the boxes' own size. Queries of coils and piles take a third longer by then, which a new sort makes up for
// in two or three queries; at twice the excess they take four times as long.
#define WORSE 1.2
#define SLACK 0.02
#define FAR_OFF 8.0  // mean distances from the mean position, beyond which boxes do not widen the grid
#define MOST_BITS 21 // bits of a cell's coordinate: three coordinates fit a key
#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)

// A node holds four boxes, of leaves or of the four nodes below. An empty lane is NAN, and overlaps nothing.
//
// A bound x is stored as (float)(x - origin), which is monotonic in x. So boxes that overlap also overlap
// here, and boxes that overlap here by more than equality overlap indeed; only where rounding made bounds
// equal are the boxes themselves compared.
typedef struct BvhNode {
    float lo[3][LANES], hi[3][LANES];
} BvhNode;

typedef struct BvhKey {
    uint64_t key;
    int box;
} BvhKey;

// Four floats fit a register on every target, so this file needs no variants for wider ones.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourMask __attribute__((vector_size(16))); // each lane all ones or all zeros

static Four four_load(const float* p)
{
    Four a;
    memcpy(&a, p, sizeof a);
    return a;
}

static Four four_set(float a)
{
    return (Four){a, a, a, a};
}

// ---- overlaps of nodes

static uint32_t fold(FourMask bits) // ORs the lanes
{
    uint64_t half[2];
    memcpy(half, &bits, sizeof half);
    uint64_t both = half[0] | half[1];
    return (uint32_t)(both | both >> 32);
}

static FourMask lane_bits(int lane)
{
    int first = 1 << LANES * lane;
    return (FourMask){first, first << 1, first << 2, first << 3};
}

// Bit 4 i + j is set if lane i of a overlaps lane j of b, or only touches it and that is not asked
// `strictly`.
static inline uint32_t overlaps(const BvhNode* a, const BvhNode* b, bool strictly)
{
    FourMask all = {0, 0, 0, 0};
    for (int i = 0; i < LANES; i++) {
        FourMask bits = lane_bits(i);
        for (int k = 0; k < 3; k++) {
            Four lo = four_set(a->lo[k][i]), hi = four_set(a->hi[k][i]);
            bits &= strictly ? lo < four_load(b->hi[k]) : lo <= four_load(b->hi[k]);
            bits &= strictly ? four_load(b->lo[k]) < hi : four_load(b->lo[k]) <= hi;
        }
        all |= bits;
    }
    return fold(all);
}

static int lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

// ---- order along the Hilbert curve
//
// Unlike the Morton curve it never jumps, so runs of it are compact wherever they are cut: half as many nodes
// overlap.

// State machine of the curve: by its orientation in a cell (12 are possible) and the octant (4 x + 2 y + z),
// the entry is 8 times its orientation in the octant plus the octant's position along the curve. Each row is
// the first one rotated or mirrored.
static const uint8_t curve[12][8] = {
    {8, 23, 25, 38, 43, 44, 26, 37},  {24, 51, 63, 52, 1, 2, 70, 69},   {76, 39, 75, 80, 5, 6, 66, 65},
    {0, 9, 83, 10, 95, 78, 84, 77},   {22, 7, 21, 60, 49, 88, 50, 59},  {58, 85, 3, 4, 57, 86, 72, 55},
    {90, 89, 45, 46, 11, 32, 12, 87}, {36, 13, 71, 14, 35, 74, 40, 73}, {62, 81, 15, 16, 61, 82, 92, 91},
    {94, 93, 41, 42, 31, 20, 56, 19}, {18, 27, 17, 64, 53, 28, 54, 47}, {68, 67, 29, 34, 79, 48, 30, 33},
};

static uint64_t place_on_curve(const uint32_t cell[3], int bits)
{
    uint64_t place = 0;
    uint32_t orientation = 0;
    for (int b = bits - 1; b >= 0; b--) {
        uint32_t octant = (cell[0] >> b & 1) << 2 | (cell[1] >> b & 1) << 1 | (cell[2] >> b & 1);
        uint32_t next = curve[orientation][octant];
        place = place << 3 | (next & 7);
        orientation = next >> 3;
    }
    return place;
}

static bool box_counts(const Aabb* box)
{
    bool counts = true;
    for (int k = 0; k < 3; k++) {
        counts &= box->lo[k] >= -FAR && box->lo[k] <= box->hi[k] && box->hi[k] <= FAR;
    }
    return counts;
}

static double box_middle(const Aabb* box, int k)
{
    return 0.5 * (box->lo[k] + box->hi[k]);
}

// cubic cells over the boxes' centres; the outermost cells hold all that lies farther out
typedef struct Grid {
    double lo[3], hi[3];
    double per_metre; // cells a metre; 0: there is one cell
    int bits;         // of a cell's coordinate
} Grid;

// Most boxes are near their mean position. The few that are far off, such as a rod that fell from a table,
// must not widen all cells.
static void leave_far_ones_out(Grid* grid, const Aabb* boxes, int count, const double mean[3], double counted)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        if (box_counts(&boxes[i])) {
            double off = 0.0;
            for (int k = 0; k < 3; k++) {
                double along = fabs(box_middle(&boxes[i], k) - mean[k]);
                off = along > off ? along : off;
            }
            sum += off;
        }
    }
    double most = FAR_OFF * sum / counted;
    for (int k = 0; k < 3; k++) {
        grid->lo[k] = real_max(grid->lo[k], mean[k] - most);
        grid->hi[k] = real_min(grid->hi[k], mean[k] + most);
    }
}

// Cells are half as wide as the harmonic mean of the boxes' widths. Finer ones would cost time without
// bringing overlapping boxes closer together.
static Grid grid_over(const Aabb* boxes, int count)
{
    Grid grid = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, .bits = 1};
    double mean[3] = {0, 0, 0}, inverse_widths = 0.0, counted = 0.0;
    for (int i = 0; i < count; i++) {
        if (!box_counts(&boxes[i])) {
            continue;
        }
        double width = 0.0;
        for (int k = 0; k < 3; k++) {
            double middle = box_middle(&boxes[i], k), side = boxes[i].hi[k] - boxes[i].lo[k];
            grid.lo[k] = middle < grid.lo[k] ? middle : grid.lo[k];
            grid.hi[k] = middle > grid.hi[k] ? middle : grid.hi[k];
            mean[k] += middle;
            width = side > width ? side : width;
        }
        inverse_widths += 1.0 / width; // infinite: the finest cells
        counted += 1.0;
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= counted;
    }
    leave_far_ones_out(&grid, boxes, count, mean, counted);
    double extent =
        real_max(grid.hi[0] - grid.lo[0], real_max(grid.hi[1] - grid.lo[1], grid.hi[2] - grid.lo[2]));
    double cells = 2.0 * extent * (inverse_widths / counted);
    while (grid.bits < MOST_BITS && (double)(1 << grid.bits) < cells) {
        grid.bits++;
    }
    grid.per_metre = extent > 1e-300 ? (double)(1 << grid.bits) / extent : 0.0;
    return grid;
}

static uint64_t box_key(const Grid* grid, const Aabb* box)
{
    if (!box_counts(box)) {
        return 0;
    }
    uint32_t cell[3];
    double last = (double)((1 << grid->bits) - 1);
    for (int k = 0; k < 3; k++) {
        double at = (box_middle(box, k) - grid->lo[k]) * grid->per_metre;
        cell[k] = (uint32_t)(at < last ? (at > 0.0 ? at : 0.0) : last);
    }
    return place_on_curve(cell, grid->bits);
}

static uint32_t digit(const BvhKey* key, int place)
{
    return (uint32_t)(key->key >> place * DIGIT_BITS) & (DIGITS - 1);
}

// A stable pass of the radix sort. False: all have the same digit, and nothing was moved.
static bool sort_by_digit(const BvhKey* from, BvhKey* to, int count, int place)
{
    int start[DIGITS] = {0};
    for (int i = 0; i < count; i++) {
        start[digit(&from[i], place)]++;
    }
    if (start[digit(&from[0], place)] == count) {
        return false;
    }
    for (int d = 0, at = 0; d < DIGITS; d++) {
        int size = start[d];
        start[d] = at;
        at += size;
    }
    for (int i = 0; i < count; i++) {
        to[start[digit(&from[i], place)]++] = from[i];
    }
    return true;
}

// Boxes of one cell keep their order, so neighbours on a rod stay together.
static void put_in_order(Bvh* bvh, const Aabb* boxes)
{
    int count = bvh->leaf_count;
    BvhKey *keys = bvh->keys, *other = bvh->keys + count;
    Grid grid = grid_over(boxes, count);
    for (int i = 0; i < count; i++) {
        keys[i] = (BvhKey){box_key(&grid, &boxes[i]), i};
    }
    for (int place = 0; place * DIGIT_BITS < 3 * grid.bits; place++) {
        if (sort_by_digit(keys, other, count, place)) {
            BvhKey* swap = keys;
            keys = other, other = swap;
        }
    }
    for (int i = 0; i < count; i++) {
        bvh->order[i] = keys[i].box;
    }
    bvh->orders++;
}

// ---- nodes

// Any origin is correct; floats are most precise near the boxes. The mean of a sample lies where most boxes
// are, even if some are far off.
static void set_origin(Bvh* bvh, const Aabb* boxes)
{
    double sum[3] = {0, 0, 0}, counted = 0.0;
    int stride = bvh->leaf_count / 100 + 1;
    for (int i = 0; i < bvh->leaf_count; i += stride) {
        if (box_counts(&boxes[i])) {
            for (int k = 0; k < 3; k++) {
                sum[k] += box_middle(&boxes[i], k);
            }
            counted += 1.0;
        }
    }
    for (int k = 0; k < 3; k++) {
        bvh->origin[k] = counted > 0.0 ? sum[k] / counted : 0.0;
    }
}

static void lane_clear(BvhNode* node, int lane)
{
    for (int k = 0; k < 3; k++) {
        node->lo[k][lane] = node->hi[k][lane] = NAN;
    }
}

static double lane_sides(const BvhNode* node, int lane) // sum of its three sides [m]
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (double)node->hi[k][lane] - (double)node->lo[k][lane];
    }
    return sum > 0.0 ? sum : 0.0; // an empty lane is NAN
}

// Returns the sum of the sides of all boxes.
static double fit_leaves(Bvh* bvh, const Aabb* boxes)
{
    double sides = 0.0;
    for (int i = 0; i < LANES * bvh->level_start[1]; i++) {
        BvhNode* node = &bvh->nodes[i / LANES];
        int lane = i % LANES;
        const Aabb* box = i < bvh->leaf_count ? &boxes[bvh->order[i]] : NULL;
        if (!box || !box_counts(box)) {
            lane_clear(node, lane);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            node->lo[k][lane] = (float)(box->lo[k] - bvh->origin[k]);
            node->hi[k][lane] = (float)(box->hi[k] - bvh->origin[k]);
        }
        sides += lane_sides(node, lane);
    }
    return sides;
}

static void fit_lane(BvhNode* node, int lane, const BvhNode* below)
{
    for (int k = 0; k < 3; k++) {
        float lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < LANES; i++) {
            lo = below->lo[k][i] < lo ? below->lo[k][i] : lo;
            hi = below->hi[k][i] > hi ? below->hi[k][i] : hi;
        }
        node->lo[k][lane] = lo;
        node->hi[k][lane] = hi;
    }
}

// Returns the sum of the sides of all nodes on the level below.
static double fit_level(Bvh* bvh, int level)
{
    const int* start = bvh->level_start;
    int below = start[level] - start[level - 1], nodes = start[level + 1] - start[level];
    double sides = 0.0;
    for (int i = 0; i < LANES * nodes; i++) {
        BvhNode* node = &bvh->nodes[start[level] + i / LANES];
        if (i < below) {
            fit_lane(node, i % LANES, &bvh->nodes[start[level - 1] + i]);
            sides += lane_sides(node, i % LANES);
        } else {
            lane_clear(node, i % LANES);
        }
    }
    return sides;
}

typedef struct Reach {
    // excess of the nodes' sides over those of as many boxes [m]; unchanged if all boxes move or grow alike
    double beyond;
    double boxes; // sides of as many average boxes as there are nodes [m]
} Reach;

static Reach fit_nodes(Bvh* bvh, const Aabb* boxes)
{
    set_origin(bvh, boxes);
    double leaves = fit_leaves(bvh, boxes), nodes = 0.0;
    for (int level = 1; level < bvh->level_count; level++) {
        nodes += fit_level(bvh, level);
    }
    double as_many = leaves / bvh->leaf_count * (bvh->node_count - 1);
    return (Reach){.beyond = real_max(nodes - as_many, 0.0), .boxes = as_many};
}

// ---- fitting

static int nodes_over(int count)
{
    return count / LANES + (count % LANES > 0);
}

static void lay_out(Bvh* bvh, int count)
{
    bvh->leaf_count = count;
    bvh->level_count = bvh->node_count = 0;
    for (int nodes = nodes_over(count); nodes > 0; nodes = nodes > 1 ? nodes_over(nodes) : 0) {
        bvh->level_start[bvh->level_count++] = bvh->node_count;
        bvh->node_count += nodes;
        bvh->level_start[bvh->level_count] = bvh->node_count;
    }
}

static bool make_room(Memory* m, Bvh* bvh, int count)
{
    lay_out(bvh, count);
    if (count <= bvh->leaf_capacity) {
        return true;
    }
    Bvh larger = *bvh;
    bvh_free(m, bvh);
    larger.leaf_capacity = count;
    larger.node_capacity = larger.node_count;
    larger.nodes = memory_array(m, BvhNode, larger.node_capacity);
    larger.order = memory_array(m, int, count);
    larger.keys = memory_array(m, BvhKey, 2 * (size_t)count);
    *bvh = larger;
    if (!bvh->nodes || !bvh->order || !bvh->keys) {
        bvh_free(m, bvh);
        return false;
    }
    return true;
}

bool bvh_fit(Memory* m, Bvh* bvh, const Aabb* boxes, int count)
{
    if (count == bvh->leaf_count) {
        Reach reach = count > 0 ? fit_nodes(bvh, boxes) : (Reach){0};
        if (reach.beyond <= WORSE * bvh->cost + SLACK * reach.boxes) {
            return true;
        }
    } else if (!make_room(m, bvh, count)) {
        return false;
    }
    if (count > 0) {
        put_in_order(bvh, boxes);
        bvh->cost = fit_nodes(bvh, boxes).beyond;
    }
    return true;
}

void bvh_free(Memory* m, Bvh* bvh)
{
    memory_array_free(m, bvh->nodes, bvh->node_capacity);
    memory_array_free(m, bvh->order, bvh->leaf_capacity);
    memory_array_free(m, bvh->keys, 2 * (size_t)bvh->leaf_capacity);
    *bvh = (Bvh){0};
}

// ---- pairs

typedef struct Search {
    const Bvh* bvh;
    const Aabb* boxes;
    BvhPair found;
    void* context;
} Search;

static const BvhNode* node_at(const Bvh* bvh, int level, int i)
{
    return &bvh->nodes[bvh->level_start[level] + i];
}

// Reports pairs of leaves in nodes a and b, by bits as `overlaps` returns them.
static bool report_leaves(const Search* s, int a, int b, uint32_t overlap, uint32_t sure)
{
    const int* order = s->bvh->order;
    for (; overlap; overlap &= overlap - 1) {
        int bit = lowest_bit(overlap);
        int i = order[LANES * a + bit / LANES], j = order[LANES * b + bit % LANES];
        if ((sure >> bit & 1) || aabb_overlap(&s->boxes[i], &s->boxes[j])) {
            if (!s->found(s->context, i < j ? i : j, i < j ? j : i)) {
                return false;
            }
        }
    }
    return true;
}

// Pairs of a box below node a with a box below node b of the same level.
static bool pairs_between(const Search* s, int level, int a, int b)
{
    const BvhNode *node_a = node_at(s->bvh, level, a), *node_b = node_at(s->bvh, level, b);
    uint32_t overlap = overlaps(node_a, node_b, false);
    if (level == 0) {
        return overlap == 0 || report_leaves(s, a, b, overlap, overlaps(node_a, node_b, true));
    }
    for (; overlap; overlap &= overlap - 1) {
        int bit = lowest_bit(overlap);
        if (!pairs_between(s, level - 1, LANES * a + bit / LANES, LANES * b + bit % LANES)) {
            return false;
        }
    }
    return true;
}

#define EACH_PAIR_ONCE 0x08ceu // bits 4 i + j with i < j, within one node

// Pairs of boxes below one node.
static bool pairs_within(const Search* s, int level, int a)
{
    const BvhNode* node = node_at(s->bvh, level, a);
    uint32_t overlap = overlaps(node, node, false) & EACH_PAIR_ONCE;
    if (level == 0) {
        return overlap == 0 || report_leaves(s, a, a, overlap, overlaps(node, node, true));
    }
    int below = s->bvh->level_start[level] - s->bvh->level_start[level - 1];
    for (int i = LANES * a; i < LANES * (a + 1) && i < below; i++) {
        if (!pairs_within(s, level - 1, i)) {
            return false;
        }
    }
    for (; overlap; overlap &= overlap - 1) {
        int bit = lowest_bit(overlap);
        if (!pairs_between(s, level - 1, LANES * a + bit / LANES, LANES * a + bit % LANES)) {
            return false;
        }
    }
    return true;
}

bool bvh_pairs(const Bvh* bvh, const Aabb* boxes, BvhPair found, void* context)
{
    Search search = {bvh, boxes, found, context};
    return bvh->leaf_count == 0 || pairs_within(&search, bvh->level_count - 1, 0);
}

// ---- box queries

typedef struct Query { // a box in the nodes' coordinates, in all lanes
    Four lo[3], hi[3];
} Query;

static float bound_for_query(double x, double origin)
{
    // beyond any box, without overflow
    return (float)real_min(real_max(x - origin, -4.0 * FAR), 4.0 * FAR);
}

static Query query_for(const Bvh* bvh, const Aabb* box)
{
    Query query;
    for (int k = 0; k < 3; k++) {
        query.lo[k] = four_set(bound_for_query(box->lo[k], bvh->origin[k]));
        query.hi[k] = four_set(bound_for_query(box->hi[k], bvh->origin[k]));
    }
    return query;
}

static uint32_t query_overlaps(const Query* query, const BvhNode* node)
{
    FourMask bits = lane_bits(0);
    for (int k = 0; k < 3; k++) {
        bits &= query->lo[k] <= four_load(node->hi[k]);
        bits &= four_load(node->lo[k]) <= query->hi[k];
    }
    return fold(bits);
}

// Depth-first traversal without recursion: left[level] has the lanes still to visit in node `at` of that
// level.
bool bvh_query(const Bvh* bvh, const Aabb* boxes, const Aabb* box, BvhHit found, void* context)
{
    uint32_t left[BVH_MAX_LEVELS];
    int level = bvh->level_count - 1, at = 0;
    if (level < 0) {
        return true;
    }
    Query query = query_for(bvh, box);
    left[level] = query_overlaps(&query, node_at(bvh, level, 0));
    while (level < bvh->level_count) {
        if (left[level] == 0) {
            level++;
            at /= LANES;
            continue;
        }
        int i = LANES * at + lowest_bit(left[level]);
        left[level] &= left[level] - 1;
        if (level > 0) {
            level--;
            at = i;
            left[level] = query_overlaps(&query, node_at(bvh, level, at));
        } else if (aabb_overlap(&boxes[bvh->order[i]], box) && !found(context, bvh->order[i])) {
            return false;
        }
    }
    return true;
}
