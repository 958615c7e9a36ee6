#include "base/slots.h"
#include "base_heap.h"
#include "check.h"
#include "random.h"

static int things[100];

typedef struct Table {
    Memory memory;
    Slots slots;
} Table;

static Table new_table(void)
{
    return (Table){.memory = new_memory()};
}

static SlotId add(Table* t, int thing)
{
    SlotId id;
    CHECK(slots_add(&t->memory, &t->slots, &things[thing], NULL, &id));
    return id;
}

static void* get(const Table* t, SlotId id)
{
    return slots_get(&t->slots, id.slot, id.generation);
}

static void free_table(Table* t)
{
    slots_free(&t->memory, &t->slots);
    CHECK_INT(t->memory.bytes, 0);
}

TEST(an_id_finds_its_object)
{
    Table t = new_table();
    SlotId ids[100];
    for (int i = 0; i < 100; i++) {
        ids[i] = add(&t, i);
    }
    for (int i = 0; i < 100; i++) {
        CHECK(get(&t, ids[i]) == &things[i]);
    }
    free_table(&t);
}

TEST(the_zero_id_and_made_up_ids_find_nothing)
{
    Table t = new_table();
    SlotId id = add(&t, 0);
    CHECK(slots_get(&t.slots, 0, 0) == NULL);
    CHECK(slots_get(&t.slots, 0, 1) == NULL);
    CHECK(slots_get(&t.slots, id.slot, id.generation + 1) == NULL);
    CHECK(slots_get(&t.slots, id.slot, 0) == NULL);
    CHECK(slots_get(&t.slots, id.slot + 1, id.generation) == NULL);
    CHECK(slots_get(&t.slots, UINT32_MAX, 1) == NULL);
    free_table(&t);
}

TEST(the_id_of_something_removed_stays_invalid_when_its_slot_is_used_again)
{
    Table t = new_table();
    SlotId kept[50];
    for (int round = 0; round < 50; round++) {
        kept[round] = add(&t, round);
        slots_remove(&t.slots, kept[round].slot, kept[round].generation);
        for (int i = 0; i <= round; i++) {
            CHECK(get(&t, kept[i]) == NULL);
        }
    }
    CHECK_INT(t.slots.slot_count, 1); // one slot did for all
    CHECK_INT(kept[49].generation, 50);
    free_table(&t);
}

TEST(order_is_that_of_creation_whatever_slots_were_used)
{
    Table t = new_table();
    SlotId ids[6];
    for (int i = 0; i < 6; i++) {
        ids[i] = add(&t, i);
    }
    slots_remove(&t.slots, ids[1].slot, ids[1].generation);
    slots_remove(&t.slots, ids[4].slot, ids[4].generation);
    add(&t, 6); // takes the slot of 1
    const int expected[] = {0, 2, 3, 5, 6};
    CHECK_INT(t.slots.live_count, 5);
    for (int i = 0; i < 5; i++) {
        CHECK(slots_at(&t.slots, i) == &things[expected[i]]);
        SlotId id = slots_id_at(&t.slots, i);
        CHECK(get(&t, id) == &things[expected[i]]);
        CHECK_INT(slots_index(&t.slots, id.slot), i);
    }
    free_table(&t);
}

TEST(the_first_is_found_without_closing_gaps)
{
    Table t = new_table();
    SlotId ids[6];
    for (int i = 0; i < 6; i++) {
        ids[i] = add(&t, i);
    }
    slots_remove(&t.slots, ids[0].slot, ids[0].generation);
    slots_remove(&t.slots, ids[3].slot, ids[3].generation);
    CHECK(slots_at(&t.slots, 0) == &things[1]);
    CHECK_INT(t.slots.order_end - t.slots.order_first, 5); // and one of them is a gap
    CHECK_INT(slots_index(&t.slots, ids[4].slot), 2);
    CHECK_INT(t.slots.order_end - t.slots.order_first, 4);
    free_table(&t);
}

TEST(an_index_out_of_range_gives_the_null_id)
{
    Table t = new_table();
    add(&t, 0);
    CHECK_INT(slots_id_at(&t.slots, 1).slot, 0);
    CHECK_INT(slots_id_at(&t.slots, -1).slot, 0);
    free_table(&t);
}

TEST(adding_without_memory_changes_nothing)
{
    Heap heap = {0};
    Table t = {.memory = memory_on(&heap)};
    for (int i = 0; i < 8; i++) {
        add(&t, i); // as many as fit at first
    }
    heap.fail = heap.calls + 1;
    SlotId id;
    CHECK(!slots_add(&t.memory, &t.slots, &things[8], NULL, &id));
    CHECK_INT(t.slots.live_count, 8);
    CHECK(get(&t, add(&t, 8)) == &things[8]);
    free_table(&t);
}

// Against a plain array from which things are taken out one by one.
TEST(any_order_of_adding_and_removing_keeps_the_order_of_creation)
{
    Table t = new_table();
    SlotId ids[100];
    int order[100], count = 0, next = 0;
    bool in[100] = {false};
    uint64_t seed = 1;
    for (int n = 0; n < 20000; n++) {
        int pick = random_int(&seed, 100);
        if (in[pick]) {
            int k = 0;
            slots_remove(&t.slots, ids[pick].slot, ids[pick].generation);
            while (order[k] != pick) {
                k++;
            }
            count--;
            memmove(&order[k], &order[k + 1], sizeof *order * (size_t)(count - k));
        } else {
            ids[pick] = add(&t, pick);
            order[count++] = pick;
        }
        in[pick] = !in[pick];
        CHECK_INT(t.slots.live_count, count);
        if (n % 7 == 0 && count > 0) { // now and then, so that gaps gather
            next = (next + 1) % count;
            CHECK(slots_at(&t.slots, next) == &things[order[next]]);
            CHECK(get(&t, slots_id_at(&t.slots, next)) == &things[order[next]]);
        }
    }
    CHECK(t.slots.order_capacity <= 512); // gaps are closed, not kept
    free_table(&t);
}

TEST(names_that_were_removed_are_free_again_and_no_other)
{
    static char names[1000][NAME_SIZE];
    Memory memory = new_memory();
    NameSet n = {0};
    Message message;
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(name_set_choose(&n, NULL, "rod", "a rod", names[i], &message));
        CHECK(name_set_add(&memory, &n, names[i]));
    }
    CHECK_STR(names[999], "rod1000");
    for (int i = 1; i < 1000; i += 3) {
        name_set_remove(&n, names[i]);
    }
    for (int i = 0; i < 1000; i++) {
        CHECK(name_set_has(&n, names[i]) == (i % 3 != 1));
    }
    char name[NAME_SIZE];
    CHECK_OK(name_set_choose(&n, NULL, "rod", "a rod", name, &message));
    CHECK_STR(name, "rod1001"); // numbers are not used twice
    CHECK_OK(name_set_choose(&n, "rod2", "rod", "a rod", name, &message));
    CHECK_RESULT(name_set_choose(&n, "rod1", "rod", "a rod", name, &message), CORD_BAD_ARGUMENT);
    CHECK_STR(message.text, "there is a rod named 'rod1' already");
    name_set_free(&memory, &n);
    CHECK_INT(memory.bytes, 0);
}

TEST_GROUP(base_slots)
