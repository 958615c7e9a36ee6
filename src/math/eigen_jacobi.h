// Eigenvalues of small symmetric matrices, by Jacobi's rotations.
#ifndef CORD_MATH_EIGEN_JACOBI_H
#define CORD_MATH_EIGEN_JACOBI_H

// a (n x n, row-major, symmetric) is destroyed. Eigenvalues ascending into values; eigenvectors, if vectors
// is not NULL, into its columns: that of values[k] has its i-th entry at vectors[i * n + k].
void eigen_jacobi(int n, double* a, double* values, double* vectors);

// Puts pairs in order of ascending eigenvalues. The k-th vector begins at vectors[k * vector], and its
// entries are `entry` apart; NULL: there are none.
void eigen_sort(int n, double* values, double* vectors, int vector, int entry);

#endif
