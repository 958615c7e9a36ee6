// Table of objects with generational ids, in order of creation. An id is a slot and its generation, so that
// the id of a removed object is recognised. Adding and removing take constant time.
#ifndef CORD_BASE_SLOTS_H
#define CORD_BASE_SLOTS_H

#include "base/name_set.h"

typedef struct Slot {
    void* object;     // NULL: free
    const char* name; // owned by the object; NULL: it has none
    uint32_t generation;
    uint32_t place; // index in `order`; in a free slot: the next free slot, counted from 1, or 0
} Slot;

typedef struct Slots {
    Slot* slots; // (slot_count)
    int slot_count, slot_capacity;
    uint32_t free_slot; // first free slot, counted from 1; 0: none
    // Live slots, counted from 1, in order of creation, from order_first to order_end. A removed object
    // leaves a 0, which is removed when an object but the first is next asked for by its index.
    uint32_t* order;
    int order_first, order_end, order_capacity;
    int live_count;
    NameSet names;
} Slots;

typedef struct SlotId {
    uint32_t slot, generation; // slot counts from 1: the zero id is null
} SlotId;

// Reserves memory for one more object, so that the next slots_add does not fail. False: no memory.
bool slots_reserve(Memory* m, Slots* s);
// A name must have been accepted by name_set_choose, and stay where it is. NULL: no name. False: no memory.
bool slots_add(Memory* m, Slots* s, void* object, const char* name, SlotId* id);
void* slots_get(const Slots* s, uint32_t slot,
                uint32_t generation);      // NULL: null id, or the object was removed
void* slots_at(const Slots* s, int index); // in order of creation, index < live_count
SlotId slots_id_at(const Slots* s, int index);
int slots_index(const Slots* s, uint32_t slot); // of a live object
void slots_remove(Slots* s, uint32_t slot, uint32_t generation);
void slots_free(Memory* m, Slots* s);

#endif
