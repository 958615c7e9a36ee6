#include "export/tessellation.h"

#include "export/geometry.h"

#include <cordage/adapt.h>

#include <stdlib.h>
#include <string.h>

// Largest angles from one section to the next. A twist narrows straight walls by a factor of cos(twist / 2).
static const double twist_most = 40.0 * CORD_PI / 180.0;
static const double bend_most = 15.0 * CORD_PI / 180.0;
enum { PIECES_MOST = 8 }; // of an edge

static const double arc_alike = 1e-9; // as a share of the rod's length: nodes within it are at one place

CordResult tube_curves(const CordFrame* frame, PictureCurves* curves, CordMessage* message)
{
    const CordPictureDef def = {.radius_scale = 1.0};
    const PictureCamera metres = {.scale = 1.0, .half_height = 1.0, .height = 1};
    bool seen = false;
    *curves = (PictureCurves){0};
    for (int r = 0; r < frame->rod_count; r++) {
        seen = seen || !surface_hides(frame, r);
    }
    return seen ? picture_curves_make(frame, &def, &metres, curves, message) : CORD_OK;
}

// ---- arc lengths of adaptive rods

static double length_at_rest(const TubePlan* plan, const CordFrame* frame)
{
    const CordFrameRod* rod = &frame->rods[plan->rod];
    const double* arc = frame->arc + rod->first_node;
    double last = arc[rod->node_count - 1];
    if (!rod->closed) {
        return last;
    }
    // The frame does not have the rest length of the closing edge. Any length beyond its sections serves.
    CordVec3 back = cord_vec3_sub(frame->x[rod->first_node], frame->x[rod->first_node + rod->node_count - 1]);
    return last + cord_vec3_length(back);
}

// The arc length of a node of a frame, scaled to the length of the first frame. In a recording the two
// lengths are equal.
static double node_arc(const TubePlan* plan, const CordFrame* frame, int node)
{
    const CordFrameRod* rod = &frame->rods[plan->rod];
    const double* arc = frame->arc + rod->first_node;
    double last = arc[rod->node_count - 1];
    return rod->closed || last == plan->length ? arc[node] : arc[node] * (plan->length / last);
}

static int arc_find(const TubePlan* plan, double arc) // the first section that is not before it
{
    int low = 0, high = plan->count;
    double slack = arc_alike * plan->length;
    while (low < high) {
        int middle = (low + high) / 2;
        if (plan->arc[middle] < arc - slack) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool arc_add(TubePlan* plan, double arc)
{
    int at = arc_find(plan, arc);
    if (at < plan->count && plan->arc[at] <= arc + arc_alike * plan->length) {
        return true;
    }
    if (plan->count == plan->arc_capacity) {
        int capacity = 2 * plan->arc_capacity + 64;
        double* grown = realloc(plan->arc, (size_t)capacity * sizeof *grown);
        if (!grown) {
            return false;
        }
        plan->arc = grown;
        plan->arc_capacity = capacity;
    }
    memmove(plan->arc + at + 1, plan->arc + at, (size_t)(plan->count - at) * sizeof *plan->arc);
    plan->arc[at] = arc;
    plan->count++;
    return true;
}

// ---- the plan

static CordResult no_memory(const CordFrameRod* rod, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for rod \"%s\"", rod->name);
}

CordResult tube_plan_begin(TubePlan* plan, const CordFrame* frame, int rod, CordMessage* message)
{
    const CordFrameRod* r = &frame->rods[rod];
    *plan = (TubePlan){.rod = rod,
                       .hidden = surface_hides(frame, rod),
                       .network = r->network,
                       .closed = r->closed,
                       .adaptive = frame->arc && frame->adapt && frame->adapt[rod].made_with > 0,
                       .nodes = r->node_count,
                       .edges = r->edge_count};
    plan->length = plan->adaptive ? length_at_rest(plan, frame) : 0.0;
    plan->pieces = calloc((size_t)plan->edges + 1, sizeof *plan->pieces);
    plan->at_node = calloc((size_t)plan->edges + 1, sizeof *plan->at_node);
    return plan->pieces && plan->at_node ? CORD_OK : no_memory(r, message);
}

static int edge_pieces(const PictureCurves* curves, int edge)
{
    const PictureEdge* e = &curves->edges[edge];
    CordVec3 from = picture_curves_tangent(curves, edge, 0.0), to = picture_curves_tangent(curves, edge, 1.0);
    double bend = atan2(cord_vec3_length(cord_vec3_cross(from, to)), cord_vec3_dot(from, to));
    double twist = max_of(fabs(e->turn), e->before >= 0 ? fabs(curves->edges[e->before].turn) : 0.0);
    double pieces = ceil(max_of(bend / bend_most, twist / twist_most));
    return (int)clamp(pieces, 1.0, PIECES_MOST);
}

static CordResult add_chain(TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                            CordMessage* message)
{
    const CordFrameRod* rod = &frame->rods[plan->rod];
    if (rod->node_count != plan->nodes || rod->edge_count != plan->edges) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "rod \"%s\" has %d nodes at first and %d at t = %g s, and which is which is not known; "
            "choose frames in which it has the same ones, with --frames",
            rod->name, plan->nodes, rod->node_count, frame->time);
    }
    for (int j = 0; !plan->network && j < plan->edges; j++) {
        int pieces = edge_pieces(curves, plan->first_edge + j);
        plan->pieces[j] = pieces > plan->pieces[j] ? pieces : plan->pieces[j];
    }
    return CORD_OK;
}

