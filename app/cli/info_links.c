#include "heap.h"
#include "info.h"

#include <cordage/contact.h>

#include <stdio.h>
#include <stdlib.h>

enum { LINKS_SHOWN = 20 };                 // in text; JSON lists all
static const double link_pairs_most = 2e7; // pairs of elements: a few seconds

static bool is_tied(const CordFrame* frame, const CordWorld* world, int rod)
{
    const CordFrameRod* r = &frame->rods[rod];
    return !r->network && (r->closed || (world && cord_rod_is_tied(world, cord_world_rod(world, rod))));
}

static void links_add(LinkReport* links, int rod, int other, int64_t link)
{
    links->pairs = heap_grow(links->pairs, (size_t)links->count + 1, sizeof *links->pairs);
    links->pairs[links->count++] = (LinkedPair){{rod, other}, link};
}

LinkReport links_find(const CordFrame* frame, const CordWorld* world)
{
    double pairs = 0.0;
    LinkReport links = {0};
    for (int i = 0; i < frame->rod_count && !links.skipped; i++) {
        const CordFrameRod* a = &frame->rods[i];
        for (int k = is_tied(frame, world, i) ? 0 : i; k < i && !links.skipped; k++) {
            const CordFrameRod* b = &frame->rods[k];
            if (!is_tied(frame, world, k)) {
                continue;
            }
            pairs += (double)a->edge_count * b->edge_count;
            links.skipped = pairs > link_pairs_most;
            int64_t link =
                links.skipped
                    ? 0
                    : cord_polygon_linking_number(frame->x + b->first_node, b->node_count, b->closed,
                                                  frame->x + a->first_node, a->node_count, a->closed);
            if (link != 0 && link != CORD_NO_LINK) {
                links_add(&links, k, i, link);
            }
        }
    }
    return links;
}

void links_free(LinkReport* links)
{
    free(links->pairs);
    *links = (LinkReport){0};
}

void links_print(const LinkReport* links, const Report* report)
{
    if (links->count > 0 || links->skipped) {
        printf("\n");
    }
    for (int i = 0; i < links->count && i < LINKS_SHOWN; i++) {
        const LinkedPair* p = &links->pairs[i];
        printf("linked              \"%s\" and \"%s\", linking number %lld\n",
               report->rods[p->rod[0]].rod.name, report->rods[p->rod[1]].rod.name, (long long)p->link);
    }
    if (links->count > LINKS_SHOWN) {
        printf("linked              ... and %d more pairs; --json lists them all\n",
               links->count - LINKS_SHOWN);
    }
    if (links->skipped) {
        printf("linked              not all reckoned: there are too many pairs of elements to try\n");
    }
}

void links_json(Json* j, const LinkReport* links, const Report* report)
{
    json_array(j, "links");
    for (int i = 0; i < links->count; i++) {
        const LinkedPair* p = &links->pairs[i];
        json_object(j, NULL);
        json_array(j, "rods");
        json_text(j, NULL, report->rods[p->rod[0]].rod.name);
        json_text(j, NULL, report->rods[p->rod[1]].rod.name);
        json_close_array(j);
        json_int(j, "linking_number", p->link);
        json_close_object(j);
    }
    json_close_array(j);
    json_bool(j, "links_complete", !links->skipped);
}
