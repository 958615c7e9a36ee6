#include <cordage/modal.h>

#include "check.h"

// Measured on one core: 11.4 s with 8 modes and 25.1 s with 40 (cord_eigs), 0.50 GB and 0.54 GB (built in).
// Bounds are above, and not by more than twice.
TEST(a_surface_costs_what_was_measured_at_the_least)
{
    CordModalCost few = cord_modal_cost(9836, 29502, 8), many = cord_modal_cost(9836, 29502, 40);
    CHECK_NEAR(few.unknowns, 59016.0, 0.0);
    CHECK(few.seconds > 11.4 && few.seconds < 22.8);
    CHECK(few.memory > 0.50e9 && few.memory < 1.00e9);
    CHECK(many.seconds > 25.1 && many.seconds < 50.2);
    CHECK(many.memory > 0.54e9 && many.memory < 1.08e9);
}

// Twice the chain takes twice as much; twice the surface takes more than that.
TEST(only_loops_cost_more_than_their_number)
{
    CordModalCost chain = cord_modal_cost(1000, 999, 8), long_chain = cord_modal_cost(2000, 1999, 8);
    CHECK_NEAR(long_chain.seconds / chain.seconds, 2.0, 1e-12); // rounding
    CHECK_NEAR(long_chain.memory / chain.memory, 2.0, 1e-12);
    CordModalCost surface = cord_modal_cost(1000, 2994, 8), large = cord_modal_cost(2000, 5994, 8);
    CHECK(surface.seconds > chain.seconds && surface.memory > chain.memory);
    CHECK(large.seconds > 2.0 * surface.seconds && large.memory > 2.0 * surface.memory);
    CHECK(cord_modal_cost(1000, 10000, 8).memory > surface.memory);
}

TEST(the_smallest_network_has_a_cost)
{
    CordModalCost least = cord_modal_cost(1, 0, 0),
                  largest = cord_modal_cost(INT32_MAX, INT32_MAX, INT32_MAX);
    CHECK(least.seconds > 0.0 && least.memory > 0.0);
    CHECK(isfinite(largest.seconds) && isfinite(largest.memory));
}

TEST_GROUP(modal_cost)
