// The head of an HTTP request: what is asked for, or why it is refused.
#ifndef CORDAGE_CLI_HTTP_REQUEST_H
#define CORDAGE_CLI_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_PATH_MOST = 256 };

typedef struct HttpRequest {
    int status;                // 200: it is one; else the status to answer it with
    bool head_only;            // HEAD
    char path[HTTP_PATH_MOST]; // without what comes after '?'
} HttpRequest;

// The text is all up to the empty line, that included. Only requests to this machine by its own name are
// answered: another name in "Host" means that a page of somebody else has led the browser here.
HttpRequest http_request_read(const char* text, size_t size, int port);

// Where the empty line ends, in bytes; 0: it has not come yet.
size_t http_request_end(const char* text, size_t size);

#endif
