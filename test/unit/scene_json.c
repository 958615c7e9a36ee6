#include "check.h"
#include "scene/json.h"

#include <stdlib.h>

// A text read into a tree; what was reported is kept as "line:column: text", one line each.
typedef struct Read {
    const char* text;
    size_t size;
    Pool pool;
    JsonTree tree;
    JsonValue root;
    bool good;
    char reported[2048];
} Read;

static void note_error(void* user, uint16_t source, uint32_t offset, const char* text)
{
    Read* r = user;
    JsonPosition at = json_position_start(r->text, r->size);
    json_position_move(&at, offset);
    size_t used = strlen(r->reported);
    snprintf(r->reported + used, sizeof r->reported - used, "%d:%d: %s\n", at.line, at.column, text);
    CHECK_INT(source, 3);
}

static Read* read_bytes(const char* text, size_t size)
{
    Read* r = calloc(1, sizeof *r);
    r->text = text;
    r->size = size;
    pool_init(&r->pool, (CordAllocator){0});
    r->tree = (JsonTree){.pool = &r->pool, .report = {note_error, r}};
    r->good = json_parse(&r->tree, text, size, 3, &r->root);
    return r;
}

static void drop(Read* r)
{
    pool_free(&r->pool);
    free(r);
}

static void check_error(const char* text, const char* expected)
{
    Read* r = read_bytes(text, strlen(text));
    if (r->good || strncmp(r->reported, expected, strlen(expected)) != 0) {
        check_fail(__FILE__, __LINE__, "%s: reported \"%s\"; expected \"%s\"", text, r->reported, expected);
    }
    drop(r);
}

static void check_string(const char* text, const char* expected)
{
    Read* r = read_bytes(text, strlen(text));
    CHECK_STR(r->reported, "");
    CHECK_INT(r->root.kind, JSON_STRING);
    CHECK_STR(r->root.string, expected);
    CHECK_INT(r->root.count, strlen(expected));
    drop(r);
}

TEST(every_kind_of_value_is_read)
{
    const char* text = "{\"a\": [1, true, false, null, \"x\"], \"b\": {}, \"c\": []}";
    Read* r = read_bytes(text, strlen(text));
    CHECK(r->good);
    CHECK_INT(r->root.kind, JSON_OBJECT);
    CHECK_INT(r->root.count, 3);
    const JsonValue* a = json_member(&r->root, "a");
    CHECK_INT(a->kind, JSON_ARRAY);
    CHECK_INT(a->count, 5);
    const JsonKind kinds[] = {JSON_NUMBER, JSON_BOOL, JSON_BOOL, JSON_NULL, JSON_STRING};
    const JsonValue* entry = a->first;
    for (int i = 0; i < 5; i++, entry = entry->next) {
        CHECK_INT(entry->kind, kinds[i]);
    }
    CHECK(entry == NULL);
    CHECK(a->first->next->truth && !a->first->next->next->truth);
    CHECK_INT(json_member(&r->root, "b")->count, 0);
    CHECK_INT(json_member(&r->root, "c")->count, 0);
    CHECK(json_member(&r->root, "d") == NULL);
    drop(r);
}

TEST(comments_and_trailing_commas_are_allowed)
{
    const char* text =
        "// first\n{ /* in * between */ \"a\": [1, 2, /**/], // to the end\n}\n// last, without a line end";
    Read* r = read_bytes(text, strlen(text));
    CHECK_STR(r->reported, "");
    CHECK_INT(json_member(&r->root, "a")->count, 2);
    drop(r);
    check_error("[1,,2]", "1:4: expected a value, not ','");
    check_error("[,]", "1:2: expected a value, not ','");
    check_error("{,}", "1:2: expected a key in double quotes or }, not ','");
    check_error("[1] /", "1:5: expected the end of the text, not '/'");
    check_error("[1] /* no end *", "1:5: this comment is never closed");
}