static CordResult add_adaptive(TubePlan* plan, const CordFrame* frame, CordMessage* message)
{
    const CordFrameRod* rod = &frame->rods[plan->rod];
    bool room = true;
    if (rod->closed) {
        plan->length = max_of(plan->length, length_at_rest(plan, frame));
    }
    for (int i = 0; room && i < rod->node_count; i++) {
        room = arc_add(plan, node_arc(plan, frame, i));
    }
    return room ? CORD_OK : no_memory(rod, message);
}

CordResult tube_plan_add(TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                         CordMessage* message)
{
    return plan->hidden     ? CORD_OK
           : plan->adaptive ? add_adaptive(plan, frame, message)
                            : add_chain(plan, frame, curves, message);
}

void tube_plan_finish(TubePlan* plan)
{
    if (plan->hidden || plan->adaptive) {
        return;
    }
    for (int j = 0; j < plan->edges; j++) {
        plan->at_node[j + 1] = plan->at_node[j] + plan->pieces[j];
    }
    plan->count = plan->network ? 2 * plan->edges : plan->at_node[plan->edges] + (plan->closed ? 0 : 1);
}

void tube_plan_free(TubePlan* plan)
{
    free(plan->pieces);
    free(plan->at_node);
    free(plan->arc);
    *plan = (TubePlan){0};
}

// ---- sections

static TubeSection section_at(const PictureCurves* curves, int edge, double u)
{
    CordVec3 t = picture_curves_tangent(curves, edge, u), x, y;
    frame_about(t, &x, &y);
    CordVec3 m1 = picture_curves_m1(curves, edge, u, t);
    m1 = cord_vec3_unit_or(cord_vec3_madd(m1, t, -cord_vec3_dot(m1, t)), x);
    return (TubeSection){picture_curves_point(curves, edge, u), m1, cord_vec3_cross(t, m1), t,
                         picture_curves_radius(curves, edge, u)};
}

static void fill_adaptive(const TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                          TubeSection* sections)
{
    const CordFrameRod* rod = &frame->rods[plan->rod];
    double slack = arc_alike * plan->length;
    for (int k = 0, j = 0; k < plan->count; k++) {
        double at = plan->arc[k];
        while (j + 1 < rod->edge_count && node_arc(plan, frame, j + 1) <= at + slack) {
            j++;
        }
        double start = node_arc(plan, frame, j);
        double end = j + 1 < rod->node_count ? node_arc(plan, frame, j + 1) : plan->length;
        double u = fabs(at - start) <= slack ? 0.0
                   : fabs(end - at) <= slack ? 1.0
                                             : (at - start) / (end - start);
        sections[k] = section_at(curves, plan->first_edge + j, clamp(u, 0.0, 1.0));
    }
}

