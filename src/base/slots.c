#include "base/slots.h"

#include "base/assert.h"

#include <string.h>

static int free_slot(const Slots* s)
{
    for (int i = 0; i < s->slot_count && s->live_count < s->slot_count; i++) {
        if (!s->slots[i].object) {
            return i;
        }
    }
    return s->slot_count;
}

bool slots_add(Memory* m, Slots* s, void* object, SlotId* id)
{
    if (!memory_grow(m, (void**)&s->order, s->live_count, &s->order_capacity, sizeof *s->order) ||
        !memory_grow(m, (void**)&s->slots, s->slot_count, &s->slot_capacity, sizeof *s->slots)) {
        return false;
    }
    int i = free_slot(s);
    if (i == s->slot_count) {
        s->slots[s->slot_count++] = (Slot){.generation = 0};
    }
    s->slots[i].object = object;
    s->slots[i].generation++;
    s->order[s->live_count++] = (uint32_t)i;
    *id = (SlotId){(uint32_t)i + 1, s->slots[i].generation};
    return true;
}

void* slots_get(const Slots* s, uint32_t slot, uint32_t generation)
{
    if (slot == 0 || slot > (uint32_t)s->slot_count || s->slots[slot - 1].generation != generation) {
        return NULL;
    }
    return s->slots[slot - 1].object;
}

void* slots_at(const Slots* s, int index)
{
    CORD_ASSERT(0 <= index && index < s->live_count);
    return s->slots[s->order[index]].object;
}

SlotId slots_id_at(const Slots* s, int index)
{
    if (index < 0 || index >= s->live_count) {
        return (SlotId){0};
    }
    uint32_t i = s->order[index];
    return (SlotId){i + 1, s->slots[i].generation};
}

void slots_remove(Slots* s, uint32_t slot, uint32_t generation)
{
    CORD_ASSERT(slots_get(s, slot, generation));
    s->slots[slot - 1].object = NULL;
    int k = 0;
    while (s->order[k] != slot - 1) {
        k++;
    }
    s->live_count--;
    memmove(&s->order[k], &s->order[k + 1], (size_t)(s->live_count - k) * sizeof *s->order);
    (void)generation;
}

void slots_free(Memory* m, Slots* s)
{
    memory_array_free(m, s->slots, s->slot_capacity);
    memory_array_free(m, s->order, s->order_capacity);
    *s = (Slots){0};
}
