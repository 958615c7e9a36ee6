// Turns in a plane, of four vectors at a time.
#ifndef CORD_MATH_WIDE_TURN_H
#define CORD_MATH_WIDE_TURN_H

#include "math/wide3.h"

typedef struct Turn {
    CordWide cosine, sine;
} Turn;

WIDE_INLINE Turn any_turn(CordWide angle) // near enough to it: the angle whose half has the tangent angle/2
{
    CordWide half = wide_set(0.5) * angle, square = half * half;
    CordWide scale = wide_set(1.0) / (wide_set(1.0) + square);
    return (Turn){(wide_set(1.0) - square) * scale, (half + half) * scale};
}

WIDE_INLINE Wide3 turned3(Wide3 u, Wide3 v, Turn by)
{
    return madd3(mul3(u, by.cosine), v, by.sine);
}

#endif
