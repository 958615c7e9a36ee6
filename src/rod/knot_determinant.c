// The determinant of a knot diagram: that of its (Fox) colouring matrix less a row and a column. Arcs run
// from one undercrossing to the next, and each crossing has the row 2 over - from - to. It is computed by
// sparse Gaussian elimination modulo primes (Markowitz order), and from enough of them by the Chinese
// remainder theorem.
#include "rod/knot.h"

#define PRIME_BITS 30  // each prime has at least this many
#define MOST_PRIMES 16 // enough for 480 crossings
#define NONE (-1)

// The largest below 2^31. A search for them would take longer than all else of a simple knot.
static const uint64_t primes[MOST_PRIMES] = {
    2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497,
    2147483489, 2147483477, 2147483423, 2147483399, 2147483353, 2147483323, 2147483269, 2147483249};

typedef struct Entry {
    int column;
    uint32_t value;
} Entry;

typedef struct ColumnRow { // a row that has, or had, an entry in the column
    int row, next;
} ColumnRow;

// Rows of a sparse matrix modulo a prime during elimination. New rows are written at the end of a pool.
typedef struct Sparse {
    Memory* m;
    uint64_t prime;
    int n;
    Entry* pool;
    int used, capacity;
    ColumnRow* column_rows;
    int column_row_count, column_row_capacity;
    int *start, *count;  // entries of a row in the pool, by column      (n)
    int* pivot;          // column that a row was the pivot row of; NONE (n)
    int *first, *held;   // first row of a column, and how many          (n)
    int* bucket;         // first row with so many entries               (n + 1)
    int *before, *after; // neighbours of a row in its bucket            (n)
    int* block;
} Sparse;

// ---- arithmetic

static uint64_t power(uint64_t a, uint64_t exponent, uint64_t p)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        result = exponent % 2 ? result * a % p : result;
        a = a * a % p;
    }
    return result;
}

static uint64_t inverse(uint64_t a, uint64_t p)
{
    return power(a % p, p - 2, p);
}

// ---- sparse rows

static void bucket_remove(Sparse* s, int row)
{
    int a = s->before[row], b = s->after[row];
    if (a >= 0) {
        s->after[a] = b;
    } else {
        s->bucket[s->count[row]] = b;
    }
    if (b >= 0) {
        s->before[b] = a;
    }
}

static void bucket_insert(Sparse* s, int row)
{
    int* first = &s->bucket[s->count[row]];
    s->before[row] = NONE;
    s->after[row] = *first;
    if (*first >= 0) {
        s->before[*first] = row;
    }
    *first = row;
}

static bool link_column(Sparse* s, int column, int row)
{
    if (!memory_grow(s->m, (void**)&s->column_rows, s->column_row_count, &s->column_row_capacity,
                     sizeof *s->column_rows)) {
        return false;
    }
    s->column_rows[s->column_row_count] = (ColumnRow){row, s->first[column]};
    s->first[column] = s->column_row_count++;
    s->held[column]++;
    return true;
}

// Makes room for `more` entries at the end of the pool. If it is full, the rows in use move to a new one.
static bool pool_room(Sparse* s, int more)
{
    if (s->used + more <= s->capacity) {
        return true;
    }
    int live = 0;
    for (int r = 0; r < s->n; r++) {
        live += s->pivot[r] == NONE ? s->count[r] : 0;
    }
    int capacity = 2 * (live + more) + 64;
    Entry* pool = memory_array(s->m, Entry, capacity);
    if (!pool) {
        return false;
    }
    int used = 0;
    for (int r = 0; r < s->n; r++) {
        for (int k = 0; s->pivot[r] == NONE && k < s->count[r]; k++) {
            pool[used + k] = s->pool[s->start[r] + k];
        }
        s->start[r] = s->pivot[r] == NONE ? used : 0;
        used += s->pivot[r] == NONE ? s->count[r] : 0;
    }
    memory_array_free(s->m, s->pool, s->capacity);
    s->pool = pool;
    s->used = used;
    s->capacity = capacity;
    return true;
}

static const Entry* row_entry(const Sparse* s, int row, int column)
{
    int low = s->start[row], high = low + s->count[row];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->pool[middle].column < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < s->start[row] + s->count[row] && s->pool[low].column == column;
    return found ? &s->pool[low] : NULL;
}

// ---- elimination

