#include "console.h"
#include "info.h"

#include <cordage/ledger.h>

#include <math.h>
#include <stdio.h>

// Energy in motion, by all impulses [m/s], below which nothing moves: impulses of a newton second would have
// moved a kilogram by less than a nanometre a second.
#define STILL 1e-20

enum { KIND_SHOWN = 12 }; // entries of one kind in text; more of them are added up

static double size_of(CordVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Work within the round-off of the energy in motion is printed as zero.
static void print_entry(const char* name, const CordWork* done, double turnover)
{
    CordVec3 p = done->impulse, L = done->angular;
    double work = fabs(done->work) > 1e-15 * turnover ? done->work : 0.0;
    char impulse[64];
    snprintf(impulse, sizeof impulse, "(%.5g, %.5g, %.5g)", p.x, p.y, p.z);
    printf("  %-18s%13.6g   %-34s  (%.5g, %.5g, %.5g)\n", name, work, impulse, L.x, L.y, L.z);
}

// Integrators and remeshing may make energy in one rod and take it in another: prints both parts.
static void print_parts(const CordWork* done, double turnover)
{
    double made = 0.5 * (done->exchanged + done->work), taken = 0.5 * (done->exchanged - done->work);
    if (fmin(made, taken) > 1e-15 * turnover) {
        printf("    made            %13.6g\n    taken           %13.6g\n", made, -taken);
    }
}

static bool did_anything(const CordWork* done)
{
    return done->exchanged > 0.0 || size_of(done->impulse) > 0.0 || size_of(done->angular) > 0.0;
}

static CordWork sum_of_kind(const CordFrame* frame, CordLedgerKind kind, int* count)
{
    CordWork sum = {0};
    *count = 0;
    for (int i = 0; i < frame->ledger_count; i++) {
        const CordWork* done = &frame->ledger[i].done;
        if (frame->ledger[i].kind == kind) {
            sum.work += done->work;
            sum.exchanged += done->exchanged;
            sum.impulse.x += done->impulse.x, sum.angular.x += done->angular.x;
            sum.impulse.y += done->impulse.y, sum.angular.y += done->angular.y;
            sum.impulse.z += done->impulse.z, sum.angular.z += done->angular.z;
            ++*count;
        }
    }
    return sum;
}

// What no entry accounts for, with the scale to compare it with.
static void print_closure(const CordFrame* frame)
{
    const CordWork* error = &frame->ledger[frame->ledger_count - 1].done;
    double impulses = 0.0, moments = 0.0;
    for (int i = 0; i + 1 < frame->ledger_count; i++) {
        impulses += size_of(frame->ledger[i].done.impulse);
        moments += size_of(frame->ledger[i].done.angular);
    }
    const struct {
        double rest, scale;
        const char *of, *unit;
    } rows[] = {{error->work, error->exchanged, "the energy in motion", "J"},
                {size_of(error->impulse), impulses, "all impulses", "N s"},
                {size_of(error->angular), moments, "their moments", "N m s"}};
    if (error->exchanged < STILL * impulses) {
        printf("  nothing moves: the energy in motion is %.4g J\n", error->exchanged);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char* begins = i == 0 ? "unaccounted is" : "";
        if (fabs(rows[i].rest) > rows[i].scale) { // nothing to compare it with
            printf("  %-16s  %13.2g %s, more than %s, %.4g %s\n", begins, rows[i].rest, rows[i].unit,
                   rows[i].of, rows[i].scale, rows[i].unit);
        } else if (rows[i].scale > 0.0) {
            printf("  %-16s  %15s of %s, %.4g %s\n", begins, text_percent(rows[i].rest / rows[i].scale).text,
                   rows[i].of, rows[i].scale, rows[i].unit);
        }
    }
}

void ledger_print(const CordFrame* frame)
{
    if (frame->ledger_count == 0) {
        return;
    }
    const CordWork* error = &frame->ledger[frame->ledger_count - 1].done; // the unaccounted
    double change = 0.0;
    printf("\nledger                   work [J]   %-34s  its moment about the origin [N m s]\n",
           "impulse [N s]");
    for (CordLedgerKind kind = 0; kind < CORD_LEDGER_KIND_COUNT; kind++) {
        int count;
        CordWork sum = sum_of_kind(frame, kind, &count);
        change += sum.work;
        for (int i = 0; i < frame->ledger_count && count <= KIND_SHOWN; i++) {
            const CordLedgerEntry* entry = &frame->ledger[i];
            bool shows = did_anything(&entry->done) || kind == CORD_LEDGER_UNACCOUNTED;
            if (entry->kind == kind && shows) {
                print_entry(entry->name, &entry->done, error->exchanged);
                if (kind == CORD_LEDGER_INTEGRATOR || kind == CORD_LEDGER_REMESHING) {
                    print_parts(&entry->done, error->exchanged);
                }
            }
        }
        if (count > KIND_SHOWN && did_anything(&sum)) {
            char name[64];
            snprintf(name, sizeof name, "%d %ss", count, cord_ledger_kind_name(kind));
            print_entry(name, &sum, error->exchanged);
        }
    }
    printf("  change of energy  %13.6g\n", change);
    print_closure(frame);
    printf("  cordage info --help says what each entry counts\n");
}

void ledger_json(Json* j, const CordFrame* frame)
{
    json_array(j, "ledger");
    for (int i = 0; i < frame->ledger_count; i++) {
        const CordLedgerEntry* entry = &frame->ledger[i];
        json_object(j, NULL);
        json_text(j, "name", entry->name);
        json_text(j, "kind", cord_ledger_kind_name(entry->kind));
        json_number(j, "work", entry->done.work);
        json_number(j, "exchanged", entry->done.exchanged);
        json_vector(j, "impulse", entry->done.impulse);
        json_vector(j, "angular", entry->done.angular);
        json_close_object(j);
    }
    json_close_array(j);
}