TEST(values_and_keys_know_where_they_stood)
{
    const char* text = "\xef\xbb\xbf{\n  \"a\": 1,\r\n\t\"h\xc3\xa9\": [\"\xc3\xa9\xe2\x82\xac\", 22]\n}";
    Read* r = read_bytes(text, strlen(text));
    CHECK(r->good);
    const JsonValue* key_a = r->root.first;
    const JsonValue* key_h = key_a->next->next;
    const JsonValue* number = key_h->next->first->next;
    const JsonValue* places[] = {&r->root, key_a, key_a->next, key_h, key_h->next, number};
    // A byte order mark takes no column; a tab and an accented letter take one each.
    const int lines[] = {1, 2, 2, 3, 3, 3}, columns[] = {1, 3, 8, 2, 8, 15};
    JsonPosition at = json_position_start(text, strlen(text));
    for (int i = 0; i < 6; i++) {
        json_position_move(&at, places[i]->offset);
        CHECK_INT(at.line, lines[i]);
        CHECK_INT(at.column, columns[i]);
        CHECK_INT(places[i]->source, 3);
    }
    drop(r);
}

TEST(strings_are_unescaped)
{
    check_string("\"\"", "");
    check_string("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\b\f\n\r\tz");
    check_string("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac");
    check_string("\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!");
    check_string("\"\\\\\"", "\\");
    check_error("\"\\ud83d\"", "1:2: \\ud83d is half of a surrogate pair");
    check_error("\"\\ud83d\\u0041\"", "1:2: \\ud83d is half of a surrogate pair");
    check_error("\"x\\ude00\"", "1:3: \\ude00 is half of a surrogate pair");
    check_error("\"\\u12\"", "1:2: \\u needs four hexadecimal digits");
    check_error("\"\\u0000\"", "1:2: a string cannot hold the character \\u0000");
    check_error("\"\\x\"", "1:2: this escape is not one of");
    check_error("[\"ab\n\"]", "1:2: this string is not closed on its line");
    check_error("\"ab", "1:1: this string is not closed on its line");
    check_error("\"ab\\\"", "1:1: this string is not closed on its line");
    check_error("\"a\tb\"", "1:3: a string cannot hold the control character 0x09 as it is; write \\u0009");
}

TEST(what_is_no_value_says_what_to_write)
{
    check_error("{\"a\": NaN}", "1:7: NaN is not a number here; every number must be finite");
    check_error("[Infinity]", "1:2: Infinity is not a number here");
    check_error("[-Infinity]", "1:2: -Infinity is not a number here");
    check_error("[-inf]", "1:2: -Infinity is not a number here");
    check_error("[1e400]", "1:2: this number is too large; the largest is about 1.8e308");
    check_error("[+1]", "1:2: a number may not start with +");
    check_error("[.5]", "1:2: a number needs a digit before its point, such as 0.5");
    check_error("[0x10]", "1:2: this is not a number");
    check_error("[1_000]", "1:2: this is not a number");
    check_error("[1.2.3]", "1:2: this is not a number");
    check_error("[True]", "1:2: True is not a value; write it in small letters");
    check_error("[der]", "1:2: der is not a value; text needs double quotes around it");
    check_error("['der']", "1:2: text needs double quotes around it, not single ones");
    check_error("{der: 1}", "1:2: a key needs double quotes: \"der\"");
    check_error("{\"a\" 1}", "1:6: expected : after the key \"a\", not '1'");
    check_error("{\"a\": }", "1:7: expected a value, not '}'");
    check_error("[1 2]", "1:4: expected a comma or ], not '2'");
    check_error("{\"a\": 1 \"b\": 2}", "1:9: a comma is missing before this");
    check_error("[1}", "1:3: expected a comma or ], not '}'");
    check_error("[1, 2", "1:1: this [ is never closed; a ] is missing");
    check_error("\n {\"a\": 1,", "2:2: this { is never closed; a } is missing");
    check_error("{} x", "1:4: expected the end of the text, not 'x'");
    check_error("\xe2\x80\x9c", "1:1: expected a value, not '\xe2\x80\x9c'");
    check_error("", "1:1: there is nothing here but space and comments");
    check_error(" // x", "1:6: there is nothing here but space and comments");
}

TEST(repeated_keys_are_all_reported)
{
    check_error("x", "1:1: x is not a value");
    const char* text = "{\"a\": 1, \"b\": 2,\n \"a\": 3, \"b\": {\"c\": 1, \"c\": 2}}";
    Read* r = read_bytes(text, strlen(text));
    CHECK(r->good); // read to the end all the same
    CHECK_CONTAINS(r->reported, "2:2: the key \"a\" is given twice in this object\n");
    CHECK_CONTAINS(r->reported, "2:10: the key \"b\" is given twice in this object\n");
    CHECK_CONTAINS(r->reported, "2:24: the key \"c\" is given twice in this object\n");
    drop(r);
}

