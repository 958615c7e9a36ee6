#include "http_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct Span { // part of the request
    const char* text;
    size_t size;
} Span;

size_t http_request_end(const char* text, size_t size)
{
    for (size_t i = 3; i < size; i++) {
        if (memcmp(text + i - 3, "\r\n\r\n", 4) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool is_text(Span span, const char* text)
{
    return span.size == strlen(text) && memcmp(span.text, text, span.size) == 0;
}

static bool is_text_of_any_case(Span span, const char* text)
{
    return span.size == strlen(text) && strncasecmp(span.text, text, span.size) == 0;
}

// Returns the part before `end`, and removes both from `left`. Without `end` it returns all.
static Span take_until(Span* left, const char* end)
{
    size_t length = strlen(end), at = 0;
    while (at + length <= left->size && memcmp(left->text + at, end, length) != 0) {
        at++;
    }
    bool found = at + length <= left->size;
    Span part = {left->text, found ? at : left->size};
    size_t used = found ? at + length : left->size;
    *left = (Span){left->text + used, left->size - used};
    return part;
}

// "GET /path?query HTTP/1.1"
static int read_line(Span line, HttpRequest* request)
{
    Span method = take_until(&line, " "), target = take_until(&line, " "), version = line;
    if (method.size == 0 || target.size == 0 || target.text[0] != '/') {
        return 400;
    }
    if (!is_text(version, "HTTP/1.1") && !is_text(version, "HTTP/1.0")) {
        return version.size > 5 && memcmp(version.text, "HTTP/", 5) == 0 ? 505 : 400;
    }
    request->head_only = is_text(method, "HEAD");
    if (!request->head_only && !is_text(method, "GET")) {
        return 405;
    }
    Span path = take_until(&target, "?");
    if (path.size >= HTTP_PATH_MOST) {
        return 414;
    }
    memcpy(request->path, path.text, path.size);
    request->path[path.size] = '\0';
    return 200;
}

static bool is_this_machine(Span host, int port)
{
    static const char* const names[] = {"127.0.0.1", "localhost"};
    char text[32];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s:%d", names[i], port);
        if (is_text_of_any_case(host, text) || (port == 80 && is_text_of_any_case(host, names[i]))) {
            return true;
        }
    }
    return false;
}

static Span trimmed(Span span)
{
    while (span.size > 0 && (span.text[0] == ' ' || span.text[0] == '\t')) {
        span = (Span){span.text + 1, span.size - 1};
    }
    while (span.size > 0 && (span.text[span.size - 1] == ' ' || span.text[span.size - 1] == '\t')) {
        span.size--;
    }
    return span;
}

static bool has_control(Span span)
{
    for (size_t i = 0; i < span.size; i++) {
        unsigned char c = (unsigned char)span.text[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return true;
        }
    }
    return false;
}

// Reads lines "Name: value". Exactly one must be the host.
static int read_fields(Span left, int port)
{
    int hosts = 0;
    while (left.size > 0) {
        Span value = take_until(&left, "\r\n");
        if (value.size == 0) {
            break; // the empty line
        }
        if (!memchr(value.text, ':', value.size) || has_control(value)) {
            return 400;
        }
        Span name = take_until(&value, ":");
        if (name.size == 0 || memchr(name.text, ' ', name.size) || memchr(name.text, '\t', name.size)) {
            return 400; // includes lines that continue the previous one, an obsolete form that can hide
                        // fields
        }
        if (is_text_of_any_case(name, "Host")) {
            hosts++;
            if (!is_this_machine(trimmed(value), port)) {
                return 403;
            }
        }
    }
    return hosts == 1 ? 200 : 400;
}

HttpRequest http_request_read(const char* text, size_t size, int port)
{
    HttpRequest request = {0};
    Span left = {text, size}, line = take_until(&left, "\r\n");
    request.status = has_control(line) ? 400 : read_line(line, &request);
    int fields = read_fields(left, port);
    if (fields != 200) { // a foreign host does not learn which files exist
        request.status = fields;
    }
    return request;
}
