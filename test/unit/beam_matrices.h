// Stiffness and mass of networks of beams (Euler and Bernoulli, round section, consistent mass), for tests of
// eigensolvers: written on their own, so that they agree with the model's only if both are right.
#ifndef CORD_TEST_BEAM_MATRICES_H
#define CORD_TEST_BEAM_MATRICES_H

#include <cordage/modal.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct BeamNet { // freedoms of a node: three displacements, three turns
    int node_count, edge_count;
    CordVec3* x;  // [m] (node_count)
    int* ends;    // (2 edge_count)
    bool* held;   // all six freedoms of the node (node_count)
    double r;     // radius [m]
    double E, nu; // [Pa]
    double rho;   // [kg/m^3]
} BeamNet;

static inline BeamNet beam_net(int node_count, int edge_count)
{
    return (BeamNet){.node_count = node_count,
                     .edge_count = edge_count,
                     .x = calloc((size_t)node_count, sizeof(CordVec3)),
                     .ends = calloc(2 * (size_t)edge_count, sizeof(int)),
                     .held = calloc((size_t)node_count, sizeof(bool)),
                     .r = 0.01,
                     .E = 1e9,
                     .nu = 0.25,
                     .rho = 1000.0};
}

static inline void beam_net_free(BeamNet* net)
{
    free(net->x), free(net->ends), free(net->held);
}

// Along x, its first node held.
static inline BeamNet beam_net_line(int elements, double length)
{
    BeamNet net = beam_net(elements + 1, elements);
    for (int i = 0; i <= elements; i++) {
        net.x[i] = (CordVec3){length * i / elements, 0, 0};
    }
    for (int e = 0; e < elements; e++) {
        net.ends[2 * e] = e, net.ends[2 * e + 1] = e + 1;
    }
    net.held[0] = true;
    return net;
}

// A sphere of triangles: poles first and last, rings between them.
static inline BeamNet beam_net_sphere(int rings, int segments, double radius)
{
    BeamNet net =
        beam_net(rings * segments + 2, rings * segments + (rings - 1) * 2 * segments + 2 * segments);
    int last = net.node_count - 1, e = 0;
    const double pi = 3.14159265358979323846;
    net.x[0] = (CordVec3){0, 0, radius}, net.x[last] = (CordVec3){0, 0, -radius};
    for (int i = 0; i < rings; i++) {
        for (int j = 0; j < segments; j++) {
            double a = pi * (i + 1) / (rings + 1), b = 2.0 * pi * j / segments;
            int here = 1 + i * segments + j, beside = 1 + i * segments + (j + 1) % segments;
            net.x[here] = (CordVec3){radius * sin(a) * cos(b), radius * sin(a) * sin(b), radius * cos(a)};
            int ends[6] = {here, beside, i == 0 ? 0 : here - segments, here, i == 0 ? -1 : beside - segments,
                           here};
            for (int k = 0; k < 3; k++) {
                if (ends[2 * k] >= 0) {
                    net.ends[2 * e] = ends[2 * k], net.ends[2 * e + 1] = ends[2 * k + 1], e++;
                }
            }
            if (i == rings - 1) {
                net.ends[2 * e] = here, net.ends[2 * e + 1] = last, e++;
            }
        }
    }
    net.held[last] = true;
    return net;
}

// ---- an element

// One plane of bending: displacements and turns of both ends, w0 t0 w1 t1, with t = dw/dx, at these places of
// the element; `sign` turns t over.
static inline void beam_plane(double L, double EI, double m, const int at[4], double sign, double K[12][12],
                              double M[12][12])
{
    double k = EI / (L * L * L), c = m * L / 420.0;
    double k4[4][4] = {{12, 6 * L, -12, 6 * L},
                       {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                       {-12, -6 * L, 12, -6 * L},
                       {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    double m4[4][4] = {{156, 22 * L, 54, -13 * L},
                       {22 * L, 4 * L * L, 13 * L, -3 * L * L},
                       {54, 13 * L, 156, -22 * L},
                       {-13 * L, -3 * L * L, -22 * L, 4 * L * L}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double s = (i % 2 ? sign : 1.0) * (j % 2 ? sign : 1.0);
            K[at[i]][at[j]] += s * k * k4[i][j];
            M[at[i]][at[j]] += s * c * m4[i][j];
        }
    }
}

static inline void beam_bar(double k, double m, int a, int b, double K[12][12], double M[12][12])
{
    K[a][a] += k, K[b][b] += k, K[a][b] -= k, K[b][a] -= k;
    M[a][a] += m / 3, M[b][b] += m / 3, M[a][b] += m / 6, M[b][a] += m / 6;
}

// In the axes of space: rows of R are the element's axes.
static inline void beam_turn(double R[3][3], double A[12][12])
{
    double B[12][12] = {{0}};
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            for (int k = 0; k < 3; k++) {
                B[i][j] += A[i][j / 3 * 3 + k] * R[k][j % 3];
            }
        }
    }
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            A[i][j] = 0.0;
            for (int k = 0; k < 3; k++) {
                A[i][j] += R[k][i % 3] * B[i / 3 * 3 + k][j];
            }
        }
    }
}

