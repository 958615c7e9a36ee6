// Random scenes and the relations that must hold for them.
//
//     test_property [--seeds FROM:TO] [--relation NAME] [--print] [--save FOLDER] [--minimise]
#include "relations.h"

#include <stdlib.h>
#include <string.h>

typedef struct Options {
    long from, to;
    const char* relation; // NULL: all
    const char* folder;   // where failing scenes go
    bool print, minimise, verbose;
} Options;

typedef struct Count {
    int held, failed, skipped;
    double worst;
} Count;

static void save_scene(const char* folder, const char* name, const char* which, const Scene* s, long seed)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s_%ld%s.json", folder, name, seed, which);
    FILE* f = fopen(path, "w");
    char* text = scene_text(s);
    if (f != NULL) {
        fputs(text, f), fclose(f);
    }
    free(text);
}

static void print_scene(const Scene* s)
{
    char* text = scene_text(s);
    puts(text), free(text);
}

static Options read_options(int argc, char** argv)
{
    Options o = {.from = 0, .to = 200};
    for (int i = 1; i < argc; i++) {
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--seeds") == 0) {
            if (sscanf(value, "%ld:%ld", &o.from, &o.to) == 1) {
                o.to = o.from + 1;
            }
            i++;
        } else if (strcmp(argv[i], "--relation") == 0) {
            o.relation = value, i++;
        } else if (strcmp(argv[i], "--save") == 0) {
            o.folder = value, i++;
        } else {
            o.print |= strcmp(argv[i], "--print") == 0;
            o.minimise |= strcmp(argv[i], "--minimise") == 0;
            o.verbose |= strcmp(argv[i], "--verbose") == 0;
        }
    }
    return o;
}

int main(int argc, char** argv)
{
    static Subject subject;
    static Scene scene;
    static Count counts[32];
    Options o = read_options(argc, argv);
    int failed = 0, untested = 0;
    for (long seed = o.from; seed < o.to; seed++) {
        Verdict v = {0};
        bool built = scene_generate(&scene, (uint64_t)seed, WILD);
        if (o.print) {
            print_scene(&scene);
        }
        Finding ready = built ? subject_prepare(&subject, &scene, &v) : NOT_TESTED;
        if (ready == FAILS) {
            failed++, printf("seed %ld finite: %s\n", seed, v.text);
        }
        if (ready != HOLDS) {
            untested++;
            char message[512];
            if (!built) {
                scene_world(&scene, 0, message);
            }
            if (o.verbose) {
                printf("seed %ld not tested: %s\n", seed, built ? v.text : message);
            }
            continue;
        }
        for (int i = 0; relations[i].name != NULL; i++) {
            const Relation* r = &relations[i];
            if ((o.relation != NULL && strcmp(o.relation, r->name) != 0) ||
                (r->applies && !r->applies(&scene))) {
                continue;
            }
            relation_check(r, &subject, &v);
            counts[i].held += v.finding == HOLDS, counts[i].failed += v.finding == FAILS;
            counts[i].skipped += v.finding == NOT_TESTED;
            if (v.finding == HOLDS) {
                counts[i].worst = fmax(counts[i].worst, v.ratio);
            } else if (v.finding == FAILS) {
                failed++;
                printf("seed %ld %s: %s\n", seed, r->name, v.text);
                Scene small = scene;
                if (o.minimise) {
                    scene_minimise(r, &small, fmin(0.3 * v.ratio, 1e6), &v);
                    printf("minimised: %s\n", v.text), print_scene(&small);
                }
                if (o.folder != NULL) {
                    save_scene(o.folder, r->name, "", &small, seed);
                    if (r->transform != NULL) {
                        r->transform(&small, small.seed);
                        save_scene(o.folder, r->name, "_image", &small, seed);
                    }
                }
            }
        }
    }
    for (int i = 0; relations[i].name != NULL; i++) {
        printf("%-14s held %d failed %d skipped %d worst %.3g\n", relations[i].name, counts[i].held,
               counts[i].failed, counts[i].skipped, counts[i].worst);
    }
    printf("%d scenes not tested\n", untested);
    return failed > 0;
}