// row += factor times the pivot's row.
static bool row_add(Sparse* s, int row, int pivot, uint64_t factor)
{
    if (!pool_room(s, s->count[row] + s->count[pivot])) {
        return false;
    }
    const Entry *a = s->pool + s->start[row], *b = s->pool + s->start[pivot];
    const Entry *a_end = a + s->count[row], *b_end = b + s->count[pivot];
    Entry* sum = s->pool + s->used;
    int count = 0;
    while (a < a_end || b < b_end) {
        int column = b == b_end || (a < a_end && a->column < b->column) ? a->column : b->column;
        bool in_a = a < a_end && a->column == column, in_b = b < b_end && b->column == column;
        uint64_t value = ((in_a ? a->value : 0) + (in_b ? factor * b->value : 0)) % s->prime;
        if (value > 0) {
            sum[count++] = (Entry){column, (uint32_t)value};
        }
        if (!in_a && value > 0 && !link_column(s, column, row)) {
            return false;
        }
        a += in_a, b += in_b;
    }
    bucket_remove(s, row);
    s->start[row] = s->used;
    s->count[row] = count;
    s->used += count;
    bucket_insert(s, row);
    return true;
}

// Markowitz order, which keeps fill low: one of the shortest rows, and in it the column with fewest rows.
static int choose_row(const Sparse* s)
{
    for (int size = 0; size <= s->n; size++) {
        if (s->bucket[size] >= 0) {
            return s->bucket[size];
        }
    }
    return NONE;
}

static Entry choose_entry(const Sparse* s, int row)
{
    const Entry *entries = s->pool + s->start[row], *best = entries;
    for (int k = 1; k < s->count[row]; k++) {
        best = s->held[entries[k].column] < s->held[best->column] ? &entries[k] : best;
    }
    return *best;
}

static bool eliminate(Sparse* s, int pivot_row, Entry pivot)
{
    bucket_remove(s, pivot_row);
    uint64_t scale = s->prime - inverse(pivot.value, s->prime);
    for (int k = s->first[pivot.column]; k != NONE; k = s->column_rows[k].next) {
        int row = s->column_rows[k].row;
        const Entry* entry =
            row == pivot_row || s->pivot[row] != NONE ? NULL : row_entry(s, row, pivot.column);
        if (entry && !row_add(s, row, pivot_row, entry->value * scale % s->prime)) {
            return false;
        }
    }
    s->pivot[pivot_row] = pivot.column;
    return true;
}

// Are the pivots' columns, row by row, an odd permutation? Overwrites s->pivot.
static bool pivots_are_odd(Sparse* s)
{
    bool odd = false;
    for (int r = 0; r < s->n; r++) {
        while (s->pivot[r] != r) {
            int other = s->pivot[r];
            s->pivot[r] = s->pivot[other];
            s->pivot[other] = other;
            odd = !odd;
        }
    }
    return odd;
}

static bool sparse_determinant(Sparse* s, uint64_t* determinant)
{
    uint64_t product = 1;
    for (int step = 0; step < s->n; step++) {
        int row = choose_row(s);
        if (s->count[row] == 0) {
            *determinant = 0;
            return true;
        }
        Entry pivot = choose_entry(s, row);
        product = product * pivot.value % s->prime;
        if (!eliminate(s, row, pivot)) {
            return false;
        }
    }
    *determinant = pivots_are_odd(s) ? (s->prime - product) % s->prime : product;
    return true;
}

// ---- the matrix of a diagram

static bool sparse_create(Memory* m, Sparse* s, int n)
{
    *s = (Sparse){.m = m, .n = n};
    s->block = memory_array(m, int, 9 * (size_t)n + 1);
    if (!s->block) {
        return false;
    }
    int** const arrays[] = {&s->start, &s->count,  &s->pivot, &s->first,
                            &s->held,  &s->before, &s->after, &s->bucket};
    for (int k = 0; k < 8; k++) {
        *arrays[k] = s->block + (size_t)k * (size_t)n;
    }
    return true;
}

static void sparse_destroy(Sparse* s)
{
    memory_array_free(s->m, s->column_rows, s->column_row_capacity);
    memory_array_free(s->m, s->pool, s->capacity);
    memory_array_free(s->m, s->block, 9 * (size_t)s->n + 1);
}

typedef struct Crossing { // arcs that meet at a crossing
    int over, from, to;
} Crossing;

static void find_arcs(const KnotDiagram* d, Crossing* crossings)
{
    int arc = 0;
    for (int i = 0; i < 2 * d->crossing_count; i++) {
        Crossing* here = &crossings[d->passes[i].crossing];
        if (d->passes[i].over) {
            here->over = arc;
        } else {
            here->from = arc;
            arc = arc + 1 < d->crossing_count ? arc + 1 : 0;
            here->to = arc;
        }
    }
}

// Adds to an entry of the last row of the pool, which is sorted by column.
static void last_row_add(Sparse* s, int row, int column, uint64_t value)
{
    if (column == s->n) {
        return; // the column that is left out
    }
    int k = s->start[row] + s->count[row];
    while (k > s->start[row] && s->pool[k - 1].column > column) {
        k--;
    }
    if (k > s->start[row] && s->pool[k - 1].column == column) {
        s->pool[k - 1].value = (uint32_t)((s->pool[k - 1].value + value) % s->prime);
        return;
    }
    for (int l = s->start[row] + s->count[row]; l > k; l--) {
        s->pool[l] = s->pool[l - 1];
    }
    s->pool[k] = (Entry){column, (uint32_t)value};
    s->count[row]++;
}

