#include "open_rows.h"
TEST(nothing) {}
TEST_GROUP(contact_rest)