static inline void beam_element(const BeamNet* net, int edge, double K[12][12], double M[12][12])
{
    const double pi = 3.14159265358979323846;
    CordVec3 a = net->x[net->ends[2 * edge]], b = net->x[net->ends[2 * edge + 1]];
    double e[3] = {b.x - a.x, b.y - a.y, b.z - a.z}, L = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    double area = pi * net->r * net->r, I = area * net->r * net->r / 4.0, m = net->rho * area;
    memset(K, 0, 144 * sizeof(double)), memset(M, 0, 144 * sizeof(double));
    beam_bar(net->E * area / L, m * L, 0, 6, K, M);
    beam_bar(net->E / (1.0 + net->nu) * I / L, 2.0 * net->rho * I * L, 3, 9, K, M); // GJ / L
    beam_plane(L, net->E * I, m, (int[]){1, 5, 7, 11}, 1.0, K, M);
    beam_plane(L, net->E * I, m, (int[]){2, 4, 8, 10}, -1.0, K, M);
    double R[3][3] = {{e[0] / L, e[1] / L, e[2] / L}};
    int least = fabs(e[0]) <= fabs(e[1]) ? 0 : 1;
    least = fabs(e[2]) < fabs(e[least]) ? 2 : least;
    double d = R[0][least], s = sqrt(1.0 - d * d);
    for (int k = 0; k < 3; k++) {
        R[1][k] = ((k == least) - d * R[0][k]) / s;
    }
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        R[2][k] = R[0][p] * R[1][q] - R[0][q] * R[1][p];
    }
    beam_turn(R, K), beam_turn(R, M);
}

// ---- the network

typedef struct BeamMatrices {
    CordEigenProblem problem; // looks at what follows
    int *start, *row;
    double *K, *M;
} BeamMatrices;

static inline int beam_compare(const void* a, const void* b)
{
    return *(const int*)a - *(const int*)b;
}

// The nodes that share an edge with each node, itself included, ascending: first (node_count + 1), list.
static inline void beam_neighbours(const BeamNet* net, int** first, int** list)
{
    int n = net->node_count;
    *first = calloc((size_t)n + 2, sizeof(int));
    *list = malloc(((size_t)n + 2 * (size_t)net->edge_count) * sizeof(int));
    int* at = *first + 1; // one place on: filling moves each to where it belongs
    for (int e = 0; e < 2 * net->edge_count; e++) {
        at[net->ends[e] + 1]++;
    }
    for (int i = 0; i < n; i++) {
        at[i + 1] += at[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        (*list)[at[i]++] = i;
    }
    for (int e = 0; e < net->edge_count; e++) {
        int a = net->ends[2 * e], b = net->ends[2 * e + 1];
        (*list)[at[a]++] = b, (*list)[at[b]++] = a;
    }
    for (int i = 0; i < n; i++) {
        qsort(*list + (*first)[i], (size_t)((*first)[i + 1] - (*first)[i]), sizeof(int), beam_compare);
    }
}

static inline int beam_find(const BeamMatrices* b, int row, int column)
{
    int k = b->start[column];
    while (b->row[k] != row) {
        k++;
    }
    return k;
}

static inline void beam_add(const BeamNet* net, const int* unknown, BeamMatrices* b)
{
    for (int e = 0; e < net->edge_count; e++) {
        double K[12][12], M[12][12];
        beam_element(net, e, K, M);
        for (int j = 0; j < 12; j++) {
            int column = unknown[6 * net->ends[2 * e + j / 6] + j % 6];
            for (int i = 0; i < 12; i++) {
                int row = unknown[6 * net->ends[2 * e + i / 6] + i % 6];
                if (row >= 0 && column >= 0) {
                    int k = beam_find(b, row, column);
                    b->K[k] += K[i][j], b->M[k] += M[i][j];
                }
            }
        }
    }
}

static inline BeamMatrices beam_matrices(const BeamNet* net, int count, double shift)
{
    int *first, *list, *unknown = malloc(6 * (size_t)net->node_count * sizeof(int)), size = 0, entries = 0;
    beam_neighbours(net, &first, &list);
    for (int i = 0; i < 6 * net->node_count; i++) {
        unknown[i] = net->held[i / 6] ? -1 : size++;
    }
    BeamMatrices b = {.start = calloc((size_t)size + 1, sizeof(int)),
                      .row = malloc(36 * (size_t)first[net->node_count] * sizeof(int))};
    for (int i = 0; i < 6 * net->node_count; i++) {
        for (int k = first[i / 6]; unknown[i] >= 0 && k < first[i / 6 + 1]; k++) {
            for (int c = 0; c < 6 && !net->held[list[k]]; c++) {
                b.row[entries++] = unknown[6 * list[k] + c];
            }
        }
        if (unknown[i] >= 0) {
            b.start[unknown[i] + 1] = entries;
        }
    }
    b.K = calloc((size_t)entries, sizeof(double)), b.M = calloc((size_t)entries, sizeof(double));
    beam_add(net, unknown, &b);
    b.problem = (CordEigenProblem){.size = size,
                                   .start = b.start,
                                   .row = b.row,
                                   .K = b.K,
                                   .M = b.M,
                                   .count = count,
                                   .shift = shift,
                                   .tolerance = 1e-12};
    free(first), free(list), free(unknown);
    return b;
}

static inline void beam_matrices_free(BeamMatrices* b)
{
    free(b->start), free(b->row), free(b->K), free(b->M);
}

#endif
