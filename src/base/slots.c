#include "base/slots.h"

#include "base/assert.h"

static void compact(Slots* s)
{
    int kept = 0;
    for (int k = s->order_first; k < s->order_end; k++) {
        if (s->order[k] != 0) {
            s->slots[s->order[k] - 1].place = (uint32_t)kept;
            s->order[kept++] = s->order[k];
        }
    }
    s->order_first = 0;
    s->order_end = kept;
}

// Compacts when at least half of the order is gaps, so that the cost is constant for each removed object.
static bool reserve(Memory* m, Slots* s)
{
    if (s->order_end == s->order_capacity && 2 * s->live_count <= s->order_end) {
        compact(s);
    }
    return memory_grow(m, (void**)&s->order, s->order_end, &s->order_capacity, sizeof *s->order) &&
           memory_grow(m, (void**)&s->slots, s->slot_count, &s->slot_capacity, sizeof *s->slots);
}

bool slots_reserve(Memory* m, Slots* s)
{
    return reserve(m, s) && name_set_reserve(m, &s->names);
}

bool slots_add(Memory* m, Slots* s, void* object, const char* name, SlotId* id)
{
    if (!reserve(m, s) || (name && !name_set_add(m, &s->names, name))) {
        return false;
    }
    if (s->free_slot == 0) {
        s->slots[s->slot_count++] = (Slot){.generation = 0};
        s->free_slot = (uint32_t)s->slot_count;
    }
    uint32_t slot = s->free_slot;
    Slot* taken = &s->slots[slot - 1];
    s->free_slot = taken->place;
    *taken = (Slot){object, name, taken->generation + 1, (uint32_t)s->order_end};
    s->order[s->order_end++] = slot;
    s->live_count++;
    *id = (SlotId){slot, taken->generation};
    return true;
}

void* slots_get(const Slots* s, uint32_t slot, uint32_t generation)
{
    if (slot == 0 || slot > (uint32_t)s->slot_count || s->slots[slot - 1].generation != generation) {
        return NULL;
    }
    return s->slots[slot - 1].object;
}

static void close_gaps(const Slots* s) // which does not change the order that a caller sees
{
    if (s->order_end - s->order_first != s->live_count) {
        compact((Slots*)s);
    }
}

static uint32_t slot_at(const Slots* s, int index)
{
    if (index > 0) { // no gap is before the first
        close_gaps(s);
    }
    return s->order[s->order_first + index];
}

void* slots_at(const Slots* s, int index)
{
    CORD_ASSERT(0 <= index && index < s->live_count);
    return s->slots[slot_at(s, index) - 1].object;
}

SlotId slots_id_at(const Slots* s, int index)
{
    if (index < 0 || index >= s->live_count) {
        return (SlotId){0};
    }
    uint32_t slot = slot_at(s, index);
    return (SlotId){slot, s->slots[slot - 1].generation};
}

int slots_index(const Slots* s, uint32_t slot)
{
    close_gaps(s);
    return (int)s->slots[slot - 1].place - s->order_first;
}

void slots_remove(Slots* s, uint32_t slot, uint32_t generation)
{
    CORD_ASSERT(slots_get(s, slot, generation));
    Slot* gone = &s->slots[slot - 1];
    if (gone->name) {
        name_set_remove(&s->names, gone->name);
    }
    s->order[gone->place] = 0;
    *gone = (Slot){NULL, NULL, generation, s->free_slot};
    s->free_slot = slot;
    s->live_count--;
    while (s->order_first < s->order_end && s->order[s->order_first] == 0) { // gaps at the ends cost nothing
        s->order_first++;
    }
    while (s->order_first < s->order_end && s->order[s->order_end - 1] == 0) {
        s->order_end--;
    }
}

void slots_free(Memory* m, Slots* s)
{
    memory_array_free(m, s->slots, s->slot_capacity);
    memory_array_free(m, s->order, s->order_capacity);
    name_set_free(m, &s->names);
    *s = (Slots){0};
}
