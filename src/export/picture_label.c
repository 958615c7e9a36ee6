// Labels of a picture, in a small stroke font: the time and the grid's spacing in the lower corners, the
// names of groups of rods in the upper left one.
#include "export/picture.h"

#include "export/geometry.h"

#include <stdio.h>
#include <stdlib.h>

// Strokes from point to point; a space lifts the pen. A point is two digits: x from 0 to 4, and y from 0 (the
// foot of a g) over 2 (the base line) and 6 (the height of a small letter) to 8 (the height of a digit).
typedef struct Glyph {
    char letter;
    const char* strokes;
} Glyph;

static const Glyph glyphs[] = {
    {'0', "120307183847433212"},
    {'1', "1728221232"},
    {'2', "07183847460242"},
    {'3', "07183847463515 354443321203"},
    {'4', "3832 380444"},
    {'5', "480805354443321203"},
    {'6', "3818070312324344351504"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "1232434738180706153546"},
    {'.', "2222"},
    {'-', "1535"},
    {'+', "0545 2327"},
    {'=', "0444 0646"},
    {'_', "0141"},
    {'a', "4642 4536160503123243"},
    {'b', "0802 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4248 453616050312324342"},
    {'e', "044445361605031242"},
    {'f', "48382722 1636"},
    {'g', "46413010 4536160503123243"},
    {'h', "0208 0516364542"},
    {'i', "2226 2828"},
    {'j', "36312010 3838"},
    {'k', "0208 4604 1542"},
    {'l', "282332"},
    {'m', "0206 05162522 25364542"},
    {'n', "0206 05163645 4542"},
    {'o', "120305163645433212"},
    {'p', "0600 0516364543321203"},
    {'q', "4640 4536160503123243"},
    {'r', "0206 041636"},
    {'s', "461605143443321202"},
    {'t', "18132232 0636"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612253246"},
    {'x', "0642 0246"},
    {'y', "0622 4610"},
    {'z', "06460242"},
    {'\xb5', "0006 03123243 4642"}, // micro
};

enum {
    BASE = 2,   // base line
    TALL = 6,   // height of a digit above it
    ADVANCE = 6 // from one letter to the next
};

typedef struct Pen { // where text is drawn
    uint8_t* rgb;
    int width, height; // of the picture [pixels]
    double unit;       // of the font's grid [pixels]
    double x, y;       // left end of the base line [pixels]
} Pen;

static const char* glyph_strokes(char letter)
{
    for (size_t k = 0; k < sizeof glyphs / sizeof *glyphs; k++) {
        if (glyphs[k].letter == letter) {
            return glyphs[k].strokes;
        }
    }
    return "";
}

// All digits have the same width, so that a running time does not jump. A point, an i and an l are narrow.
static double letter_advance(char letter)
{
    return letter == '.' || letter == 'i' || letter == 'l' ? 3.0 : letter == ' ' ? 4.0 : (double)ADVANCE;
}

static double letter_indent(char letter)
{
    return letter == '.' || letter == 'i' || letter == 'l' ? -1.5 : 0.0;
}

static double text_advance(const char* text)
{
    double sum = 0;
    for (const char* c = text; *c; c++) {
        sum += letter_advance(*c);
    }
    return sum - 2.0; // without the gap after the last letter
}

static double segment_distance(double x, double y, const char* a, const char* b)
{
    double ax = a[0] - '0', ay = a[1] - '0', bx = b[0] - '0', by = b[1] - '0';
    double ex = bx - ax, ey = by - ay, length2 = ex * ex + ey * ey;
    double s = length2 > 0 ? clamp(((x - ax) * ex + (y - ay) * ey) / length2, 0.0, 1.0) : 0.0;
    return hypot(x - ax - s * ex, y - ay - s * ey);
}

static double strokes_distance(const char* strokes, double x, double y)
{
    double least = INFINITY;
    for (const char* p = strokes; p[0] && p[1] && p[2];) {
        if (p[2] == ' ') {
            p += 3;
        } else {
            least = fmin(least, segment_distance(x, y, p, p + 2));
            p += 2;
        }
    }
    return least;
}

// Dark ink with a thin light rim, so that it is readable on any background.
static void pixel_ink(uint8_t* rgb, double distance, double unit)
{
    static const double ink[3] = {84, 92, 104}, rim = 240;
    double in_rim = 0.6 * clamp(0.5 + (1.6 - distance) * unit, 0.0, 1.0);
    double in_ink = clamp(0.5 + (0.45 - distance) * unit, 0.0, 1.0);
    for (int i = 0; i < 3; i++) {
        double c = rgb[i];
        c += in_rim * (fmax(rim, c) - c);
        c += in_ink * (ink[i] - c);
        rgb[i] = (uint8_t)(c + 0.5);
    }
}

static void pen_letter(const Pen* pen, char letter)
{
    const char* strokes = glyph_strokes(letter);
    double x0 = pen->x + letter_indent(letter) * pen->unit;
    int from_x = (int)floor(x0 - 2 * pen->unit), to_x = (int)ceil(x0 + 6 * pen->unit);
    int from_y = (int)floor(pen->y - 8 * pen->unit), to_y = (int)ceil(pen->y + 4 * pen->unit);
    for (int y = from_y < 0 ? 0 : from_y; y < to_y && y < pen->height; y++) {
        for (int x = from_x < 0 ? 0 : from_x; x < to_x && x < pen->width; x++) {
            double gx = (x + 0.5 - x0) / pen->unit, gy = BASE + (pen->y - y - 0.5) / pen->unit;
            double distance = strokes_distance(strokes, gx, gy);
            if (distance < 3.0) {
                pixel_ink(&pen->rgb[3 * ((size_t)y * (size_t)pen->width + (size_t)x)], distance, pen->unit);
            }
        }
    }
}

static void pen_text(Pen pen, const char* text)
{
    for (const char* c = text; *c; c++) {
        pen_letter(&pen, *c);
        pen.x += letter_advance(*c) * pen.unit;
    }
}

typedef struct Unit {
    double size;
    const char* name;
} Unit;

// The largest unit of which the value is at least a tenth, or the smallest unit.
static const Unit* unit_for(const Unit* units, int count, double value)
{
    int k = 0;
    while (k < count - 1 && value < 0.0999 * units[k].size) {
        k++;
    }
    return &units[k];
}

// Digits are made from integers, because the library's decimal separator depends on the locale.
static void time_text(double time, double span, char* text, size_t size)
{
    static const Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\xb5s"}};
    const Unit* unit = span > 0 ? unit_for(units, 3, span) : &units[0];
    long long hundredths = llround(clamp(100.0 * time / unit->size, -1e15, 1e15));
    long long whole = llabs(hundredths) / 100, part = llabs(hundredths) % 100;
    snprintf(text, size, "t = %s%lld.%02lld %s", hundredths < 0 ? "-" : "", whole, part, unit->name);
}

static void grid_text(double metres, char* text, size_t size)
{
    static const Unit units[] = {{1e3, "km"}, {1, "m"}, {1e-3, "mm"}, {1e-6, "\xb5m"}, {1e-9, "nm"}};
    const Unit* unit = metres < 500.0 ? unit_for(units + 1, 4, metres) : units;
    double value = clamp(metres / unit->size, 0, 1e15);
    if (value > 0.95) {
        snprintf(text, size, "grid %lld %s", llround(value), unit->name);
    } else {
        snprintf(text, size, "grid 0.%lld %s", llround(10.0 * value), unit->name);
    }
}

static double label_unit(int height) // of the font's grid [pixels]
{
    return fmax(1.0, height * 0.0165 / TALL);
}

static bool has_room(int width, int height) // is the picture large enough for text?
{
    return height >= 100 && width >= 100 * label_unit(height);
}

void picture_label_draw(const PictureStage* stage, double time, double span, int width, int height,
                        uint8_t* rgb)
{
    double unit = label_unit(height);
    if (!has_room(width, height) || !isfinite(time)) {
        return;
    }
    char text[64];
    Pen pen = {rgb, width, height, unit, 0, height - 9.0 * unit};
    time_text(time, span, text, sizeof text);
    pen.x = width - (10.0 + text_advance(text)) * unit;
    pen_text(pen, text);
    if (stage->floor) {
        grid_text(stage->grid_metres, text, sizeof text);
        pen.x = 10.0 * unit;
        pen_text(pen, text);
    }
}

// ---- the legend

// A short piece of the rod: its light colour between two strong strands.
static void swatch_draw(const Pen* pen, int group)
{
    int from_x = (int)pen->x, to_x = (int)(pen->x + 12.0 * pen->unit);
    int from_y = (int)(pen->y - 5.0 * pen->unit), to_y = (int)(pen->y + 1.0 * pen->unit),
        third = (to_y - from_y) / 3;
    for (int y = from_y < 0 ? 0 : from_y; y < to_y && y < pen->height; y++) {
        bool light = y >= from_y + third && y < to_y - third;
        uint32_t color = picture_stage_pair(group, light);
        for (int x = from_x; x < to_x && x < pen->width; x++) {
            uint8_t* pixel = &pen->rgb[3 * ((size_t)y * (size_t)pen->width + (size_t)x)];
            pixel[0] = (uint8_t)(color >> 16);
            pixel[1] = (uint8_t)(color >> 8);
            pixel[2] = (uint8_t)color;
        }
    }
}

void picture_legend_draw(const PictureStage* stage, int width, int height, uint8_t* rgb)
{
    double unit = label_unit(height);
    Pen pen = {rgb, width, height, unit, 10.0 * unit, 15.0 * unit};
    for (int k = 0; k < stage->group_count && has_room(width, height) && pen.y < height; k++) {
        if (stage->groups[k].name) {
            swatch_draw(&pen, k);
            Pen text = pen;
            text.x += 17.0 * unit;
            pen_text(text, stage->groups[k].name);
            pen.y += 12.0 * unit;
        }
    }
}