static void fill_chain(const TubePlan* plan, const PictureCurves* curves, TubeSection* sections)
{
    for (int j = 0; j < plan->edges; j++) {
        for (int k = 0; k < plan->pieces[j]; k++) {
            *sections++ = section_at(curves, plan->first_edge + j, (double)k / plan->pieces[j]);
        }
    }
    if (!plan->closed) {
        *sections = section_at(curves, plan->first_edge + plan->edges - 1, 1.0);
    }
}

void tube_sections(const TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                   TubeSection* sections)
{
    if (plan->hidden) {
        return;
    }
    if (plan->adaptive) {
        fill_adaptive(plan, frame, curves, sections);
    } else if (!plan->network) {
        fill_chain(plan, curves, sections);
    }
    for (int k = 0; plan->network && k < plan->count; k++) {
        sections[k] = section_at(curves, plan->first_edge + k / 2, k % 2);
    }
}

int tube_plan_node(const TubePlan* plan, int section)
{
    int low = 0, high = plan->edges;
    if (plan->network || plan->adaptive) {
        return -1;
    }
    while (low < high) { // the first node that is not before the section
        int middle = (low + high) / 2;
        if (plan->at_node[middle] < section) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return plan->at_node[low] == section ? low : -1;
}

// ---- meshes

enum { NETWORK_SIDES = 8, NETWORK_SIDES_MANY = 4, NETWORK_MANY = 2000 };

// One tube of the mesh: rows of vertices, of the first cap, of the sections and of the second cap.
typedef struct TubeGrid {
    int first_section, sections;
    bool closed;     // the last row repeats the first section
    bool seam;       // the last column repeats the first one, for the texture
    int sides, caps; // caps: rows of a hemisphere, including the pole
} TubeGrid;

static int grid_columns(const TubeGrid* g)
{
    return g->sides + g->seam;
}

static int grid_rows(const TubeGrid* g)
{
    return g->closed ? g->sections + 1 : g->sections + 2 * g->caps;
}

// A pole is one point. The seam, and the row that closes a closed rod, repeat the first points.
static int grid_points(const TubeGrid* g)
{
    return g->closed ? g->sections * g->sides : (grid_rows(g) - 2) * g->sides + 2;
}

static int grid_faces(const TubeGrid* g)
{
    return (grid_rows(g) - 1) * g->sides;
}

static bool row_is_pole(const TubeGrid* g, int row)
{
    return !g->closed && (row == 0 || row == grid_rows(g) - 1);
}

static int row_section(const TubeGrid* g, int row)
{
    int section = g->closed ? row % g->sections : row - g->caps;
    return g->first_section + (section < 0 ? 0 : section >= g->sections ? g->sections - 1 : section);
}

static double row_latitude(const TubeGrid* g, int row) // -pi/2 and pi/2 at the poles [rad]
{
    int before = g->caps - row, after = row - (grid_rows(g) - 1 - g->caps);
    int rank = g->closed ? 0 : before > 0 ? -before : after > 0 ? after : 0;
    return g->caps > 0 ? 0.5 * CORD_PI * rank / g->caps : 0.0;
}

static int row_point(const TubeGrid* g, int row, int column)
{
    int k = column % g->sides;
    if (g->closed) {
        return row % g->sections * g->sides + k;
    }
    return row_is_pole(g, row) ? (row == 0 ? 0 : grid_points(g) - 1) : 1 + (row - 1) * g->sides + k;
}

static void put_row(TubeMesh* m, const TubeGrid* g, int row, int first_point, double along)
{
    double latitude = row_latitude(g, row), out = row_is_pole(g, row) ? 0.0 : cos(latitude);
    for (int k = 0; k < grid_columns(g); k++) {
        double turn = (double)k / g->sides, angle = 2.0 * CORD_PI * (k % g->sides) / g->sides;
        int point = first_point + row_point(g, row, k);
        if (point >= m->point_count) {
            m->first[point] = m->vertex_count;
            m->point_count = point + 1;
        }
        m->vertices[m->vertex_count++] = (TubeVertex){
            .section = row_section(g, row),
            .point = point,
            .place = {out * cos(angle), out * sin(angle), sin(latitude)},
            .u = row_is_pole(g, row) ? turn + 0.5 / g->sides : turn,
            .v = along + latitude / (2.0 * CORD_PI),
        };
    }
}

// Faces have four corners, or three at a pole: the pole's vertex above the middle of the side.
static void put_faces(TubeMesh* m, const TubeGrid* g, int first_vertex)
{
    int columns = grid_columns(g);
    for (int row = 0; row + 1 < grid_rows(g); row++) {
        int here = first_vertex + row * columns, there = here + columns;
        for (int k = 0; k < g->sides; k++) {
            int next = (k + 1) % columns;
            MeshFace face = {4, {here + k, here + next, there + next, there + k}};
            if (row_is_pole(g, row)) {
                face = (MeshFace){3, {here + k, there + next, there + k, 0}};
            } else if (row_is_pole(g, row + 1)) {
                face = (MeshFace){3, {here + k, here + next, there + k, 0}};
            }
            m->faces[m->face_count++] = face;
        }
    }
}

static void put_grid(TubeMesh* m, const TubeGrid* g, const TubeSection* sections)
{
    int first_vertex = m->vertex_count, first_point = m->point_count;
    double radii = 0.0, along = 0.0;
    for (int i = 0; i < g->sections; i++) {
        radii += sections[g->first_section + i].radius;
    }
    double circumference = 2.0 * CORD_PI * radii / g->sections;
    for (int row = 0; row < grid_rows(g); row++) {
        if (row > 0) {
            CordVec3 way =
                cord_vec3_sub(sections[row_section(g, row)].center, sections[row_section(g, row - 1)].center);
            along += circumference > 0.0 ? cord_vec3_length(way) / circumference : 0.0;
        }
        put_row(m, g, row, first_point, along);
    }
    put_faces(m, g, first_vertex);
}

static bool mesh_alloc(TubeMesh* m, const TubeGrid* g, size_t tubes)
{
    size_t vertices = tubes * (size_t)grid_rows(g) * (size_t)grid_columns(g);
    *m = (TubeMesh){.vertices = calloc(vertices + 1, sizeof *m->vertices),
                    .first = calloc(tubes * (size_t)grid_points(g) + 1, sizeof *m->first),
                    .faces = calloc(tubes * (size_t)grid_faces(g) + 1, sizeof *m->faces)};
    if (!m->vertices || !m->first || !m->faces) {
        tube_mesh_free(m);
        return false;
    }
    return true;
}

bool tube_mesh_make(TubeMesh* mesh, const TubePlan* plan, const TubeSection* sections, int sides)
{
    int most = plan->edges > NETWORK_MANY ? NETWORK_SIDES_MANY : NETWORK_SIDES;
    sides = plan->network && sides > most ? most : sides;
    TubeGrid g = {.sections = plan->network ? 2 : plan->count,
                  .closed = plan->closed,
                  .seam = !plan->network,
                  .sides = sides,
                  .caps = plan->closed ? 0
                          : sides < 12 ? 2
                                       : sides / 4};
    int tubes = plan->network ? plan->edges : 1;
    if (!mesh_alloc(mesh, &g, (size_t)tubes)) {
        return false;
    }
    for (int k = 0; k < tubes; k++, g.first_section += g.sections) {
        put_grid(mesh, &g, sections);
    }
    return true;
}

void tube_mesh_free(TubeMesh* mesh)
{
    free(mesh->vertices);
    free(mesh->first);
    free(mesh->faces);
    *mesh = (TubeMesh){0};
}

CordVec3 tube_direction(const TubeSection* section, CordVec3 place)
{
    return cord_vec3_madd(cord_vec3_madd(cord_vec3_scale(section->m1, place.x), section->m2, place.y),
                          section->t, place.z);
}

CordVec3 tube_point(const TubeSection* section, CordVec3 place)
{
    return cord_vec3_madd(section->center, tube_direction(section, place), section->radius);
}
