// An HTTP server for browsers on this machine: a few files at fixed paths. Nothing in a request reaches the
// file system.
#ifndef CORDAGE_CLI_HTTP_H
#define CORDAGE_CLI_HTTP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct HttpAsset {
    const char* path; // "/"
    const char* type; // "text/html; charset=utf-8"
    int file;         // open for reading
    int64_t size;     // [bytes]
} HttpAsset;

typedef struct HttpServer {
    int socket;
    int port;
} HttpServer;

// Listens on 127.0.0.1, which other machines cannot reach. Port 0: any free port. False: see errno.
bool http_listen(HttpServer* server, int port);
void http_close(HttpServer* server);

// Serves until goes_on, called a few times a second, returns false.
void http_serve(const HttpServer* server, const HttpAsset* assets, int asset_count, bool (*goes_on)(void));

#endif
