#include "sparse_lu.h"

#include <superlu/slu_ddefs.h>

#include <stdlib.h>

struct SparseLu {
    int n;
    double* entries;                      // of K - shift M
    int *column_place, *row_place, *tree; // permutations and elimination tree (n)
    SuperMatrix matrix, lower, upper;
    SuperLUStat_t count; // statistics of SuperLU
    bool has_matrix, has_factors;
};

static bool sparse_lu_reserve(SparseLu* f, const CordEigenProblem* p)
{
    size_t n = (size_t)p->size;
    f->n = p->size;
    f->entries = malloc((size_t)p->start[p->size] * sizeof(double));
    f->column_place = malloc(n * sizeof(int));
    f->row_place = malloc(n * sizeof(int));
    f->tree = malloc(n * sizeof(int));
    return f->entries && f->column_place && f->row_place && f->tree;
}

// SuperLU takes pointers that are not const, but does not write.
static int* indices(const int* array)
{
    union {
        const int* in;
        int* out;
    } pointer = {array};
    return pointer.out;
}

// The matrix is symmetric positive definite, so that pivots come from the diagonal, in minimum-degree order.
static int decompose(SparseLu* f)
{
    superlu_options_t options;
    set_default_options(&options);
    options.SymmetricMode = YES;
    options.ColPerm = MMD_AT_PLUS_A;
    options.DiagPivotThresh = 0.0;
    options.PrintStat = NO;
    SuperMatrix ordered;
    GlobalLU_t space;
    int info = 0;
    get_perm_c(MMD_AT_PLUS_A, &f->matrix, f->column_place);
    sp_preorder(&options, &f->matrix, f->column_place, f->tree, &ordered);
    dgstrf(&options, &ordered, sp_ienv(2), sp_ienv(1), f->tree, NULL, 0, f->column_place, f->row_place,
           &f->lower, &f->upper, &space, &f->count, &info);
    Destroy_CompCol_Permuted(&ordered);
    return info;
}

// Are all pivots positive? The diagonal of U is stored in the supernodes of L.
static bool is_positive(const SparseLu* f)
{
    const SCformat* l = f->lower.Store;
    const double* values = l->nzval;
    for (int j = 0; j < f->n; j++) {
        int offset = j - l->sup_to_col[l->col_to_sup[j]];
        if (f->row_place[j] != f->column_place[j] || !(values[l->nzval_colptr[j] + offset] > 0.0)) {
            return false;
        }
    }
    return true;
}

SparseLu* sparse_lu_create(const CordEigenProblem* p, CordResult* result)
{
    *result = CORD_NO_MEMORY;
    SparseLu* f = calloc(1, sizeof *f);
    if (!f || !sparse_lu_reserve(f, p)) {
        sparse_lu_destroy(f);
        return NULL;
    }
    for (int k = 0; k < p->start[p->size]; k++) {
        f->entries[k] = p->K[k] - p->shift * p->M[k];
    }
    StatInit(&f->count);
    dCreate_CompCol_Matrix(&f->matrix, f->n, f->n, p->start[p->size], f->entries, indices(p->row),
                           indices(p->start), SLU_NC, SLU_D, SLU_GE);
    f->has_matrix = true;
    int info = decompose(f);
    f->has_factors = info <= f->n; // above: it ran out of memory
    *result = info > f->n ? CORD_NO_MEMORY : info == 0 && is_positive(f) ? CORD_OK : CORD_BAD_ARGUMENT;
    if (*result != CORD_OK) {
        sparse_lu_destroy(f);
        return NULL;
    }
    return f;
}

void sparse_lu_destroy(SparseLu* f)
{
    if (!f) {
        return;
    }
    if (f->has_factors) {
        Destroy_SuperNode_Matrix(&f->lower);
        Destroy_CompCol_Matrix(&f->upper);
    }
    if (f->has_matrix) {
        Destroy_SuperMatrix_Store(&f->matrix);
        StatFree(&f->count);
    }
    free(f->entries), free(f->column_place), free(f->row_place), free(f->tree);
    free(f);
}

bool sparse_lu_solve(SparseLu* f, double* x)
{
    SuperMatrix right;
    int info = 0;
    dCreate_Dense_Matrix(&right, f->n, 1, x, f->n, SLU_DN, SLU_D, SLU_GE);
    dgstrs(NOTRANS, &f->lower, &f->upper, f->column_place, f->row_place, &right, &f->count, &info);
    Destroy_SuperMatrix_Store(&right);
    return info == 0;
}
