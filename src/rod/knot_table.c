#include "rod/knot_table.h"

typedef const signed char Points[][2];

#define STRAND(array, heights_along, is_closed)                                                              \
    {                                                                                                        \
        .points = array, .point_count = (int)(sizeof(array) / sizeof *(array)), .heights = heights_along,    \
        .closed = is_closed                                                                                  \
    }
#define OPEN(array, heights_along) STRAND(array, heights_along, false)
#define CLOSED(array, heights_along) STRAND(array, heights_along, true)

// ---- stopper knots

// Two strands that cross three times, under a loop.
static Points overhand = {{-14, 0}, {-10, 0}, {-6, 2}, {-3, 4},  {0, 2},  {3, 0},  {6, 2},
                          {9, 6},   {6, 11},  {0, 13}, {-6, 11}, {-9, 6}, {-6, 2}, {-3, 0},
                          {0, 2},   {3, 4},   {6, 2},  {10, 0},  {14, 0}};

// The eight lies on its side; each tail comes out through the middle of a loop.
static Points figure_eight = {{-20, 0},  {-16, 0}, {-12, 0}, {-6, 0}, {0, 3},  {6, 6},   {11, 4},
                              {12, 0},   {11, -4}, {6, -6},  {0, 0},  {-6, 6}, {-11, 4}, {-12, 0},
                              {-11, -4}, {-6, -6}, {0, -3},  {6, 0},  {12, 0}, {16, 0},  {20, 0}};

// Four crossings of the two strands of a loop, through which the end is led.
static Points stevedore = {{-24, -4}, {-18, -4}, {-12, 0}, {-9, 3},  {-6, 0},  {-3, -3}, {0, 0},   {3, 3},
                           {6, 0},    {9, -3},   {14, -4}, {18, 0},  {14, 4},  {9, 3},   {6, 0},   {3, -3},
                           {0, 0},    {-3, 3},   {-6, 0},  {-9, -3}, {-12, 0}, {-16, 4}, {-14, 9}, {-6, 10},
                           {6, 10},   {12, 9},   {14, 4},  {14, 0},  {14, -4}, {16, -8}, {20, -9}, {24, -9}};

// The end goes around twice and comes back through all its turns, beside the standing part.
static Points double_overhand = {{-12, 2}, {-6, 2},  {4, 2},   {12, 2},  {16, 3},  {18, 6}, {16, 9}, {13, 8},
                                 {12, 2},  {12, -2}, {11, -5}, {10, -2}, {10, 2},  {9, 5},  {8, 2},  {8, -2},
                                 {7, -5},  {6, -2},  {6, 2},   {5, 5},   {4, 2},   {4, -2}, {3, -8}, {0, -9},
                                 {-2, -6}, {0, -3},  {4, -2},  {12, -2}, {18, -2}, {24, -2}};

// ---- two ropes tied together

// A loop of each rope holds both legs of the other's.
static Points reef_left = {{-20, 3}, {-12, 3}, {-7, 3}, {-3, 3}, {0, 5},   {3, 7},   {6, 6},    {7, 3},
                           {7, -3},  {6, -6},  {3, -7}, {0, -5}, {-3, -3}, {-7, -3}, {-12, -3}, {-20, -3}};
static Points reef_right = {{20, 3},  {12, 3},  {7, 3},   {3, 3},  {0, 5},  {-3, 7}, {-6, 6},  {-7, 3},
                            {-7, -3}, {-6, -6}, {-3, -7}, {0, -5}, {3, -3}, {7, -3}, {12, -3}, {20, -3}};
// The same in one rope, as around a parcel.
static Points reef_around = {{-20, 3},  {-12, 3},  {-7, 3},    {-3, 3},    {0, 5},   {3, 7},    {6, 6},
                             {7, 3},    {7, -3},   {6, -6},    {3, -7},    {0, -5},  {-3, -3},  {-7, -3},
                             {-12, -3}, {-16, -6}, {-16, -12}, {-10, -16}, {0, -17}, {10, -16}, {16, -12},
                             {16, -6},  {12, -3},  {7, -3},    {3, -3},    {0, -5},  {-3, -7},  {-6, -6},
                             {-7, -3},  {-7, 3},   {-6, 6},    {-3, 7},    {0, 5},   {3, 3},    {7, 3},
                             {12, 3},   {20, 3}};

