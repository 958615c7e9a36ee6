#include "export/sleeve.h"

#include "export/picture_math.h"

#include <stdlib.h>

enum { NETWORK_SIDES = 8, NETWORK_SIDES_MANY = 4, NETWORK_MANY = 2000 };

typedef struct Weave { // one tube of the sleeve, as rows of vertices: of an end, of the rings, of the other end
    int first_ring, rings;
    bool closed;     // the last row is the first ring once more
    bool seam;       // the last column is the first once more, for the texture
    int sides, caps; // caps: rows of a round end, the pole among them
} Weave;

static int weave_columns(const Weave* w)
{
    return w->sides + w->seam;
}

static int weave_rows(const Weave* w)
{
    return w->closed ? w->rings + 1 : w->rings + 2 * w->caps;
}

// A pole is one point, a seam and the row that closes a ring are where the first are.
static int weave_points(const Weave* w)
{
    return w->closed ? w->rings * w->sides : (weave_rows(w) - 2) * w->sides + 2;
}

static int weave_faces(const Weave* w)
{
    return (weave_rows(w) - 1) * w->sides;
}

static bool row_is_pole(const Weave* w, int row)
{
    return !w->closed && (row == 0 || row == weave_rows(w) - 1);
}

static int row_ring(const Weave* w, int row)
{
    int ring = w->closed ? row % w->rings : row - w->caps;
    return w->first_ring + (ring < 0 ? 0 : ring >= w->rings ? w->rings - 1 : ring);
}

static double row_latitude(const Weave* w, int row) // -pi/2 and pi/2 at the poles [rad]
{
    int before = w->caps - row, after = row - (weave_rows(w) - 1 - w->caps);
    int rank = w->closed ? 0 : before > 0 ? -before : after > 0 ? after : 0;
    return w->caps > 0 ? 0.5 * PICTURE_PI * rank / w->caps : 0.0;
}

static int row_point(const Weave* w, int row, int column)
{
    int k = column % w->sides;
    if (w->closed) {
        return row % w->rings * w->sides + k;
    }
    return row_is_pole(w, row) ? (row == 0 ? 0 : weave_points(w) - 1) : 1 + (row - 1) * w->sides + k;
}

static void put_row(Sleeve* s, const Weave* w, int row, int first_point, double along)
{
    double latitude = row_latitude(w, row), out = row_is_pole(w, row) ? 0.0 : cos(latitude);
    for (int k = 0; k < weave_columns(w); k++) {
        double turn = (double)k / w->sides, angle = 2.0 * PICTURE_PI * (k % w->sides) / w->sides;
        int point = first_point + row_point(w, row, k);
        if (point >= s->point_count) {
            s->first[point] = s->vertex_count;
            s->point_count = point + 1;
        }
        s->vertices[s->vertex_count++] = (SleeveVertex){
            .ring = row_ring(w, row),
            .point = point,
            .place = {out * cos(angle), out * sin(angle), sin(latitude)},
            .u = row_is_pole(w, row) ? turn + 0.5 / w->sides : turn,
            .v = along + latitude / (2.0 * PICTURE_PI),
        };
    }
}

// Four corners, or three at a pole: the vertex there that lies over the middle of the side.
static void put_faces(Sleeve* s, const Weave* w, int first_vertex)
{
    int columns = weave_columns(w);
    for (int row = 0; row + 1 < weave_rows(w); row++) {
        int here = first_vertex + row * columns, there = here + columns;
        for (int k = 0; k < w->sides; k++) {
            int next = (k + 1) % columns;
            MeshFace face = {4, {here + k, here + next, there + next, there + k}};
            if (row_is_pole(w, row)) {
                face = (MeshFace){3, {here + k, there + next, there + k, 0}};
            } else if (row_is_pole(w, row + 1)) {
                face = (MeshFace){3, {here + k, here + next, there + k, 0}};
            }
            s->faces[s->face_count++] = face;
        }
    }
}

static void put_tube(Sleeve* s, const Weave* w, const Ring* list)
{
    int first_vertex = s->vertex_count, first_point = s->point_count;
    double radii = 0.0, along = 0.0;
    for (int i = 0; i < w->rings; i++) {
        radii += list[w->first_ring + i].radius;
    }
    double circumference = 2.0 * PICTURE_PI * radii / w->rings;
    for (int row = 0; row < weave_rows(w); row++) {
        if (row > 0) {
            CordVec3 way = pv_sub(list[row_ring(w, row)].center, list[row_ring(w, row - 1)].center);
            along += circumference > 0.0 ? pv_length(way) / circumference : 0.0;
        }
        put_row(s, w, row, first_point, along);
    }
    put_faces(s, w, first_vertex);
}

static bool sleeve_alloc(Sleeve* s, const Weave* w, size_t tubes)
{
    size_t vertices = tubes * (size_t)weave_rows(w) * (size_t)weave_columns(w);
    *s = (Sleeve){.vertices = calloc(vertices + 1, sizeof *s->vertices),
                  .first = calloc(tubes * (size_t)weave_points(w) + 1, sizeof *s->first),
                  .faces = calloc(tubes * (size_t)weave_faces(w) + 1, sizeof *s->faces)};
    if (!s->vertices || !s->first || !s->faces) {
        sleeve_free(s);
        return false;
    }
    return true;
}

bool sleeve_make(Sleeve* sleeve, const RodRings* rings, const Ring* list, int sides)
{
    int most = rings->edges > NETWORK_MANY ? NETWORK_SIDES_MANY : NETWORK_SIDES;
    sides = rings->network && sides > most ? most : sides;
    Weave w = {.rings = rings->network ? 2 : rings->count,
               .closed = rings->closed,
               .seam = !rings->network,
               .sides = sides,
               .caps = rings->closed ? 0
                       : sides < 12  ? 2
                                     : sides / 4};
    int tubes = rings->network ? rings->edges : 1;
    if (!sleeve_alloc(sleeve, &w, (size_t)tubes)) {
        return false;
    }
    for (int k = 0; k < tubes; k++, w.first_ring += w.rings) {
        put_tube(sleeve, &w, list);
    }
    return true;
}

void sleeve_free(Sleeve* sleeve)
{
    free(sleeve->vertices);
    free(sleeve->first);
    free(sleeve->faces);
    *sleeve = (Sleeve){0};
}

CordVec3 sleeve_direction(const Ring* ring, CordVec3 place)
{
    return pv_madd(pv_madd(pv_mul(ring->m1, place.x), ring->m2, place.y), ring->t, place.z);
}

CordVec3 sleeve_point(const Ring* ring, CordVec3 place)
{
    return pv_madd(ring->center, sleeve_direction(ring, place), ring->radius);
}