TEST(repeated_keys_are_found_among_many)
{
    size_t size = 0, room = 200000;
    char* text = malloc(room);
    for (int i = 0; i < 5000; i++) {
        size +=
            (size_t)snprintf(text + size, room - size, "%s\"k%d\": 0", i ? ",\n" : "{", i == 4000 ? 17 : i);
    }
    size += (size_t)snprintf(text + size, room - size, "}");
    Read* r = read_bytes(text, size);
    CHECK_STR(r->reported, "4001:1: the key \"k17\" is given twice in this object\n");
    drop(r);
    free(text);
}

TEST(depth_is_limited)
{
    char text[2 * 1000];
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    Read* r = read_bytes(text + 1000 - JSON_MOST_DEPTH, 2 * JSON_MOST_DEPTH);
    CHECK(r->good);
    drop(r);
    r = read_bytes(text, sizeof text);
    CHECK_STR(r->reported, "1:65: this is nested more than 64 levels deep\n");
    drop(r);
}

TEST(bytes_that_are_not_text_are_found)
{
    const struct {
        const char* text;
        size_t size;
        const char* expected;
    } cases[] = {
        {"{\n\"a\": \0}", 9, "2:6: the byte 0x00 here is not UTF-8 text"},
        {"[\"\xff\"]", 5, "1:3: the byte 0xff here is not UTF-8 text"},
        {"[1] // \xc0\xaf", 9, "1:8: the byte 0xc0 here is not UTF-8 text"},        // overlong
        {"[\"\xed\xa0\x80\"]", 7, "1:3: the byte 0xed here is not UTF-8 text"},     // a surrogate
        {"[\"\xf4\x90\x80\x80\"]", 8, "1:3: the byte 0xf4 here is not UTF-8 text"}, // beyond U+10FFFF
        {"[\"\xe2\x82\"]", 6, "1:3: the byte 0xe2 here is not UTF-8 text"},         // cut short
        {"[\"abcdefgh\xe9\"]", 13, "1:11: the byte 0xe9 here is not UTF-8 text"},   // Latin-1
        {"\xff\xfe{\0}\0", 6, "1:1: this text is in UTF-16; save it as UTF-8"},
        {"\x89HDF\r\n\x1a\n", 8, "1:1: this is an HDF5 file, such as a recording, and not a scene"},
        {"\x1f\x8b\x08\x00", 4, "1:2: the byte 0x8b here is not UTF-8 text"},
        {"\x01\x02", 2, "1:1: expected a value, not the control character 0x01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Read* r = read_bytes(cases[i].text, cases[i].size);
        CHECK(!r->good);
        CHECK_CONTAINS(r->reported, cases[i].expected);
        drop(r);
    }
}

TEST(memory_is_linear_in_the_text)
{
    size_t size = 1 << 20;
    char* text = malloc(size);
    for (size_t i = 0; i < size; i++) {
        text[i] = i % 2 ? ',' : '1';
    }
    text[0] = '[';
    text[size - 1] = ']';
    text[size - 2] = '1';
    text[1] = '1';
    Read* r = read_bytes(text, size);
    CHECK_STR(r->reported, "");
    CHECK(r->pool.memory.bytes < (int64_t)(sizeof(JsonValue) * size / 2 + (2 << 20))); // and two chunks begun
    drop(r);
    free(text);
}

TEST(too_many_values_are_refused)
{
    size_t size = 2 * (size_t)JSON_MOST_VALUES + 4;
    char* text = malloc(size);
    for (size_t i = 0; i < size; i += 2) {
        memcpy(text + i, "0,", 2);
    }
    text[0] = '[';
    text[1] = ' ';
    Read* r = read_bytes(text, size);
    CHECK_CONTAINS(r->reported,
                   "there are more than 10000000 values; put long lists of points into a CSV file");
    drop(r);
    free(text);
}

TEST(a_copy_is_deep)
{
    const char* text = "{\"a\": [1, {\"b\": 2}]}";
    Read* r = read_bytes(text, strlen(text));
    JsonValue copy = {.next = &r->root};
    CHECK(json_copy(&r->tree, &r->root, &copy));
    CHECK(copy.next == &r->root);
    const JsonValue *one = json_member(&r->root, "a"), *other = json_member(&copy, "a");
    CHECK(one != other && one->first != other->first);
    CHECK_NEAR(json_member(other->first->next, "b")->number, 2.0, 0.0);
    drop(r);
}

TEST_GROUP(scene_json)
