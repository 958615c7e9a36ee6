// Generational ids: a table of pointers in order of creation. An id is a slot and the generation it was given out in,
// so that one kept too long is recognised, not followed.
#ifndef CORD_BASE_SLOTS_H
#define CORD_BASE_SLOTS_H

#include "base/memory.h"

typedef struct Slot {
    void* object; // NULL: free
    uint32_t generation;
} Slot;

typedef struct Slots {
    Slot* slots; // (slot_count)
    int slot_count, slot_capacity;
    uint32_t* order; // live slots in order of creation (live_count)
    int live_count, order_capacity;
} Slots;

typedef struct SlotId {
    uint32_t slot, generation; // slot counts from 1: the zero id is null
} SlotId;

bool slots_add(Memory* m, Slots* s, void* object, SlotId* id);       // false: no memory
void* slots_get(const Slots* s, uint32_t slot, uint32_t generation); // NULL: null id, or gone
void* slots_at(const Slots* s, int index); // in order of creation, index < live_count
SlotId slots_id_at(const Slots* s, int index);
void slots_remove(Slots* s, uint32_t slot, uint32_t generation);
void slots_free(Memory* m, Slots* s);

#endif