// The second rope comes up through a loop of the first, goes around behind both its legs, and under itself.
static Points bend_loop = {{-22, 4}, {-16, 4}, {-8, 4}, {-1, 4}, {4, 4},   {8, 4},    {12, 3},
                           {13, 0},  {12, -3}, {8, -4}, {2, -4}, {-8, -4}, {-16, -4}, {-22, -4}};
static Points bend_hitch = {{24, 0}, {18, 0}, {13, 0}, {5, 0},   {1, 1},   {-1, 4},  {-3, 8},
                            {-6, 9}, {-8, 7}, {-8, 4}, {-8, -4}, {-8, -7}, {-6, -9}, {-2, -8},
                            {2, -4}, {5, 0},  {7, 4},  {8, 8},   {8, 14}};

// Each rope is tied in a double overhand knot around the other; a half turn maps one on the other.
static Points fisherman_left = {{-36, 0}, {-28, 0}, {-6, 0},  {6, 4},    {12, 4},  {20, 4},  {24, 5},
                                {26, 8},  {24, 11}, {21, 10}, {20, 4},   {20, -4}, {19, -7}, {18, -4},
                                {18, 4},  {17, 7},  {16, 4},  {16, -4},  {15, -7}, {14, -4}, {14, 4},
                                {13, 7},  {12, 4},  {12, -4}, {11, -10}, {8, -11}, {6, -8},  {8, -5},
                                {12, -4}, {20, -4}, {28, -4}, {36, -4}};
static Points fisherman_right = {
    {36, 0},    {28, 0},    {6, 0},    {-6, -4}, {-12, -4}, {-20, -4}, {-24, -5}, {-26, -8},
    {-24, -11}, {-21, -10}, {-20, -4}, {-20, 4}, {-19, 7},  {-18, 4},  {-18, -4}, {-17, -7},
    {-16, -4},  {-16, 4},   {-15, 7},  {-14, 4}, {-14, -4}, {-13, -7}, {-12, -4}, {-12, 4},
    {-11, 10},  {-8, 11},   {-6, 8},   {-8, 5},  {-12, 4},  {-20, 4},  {-28, 4},  {-36, 4}};

// ---- loops

// A sheet bend of a rope with itself: the loop goes from the hitch to the far leg.
static Points bowline = {{24, 0},   {18, 0},   {13, 0},  {5, 0},   {1, 1},    {-1, 4},   {-3, 8},  {-6, 9},
                         {-8, 7},   {-8, 4},   {-8, -4}, {-8, -7}, {-6, -9},  {-2, -8},  {2, -4},  {5, 0},
                         {7, 4},    {8, 9},    {4, 15},  {-6, 18}, {-18, 17}, {-27, 11}, {-30, 4}, {-28, -2},
                         {-22, -5}, {-15, -5}, {-8, -4}, {2, -4},  {8, -4},   {12, -3},  {13, 0},  {12, 3},
                         {8, 4},    {4, 4},    {-1, 4},  {-8, 4},  {-16, 4},  {-30, 4},  {-38, 4}};

// A square knot of which both ends are led back as loops: ears on both sides, ends below them; the rest goes
// around below.
static Points shoelace = {
    {-32, -12}, {-24, -9}, {-17, -4}, {-11, 1},   {-5, 7},    {1, 1},     {5, -3},    {9, 1},     {15, 7},
    {24, 13},   {34, 13},  {37, 7},   {32, 3},    {24, 6},    {17, 5},    {11, -1},   {5, -7},    {-1, -1},
    {-5, 3},    {-9, -1},  {-15, -8}, {-16, -13}, {-10, -19}, {-6, -22},  {-3, -24},  {0, -22},   {3, -20},
    {6, -22},   {10, -26}, {15, -32}, {12, -40},  {0, -44},   {-12, -40}, {-15, -32}, {-10, -26}, {-6, -22},
    {-3, -20},  {0, -22},  {3, -24},  {6, -22},   {10, -19},  {16, -13},  {15, -8},   {9, -1},    {5, 3},
    {1, -1},    {-5, -7},  {-11, -1}, {-17, 5},   {-24, 6},   {-32, 3},   {-37, 7},   {-34, 13},  {-24, 13},
    {-15, 7},   {-9, 1},   {-5, -3},  {-1, 1},    {5, 7},     {11, 1},    {17, -4},   {24, -9},   {32, -12}};

