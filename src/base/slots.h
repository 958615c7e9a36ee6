// Generational ids: a table of pointers in order of creation. An id is a slot and the generation it was given
// out in, so that one kept too long is recognised, not followed. Adding and removing take constant time.
#ifndef CORD_BASE_SLOTS_H
#define CORD_BASE_SLOTS_H

#include "base/name_set.h"

typedef struct Slot {
    void* object;     // NULL: free
    const char* name; // in the object; NULL: it has none
    uint32_t generation;
    uint32_t place; // where it stands in `order`; of a free slot: the next free one, counted from 1, or 0
} Slot;

typedef struct Slots {
    Slot* slots; // (slot_count)
    int slot_count, slot_capacity;
    uint32_t free_slot; // the first free one, counted from 1; 0: none
    // Live slots in order of creation, counted from 1, from order_first to order_end. What was removed leaves
    // a 0, which goes when somebody next asks for an object by its index.
    uint32_t* order;
    int order_first, order_end, order_capacity;
    int live_count;
    NameSet names;
} Slots;

typedef struct SlotId {
    uint32_t slot, generation; // slot counts from 1: the zero id is null
} SlotId;

// A name that is given must be one that name_set_choose has passed, and stay where it is. False: no memory.
bool slots_add(Memory* m, Slots* s, void* object, const char* name, SlotId* id);
void* slots_get(const Slots* s, uint32_t slot, uint32_t generation); // NULL: null id, or gone
void* slots_at(const Slots* s, int index); // in order of creation, index < live_count
SlotId slots_id_at(const Slots* s, int index);
void slots_remove(Slots* s, uint32_t slot, uint32_t generation);
void slots_free(Memory* m, Slots* s);

#endif