static void last_row_drop_zeros(Sparse* s, int row)
{
    int kept = 0;
    for (int k = 0; k < s->count[row]; k++) {
        Entry entry = s->pool[s->start[row] + k];
        if (entry.value > 0) {
            s->pool[s->start[row] + kept++] = entry;
        }
    }
    s->count[row] = kept;
}

static bool sparse_fill(Sparse* s, const Crossing* crossings, uint64_t prime)
{
    s->prime = prime;
    s->used = s->column_row_count = 0;
    for (int k = 0; k < s->n; k++) {
        s->start[k] = s->count[k] = s->held[k] = 0;
        s->pivot[k] = s->first[k] = s->bucket[k] = NONE;
    }
    s->bucket[s->n] = NONE;
    for (int row = 0; row < s->n; row++) {
        if (!pool_room(s, 3)) {
            return false;
        }
        s->start[row] = s->used;
        last_row_add(s, row, crossings[row].over, 2);
        last_row_add(s, row, crossings[row].from, prime - 1);
        last_row_add(s, row, crossings[row].to, prime - 1);
        last_row_drop_zeros(s, row);
        s->used += s->count[row];
        for (int k = 0; k < s->count[row]; k++) {
            if (!link_column(s, s->pool[s->start[row] + k].column, row)) {
                return false;
            }
        }
        bucket_insert(s, row);
    }
    return true;
}

// ---- Chinese remainder theorem

// Primes whose product is far beyond 2^64, so that remainders determine a number of 63 bits and a sign.
#define KNOWN 3

// Garner's algorithm: the number of 63 bits with these remainders, or -1 if there is none.
static int64_t chinese_remainder(const uint64_t prime[KNOWN], const uint64_t rest[KNOWN])
{
    uint64_t a = rest[0];
    uint64_t b = (rest[1] + prime[1] - a % prime[1]) % prime[1] * inverse(prime[0], prime[1]) % prime[1];
    uint64_t low = (a + b % prime[2] * prime[0]) % prime[2];
    uint64_t both = prime[0] % prime[2] * (prime[1] % prime[2]) % prime[2];
    uint64_t c = (rest[2] + prime[2] - low) % prime[2] * inverse(both, prime[2]) % prime[2];
    if (c > 1) {
        return -1; // beyond 2^62 already
    }
    uint64_t number = a + b * prime[0] + c * (prime[0] * prime[1]); // below 2^63 + 2^62
    return number <= INT64_MAX ? (int64_t)number : -1;
}

static bool signed_chinese_remainder(const uint64_t prime[KNOWN], const uint64_t rest[KNOWN], int64_t* number)
{
    uint64_t negative[KNOWN];
    for (int k = 0; k < KNOWN; k++) {
        negative[k] = (prime[k] - rest[k]) % prime[k];
    }
    int64_t plus = chinese_remainder(prime, rest), minus = chinese_remainder(prime, negative);
    *number = plus >= 0 ? plus : -minus;
    return plus >= 0 || minus >= 0;
}

static bool agrees(int64_t number, uint64_t prime, uint64_t rest)
{
    int64_t own = number % (int64_t)prime;
    return (uint64_t)(own < 0 ? own + (int64_t)prime : own) == rest;
}

// The determinant of a diagram of c crossings is below 2^c, as it counts spanning trees, with signs, of a
// graph of c edges. With primes for as many bits and a sign, a number that all agree on is the determinant.
// For larger diagrams another number agrees with probability 2^-400.
static int64_t determine(Sparse* s, const Crossing* crossings)
{
    uint64_t rest[KNOWN];
    int64_t number = 0;
    int needed = (s->n + 2) / PRIME_BITS + 1;
    for (int k = 0; k < KNOWN || (k < needed && k < MOST_PRIMES); k++) {
        uint64_t remainder;
        if (!sparse_fill(s, crossings, primes[k]) || !sparse_determinant(s, &remainder)) {
            return -1;
        }
        if (k < KNOWN) {
            rest[k] = remainder;
        }
        bool wrong = k == KNOWN - 1 && !signed_chinese_remainder(primes, rest, &number);
        if (wrong || (k >= KNOWN && !agrees(number, primes[k], remainder))) {
            return -1;
        }
    }
    return number < 0 ? -number : number;
}

int64_t knot_diagram_determinant(Memory* m, const KnotDiagram* d)
{
    if (d->crossing_count < 3) {
        return 1;
    }
    Crossing* crossings = memory_array(m, Crossing, d->crossing_count);
    Sparse s;
    bool room = sparse_create(m, &s, d->crossing_count - 1) && crossings;
    int64_t determinant = -1;
    if (room) {
        find_arcs(d, crossings);
        determinant = determine(&s, crossings);
    }
    sparse_destroy(&s);
    memory_array_free(m, crossings, d->crossing_count);
    return determinant;
}