// ---- hitches

// A cord around a rope, three turns to each side, all under the bridge that joins the two halves.
static Points standing_rope = {{-24, 0}, {-18, 0}, {18, 0}, {24, 0}};
static Points prusik_cord = {
    {-4, -20}, {-2, -12}, {-2, -4},   {-2, 0},   {-3, 3},   {-4, 0},   {-4, -4}, {-5, -7}, {-6, -4},
    {-6, 0},   {-7, 3},   {-8, 0},    {-8, -4},  {-9, -7},  {-10, -4}, {-10, 0}, {-11, 3}, {-12, 0},
    {-12, -4}, {-13, -9}, {-16, -10}, {-18, -7}, {-16, -5}, {-12, -4}, {-6, -4}, {6, -4},  {12, -4},
    {16, -5},  {18, -7},  {16, -10},  {13, -9},  {12, -4},  {12, 0},   {11, 3},  {10, 0},  {10, -4},
    {9, -7},   {8, -4},   {8, 0},     {7, 3},    {6, 0},    {6, -4},   {5, -7},  {4, -4},  {4, 0},
    {3, 3},    {2, 0},    {2, -4},    {2, -12},  {4, -20},  {3, -25},  {0, -27}, {-3, -25}};

// Around a pole, and once more the same way, over the first turn and under its own.
static Points clove_hitch = {{-22, -3}, {-12, -3}, {-4, -3}, {0, -3}, {8, -5}, {0, -8}, {-8, -8}, {0, 0},
                             {8, 8},    {0, 8},    {-8, 5},  {0, 3},  {4, 3},  {12, 3}, {22, 3}};

#define PRUSIK_CORD "22bb22bb22bb444444444444bb22bb22bb22"
#define FISHERMAN "0000000000222bbb222bbb22200000"

const KnotDrawing knot_drawings[] = {
    {"overhand", {OPEN(overhand, "ououou")}, 1, 2.0, 0.0},
    {"figure_eight", {OPEN(figure_eight, "ouououou")}, 1, 1.8, 0.0},
    {"stevedore", {OPEN(stevedore, "ouououououou")}, 1, 2.2, 0.0},
    {"double_overhand", {OPEN(double_overhand, "0000022bb22bb2200000")}, 1, 1.6, 0.0},
    {"square", {OPEN(reef_left, "ouoouo"), OPEN(reef_right, "uouuou")}, 2, 2.1, 0.0},
    {"granny", {OPEN(reef_left, "ououou"), OPEN(reef_right, "uououo")}, 2, 1.8, 0.0},
    {"square_loop", {OPEN(reef_around, "ouoouououuou")}, 1, 2.1, 0.0},
    {"granny_loop", {OPEN(reef_around, "ouououououou")}, 1, 1.8, 0.0},
    {"sheet_bend", {OPEN(bend_loop, "ouuouo"), OPEN(bend_hitch, "uoouuouo")}, 2, 1.5, 0.0},
    {"double_fisherman", {OPEN(fisherman_left, FISHERMAN), OPEN(fisherman_right, FISHERMAN)}, 2, 1.8, 0.0},
    {"bowline", {OPEN(bowline, "uoouuououououuoo")}, 1, 1.5, 0.0},
    {"shoelace", {OPEN(shoelace, "oouuoooouuooouououuuoouuuuoouu")}, 1, 1.4, 0.0},
    {"prusik", {OPEN(standing_rope, "000000000000"), CLOSED(prusik_cord, PRUSIK_CORD)}, 2, 1.6, 0.0},
    {"clove_hitch", {OPEN(clove_hitch, "44d666d44")}, 1, 1.25, 3.0},
};
const int knot_drawing_count = (int)(sizeof knot_drawings / sizeof *knot_drawings);
