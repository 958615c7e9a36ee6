// Random scenes and the relations that must hold for them.
//
//     test_property [--seeds LIST] [--relation NAME] [--manner NAME] [--print] [--verbose] [--minimise]
//                   [--save FOLDER]
//
// LIST is seeds and ranges with commas: 3,7,100:200 (without the last). --print writes each scene, --verbose
// says what was not tested and why, --minimise makes a failing scene small, and --save writes it, and its
// image, as files that `cordage run` reads.
#include "relations.h"

#include <stdlib.h>
#include <string.h>

typedef struct Options {
    const char* seeds;
    const char* relation; // NULL: all
    const char* manner;   // of scenes; NULL: all
    const char* folder;   // where failing scenes go
    bool print, minimise, verbose;
} Options;

typedef struct Count {
    int of[FINDINGS];
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
    Options o = {.seeds = "0:100"};
    for (int i = 1; i < argc; i++) {
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--seeds") == 0) {
            o.seeds = value, i++;
        } else if (strcmp(argv[i], "--relation") == 0) {
            o.relation = value, i++;
        } else if (strcmp(argv[i], "--manner") == 0) {
            o.manner = value, i++;
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

typedef struct Tally {
    Count by_relation[32], scenes;
} Tally;

static void report(const Options* o, const Relation* r, const Scene* scene, long seed, Verdict* v)
{
    static Scene small;
    printf("seed %ld %s: %s\n", seed, r->name, v->text);
    small = *scene;
    if (o->minimise) {
        scene_minimise(r, &small, fmin(0.3 * v->ratio, 1e6), v);
        printf("minimised: %s\n", v->text), print_scene(&small);
    }
    if (o->folder != NULL) {
        save_scene(o->folder, r->name, "", &small, seed);
        if (r->transform != NULL) {
            r->transform(&small, small.seed);
            save_scene(o->folder, r->name, "_image", &small, seed);
        }
    }
}

static void check_relation(const Options* o, int index, const Subject* subject, long seed, Tally* t)
{
    const Relation* r = &relations[index];
    Count* count = &t->by_relation[index];
    Verdict v = {0};
    if (o->relation != NULL && strcmp(o->relation, r->name) != 0) {
        return;
    }
    if (r->applies && !r->applies(&subject->scene)) {
        v.finding = LEFT_OUT;
    } else {
        relation_check(r, subject, &v);
    }
    count->of[v.finding]++;
    if (v.finding == FAILS) {
        report(o, r, &subject->scene, seed, &v);
    } else if (v.finding == HOLDS) {
        count->worst = fmax(count->worst, v.ratio);
    } else if (o->verbose) {
        printf("seed %ld %s not tested, %s: %s\n", seed, r->name, finding_names[v.finding], v.text);
    }
}

static void check_scene(const Options* o, long seed, Manner manner, Tally* t)
{
    static Subject subject;
    static Scene scene;
    Verdict v = {0};
    bool built = scene_generate(&scene, (uint64_t)seed, manner);
    if (o->print) {
        print_scene(&scene);
    }
    Finding ready = built ? subject_prepare(&subject, &scene, &v) : REFUSED;
    t->scenes.of[ready]++;
    if (ready == FAILS) {
        printf("seed %ld finite: %s\n", seed, v.text);
    } else if (ready != HOLDS && o->verbose) {
        printf("seed %ld not tested, %s: %s\n", seed, finding_names[ready], v.text);
    }
    for (int i = 0; relations[i].name != NULL && ready == HOLDS; i++) {
        if (relations[i].manner == manner || (relations[i].manner == WILD && manner == VARIED)) {
            check_relation(o, i, &subject, seed, t);
        }
    }
}

static bool is_asked(const Options* o, Manner manner)
{
    static const char* const names[MANNERS] = {"wild", "tame", "still", "symmetric", "varied"};
    if (o->manner != NULL && strcmp(o->manner, names[manner]) != 0) {
        return false;
    }
    for (int i = 0; relations[i].name != NULL; i++) {
        if ((relations[i].manner == manner || (relations[i].manner == WILD && manner == VARIED)) &&
            (o->relation == NULL || strcmp(o->relation, relations[i].name) == 0)) {
            return true;
        }
    }
    return false;
}

static void check_seeds(const Options* o, long from, long to, Tally* t)
{
    for (long seed = from; seed < to; seed++) {
        for (Manner manner = WILD; manner < MANNERS; manner++) {
            if (is_asked(o, manner)) {
                check_scene(o, seed, manner, t);
            }
        }
    }
}

static void print_reasons(const Count* c)
{
    for (int k = NOT_TESTED; k < FINDINGS; k++) {
        if (c->of[k] > 0) {
            printf("  %s %d", finding_names[k], c->of[k]);
        }
    }
    puts("");
}

int main(int argc, char** argv)
{
    static Tally tally;
    Options o = read_options(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0); // so that what takes long or never ends can be told
    for (char* at = (char*)o.seeds; *at != '\0'; at += *at == ',') {
        char* start = at;
        long from = strtol(at, &at, 10), to = from + 1;
        if (*at == ':') {
            to = strtol(at + 1, &at, 10);
        }
        if (at == start || (*at != ',' && *at != '\0')) {
            fprintf(stderr, "--seeds %s: write seeds and ranges, as 3,7,100:200\n", o.seeds);
            return 2;
        }
        check_seeds(&o, from, to, &tally);
    }
    int failed = tally.scenes.of[FAILS];
    printf("relation       held failed  nearest to its limit; not tested\n");
    for (int i = 0; relations[i].name != NULL; i++) {
        const Count* c = &tally.by_relation[i];
        printf("%-13s %5d  %5d  %-8.3g", relations[i].name, c->of[HOLDS], c->of[FAILS], c->worst);
        print_reasons(c);
        failed += c->of[FAILS];
    }
    printf("scenes        %5d  %5d          ", tally.scenes.of[HOLDS], tally.scenes.of[FAILS]);
    print_reasons(&tally.scenes);
    printf("%d failures\n", failed);
    return failed > 0;
}
