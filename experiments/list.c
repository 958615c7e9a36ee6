// All experiments, in the order in which they are listed.
#include "lab.h"

extern const Experiment experiment_theory, experiment_overhand, experiment_square_knot, experiment_der_fig1,
    experiment_der_fig2, experiment_der_fig5, experiment_der_fig6, experiment_der_fig7, experiment_der_fig8,
    experiment_der_fig9, experiment_der_fig10, experiment_der_fig11, experiment_der_fig12,
    experiment_der_table1, experiment_corde_fig1, experiment_corde_fig5, experiment_corde_fig6,
    experiment_corde_fig7, experiment_corde_table1, experiment_acm_fig1, experiment_acm_fig3,
    experiment_acm_fig4, experiment_acm_fig5, experiment_acm_fig6, experiment_acm_fig7, experiment_acm_table1,
    experiment_pber_fig3, experiment_mw_fig3, experiment_mw_fig4, experiment_mw_fig5, experiment_mw_fig6,
    experiment_mw_fig7;

static const Experiment* const experiments[] = {
    &experiment_theory,       &experiment_overhand,   &experiment_square_knot,
    &experiment_der_fig1,     &experiment_der_fig2,   &experiment_der_fig5,
    &experiment_der_fig6,     &experiment_der_fig7,   &experiment_der_fig8,
    &experiment_der_fig9,     &experiment_der_fig10,  &experiment_der_fig11,
    &experiment_der_fig12,    &experiment_der_table1, &experiment_corde_fig1,
    &experiment_corde_fig5,   &experiment_corde_fig6, &experiment_corde_fig7,
    &experiment_corde_table1, &experiment_acm_fig1,   &experiment_acm_fig3,
    &experiment_acm_fig4,     &experiment_acm_fig5,   &experiment_acm_fig6,
    &experiment_acm_fig7,     &experiment_acm_table1, &experiment_pber_fig3,
    &experiment_mw_fig3,      &experiment_mw_fig4,    &experiment_mw_fig5,
    &experiment_mw_fig6,      &experiment_mw_fig7,    NULL,
};

const Experiment* lab_experiment(int index)
{
    return experiments[index];
}
