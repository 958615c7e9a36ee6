// Eigenvalues of small symmetric matrices, by the cyclic Jacobi method (Golub and Van Loan, Matrix
// Computations, 4th edition, section 8.5).
// O(n^3) a sweep; convergence is quadratic.
#ifndef CORD_MATH_EIGEN_JACOBI_H
#define CORD_MATH_EIGEN_JACOBI_H

// a (n x n, row-major, symmetric) is destroyed. Writes ascending eigenvalues to values, and, if vectors is
// not NULL, the eigenvector of values[k] to column k of it: entry i is vectors[i * n + k].
void eigen_jacobi(int n, double* a, double* values, double* vectors);

// Sorts eigenpairs by ascending eigenvalue. Vector k begins at vectors[k * vector], and its entries are
// `entry` apart; vectors may be NULL.
void eigen_sort(int n, double* values, double* vectors, int vector, int entry);

// Givens rotation of two vectors of n entries that are `stride` apart: (p, q) becomes (c p - s q, s p + c q).
static inline void eigen_rotate(int n, double* p, double* q, int stride, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double u = p[i * stride], v = q[i * stride];
        p[i * stride] = c * u - s * v;
        q[i * stride] = s * u + c * v;
    }
}

#endif
