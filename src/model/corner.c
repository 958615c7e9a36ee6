#include "model/corner.h"

void corner_terms_open(CornerTerms* terms, double* first, size_t stride)
{
    CornerGradient* g = &terms->gradient;
    CornerHessian* h = &terms->hessian;
    double** groups[] = {g->e, g->f, h->ee, h->ff, h->ef, h->e_phi_e, h->e_phi_f, h->f_phi_e, h->f_phi_f};
    static const int sizes[] = {3, 3, 6, 6, 9, 3, 3, 3, 3};
    double** singles[] = {&g->phi_e, &g->phi_f, &h->phi_ee, &h->phi_ef, &h->phi_ff};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < sizes[i]; k++, first += stride) {
            groups[i][k] = first;
        }
    }
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++, first += stride) {
        *singles[i] = first;
    }
}
