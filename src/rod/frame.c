#include "rod/frame.h"

#include "math/elementary.h"

double frame_angle(CordVec3 from, CordVec3 to, CordVec3 t)
{
    return cord_atan2(vec3_dot(vec3_cross(from, to), t), vec3_dot(from, to));
}

CordVec3 frame_rotate(CordVec3 u, CordVec3 t, double angle)
{
    return vec3_madd(vec3_mul(u, cord_cos(angle)), vec3_cross(t, u), cord_sin(angle));
}

double frame_unwrap(double angle, double last)
{
    return angle + 2.0 * CORD_PI * nearbyint((last - angle) / (2.0 * CORD_PI));
}

double cord_polygon_twist(const CordVec3* x, int node_count, bool closed, const CordVec3* m1)
{
    int edges = closed ? node_count : node_count - 1;
    int joints = closed ? edges : edges - 1;
    double sum = 0.0;
    for (int j = 0; j < joints; j++) {
        int k = (j + 1) % edges;
        CordVec3 s = vec3_unit(vec3_sub(x[j + 1 < node_count ? j + 1 : 0], x[j]));
        CordVec3 t = vec3_unit(vec3_sub(x[k + 1 < node_count ? k + 1 : 0], x[k]));
        sum += frame_angle(frame_transport(m1[j], s, t), m1[k], t);
    }
    return sum / (2.0 * CORD_PI);
}

// Directions whose triple product is at most FLAT, by their lengths, lie in one plane. They lead all the way
// around in it, or half of it, if the other sum of solid_angle is at most HALF_AROUND.
#define FLAT 1e-12
#define HALF_AROUND 1e-6

// Signed solid angle of the triangle of directions a, b, c (van Oosterom and Strackee 1983): tan(angle / 2) =
// a.(b x c) /
// (|a||b||c| + a.b |c| + b.c |a| + c.a |b|). Flat triangles give zero to round-off. Directions in one plane
// that lead all the way around bound either hemisphere, 2 pi or -2 pi, as where two straight lines cross;
// then the mean of both is returned, 0.
static double solid_angle(CordVec3 a, CordVec3 b, CordVec3 c)
{
    double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    double volume = vec3_dot(a, vec3_cross(b, c));
    double sum = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    double all = la * lb * lc;
    bool around = sum <= HALF_AROUND * all && fabs(volume) <= FLAT * all;
    return around ? 0.0 : 2.0 * cord_atan2(volume, sum);
}

// Gauss's linking integral of two straight segments: the directions from points of a..b to points of c..d
// fill a quadrilateral on the unit sphere, and the integral is its signed area over 4 pi.
static double gauss_segments(CordVec3 a, CordVec3 b, CordVec3 c, CordVec3 d)
{
    CordVec3 ac = vec3_sub(c, a), ad = vec3_sub(d, a), bc = vec3_sub(c, b), bd = vec3_sub(d, b);
    return (solid_angle(ac, bd, ad) + solid_angle(ac, bc, bd)) / (4.0 * CORD_PI);
}

double cord_polygon_writhe(const CordVec3* x, int node_count, bool closed)
{
    int edges = closed ? node_count : node_count - 1;
    double sum = 0.0;
    for (int i = 0; i < edges; i++) {
        double row = 0.0;
        for (int j = i + 2; j < edges; j++) {
            if (closed && i == 0 && j == edges - 1) {
                continue; // neighbours across the seam
            }
            row += gauss_segments(x[i], x[i + 1], x[j], x[j + 1 < node_count ? j + 1 : 0]);
        }
        sum += row;
    }
    return 2.0 * sum;
}

// The integral of a segment a..b and a straight tail from c to infinity along w, where two corners of the
// quadrilateral coincide.
static double gauss_tail(CordVec3 a, CordVec3 b, CordVec3 c, CordVec3 w)
{
    return solid_angle(vec3_sub(c, a), vec3_sub(c, b), w) / (4.0 * CORD_PI);
}

// Tails as nearly parallel as this lie in one plane, and have no writhe with each other.
#define PARALLEL 1e-12

// The part of straight tails that go on from both ends of an open polygon along its end edges, to infinity.
static double gauss_tails(const CordVec3* x, int node_count)
{
    int last = node_count - 1;
    CordVec3 in = vec3_unit(vec3_sub(x[1], x[0])), out = vec3_unit(vec3_sub(x[last], x[last - 1]));
    double sum = 0.0;
    for (int i = 1; i < last; i++) { // end edges lie on the line of their tails
        sum -= gauss_tail(x[i], x[i + 1], x[0], vec3_mul(in, -1.0));
        sum += gauss_tail(x[i - 1], x[i], x[last], out);
    }
    if (1.0 + vec3_dot(in, out) > PARALLEL) {
        sum += solid_angle(in, vec3_sub(x[last], x[0]), out) / (4.0 * CORD_PI);
    }
    return sum;
}

double cord_polygon_tailed_writhe(const CordVec3* x, int node_count, bool closed)
{
    double writhe = cord_polygon_writhe(x, node_count, closed);
    return closed ? writhe : writhe + 2.0 * gauss_tails(x, node_count);
}

double cord_polygon_link(const CordVec3* x, int x_count, const CordVec3* y, int y_count)
{
    double sum = 0.0;
    for (int i = 0; i < x_count; i++) {
        for (int j = 0; j < y_count; j++) {
            sum += gauss_segments(x[i], x[(i + 1) % x_count], y[j], y[(j + 1) % y_count]);
        }
    }
    return sum;
}
