// Parses the head of an HTTP request.
#ifndef CORDAGE_CLI_HTTP_REQUEST_H
#define CORDAGE_CLI_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_PATH_MOST = 256 };

typedef struct HttpRequest {
    int status;                // 200: valid; otherwise the status to answer with
    bool head_only;            // HEAD
    char path[HTTP_PATH_MOST]; // without the query
} HttpRequest;

// The text ends with the empty line. Only requests to this machine by its own name are valid: another name in
// "Host" means that a foreign page has led the browser here.
HttpRequest http_request_read(const char* text, size_t size, int port);

// The size of the head with its empty line [bytes]; 0: incomplete.
size_t http_request_end(const char* text, size_t size);

#endif
