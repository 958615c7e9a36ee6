// A server for one person on this machine: a few files at fixed addresses, to be read by a browser. Nothing
// that a request says reaches the file system.
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

// Listens on 127.0.0.1, which no other machine reaches. Port 0: any that is free. False: errno says why.
bool http_listen(HttpServer* server, int port);
void http_close(HttpServer* server);

// Answers until goes_on, which is asked a few times a second, returns false. False: no memory.
bool http_serve(const HttpServer* server, const HttpAsset* assets, int asset_count, bool (*goes_on)(void));

#endif
