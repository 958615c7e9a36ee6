// Intrusive doubly linked list: each element contains its link. Adding and removing take constant time.
#ifndef CORD_BASE_LIST_H
#define CORD_BASE_LIST_H

#include <stddef.h>

typedef struct Link {
    struct Link *before, *after;
} Link;

typedef struct List { // zeros: empty
    Link *first, *last;
} List;

// The element of `type` whose `member` the link is.
#define LIST_ENTRY(link, type, member) ((type*)(void*)((char*)(link)-offsetof(type, member)))

static inline void list_append(List* list, Link* link)
{
    *link = (Link){list->last, NULL};
    *(list->last ? &list->last->after : &list->first) = link;
    list->last = link;
}

static inline void list_remove(List* list, Link* link)
{
    *(link->before ? &link->before->after : &list->first) = link->after;
    *(link->after ? &link->after->before : &list->last) = link->before;
}

#endif
