#include "http.h"

#include "http_request.h"
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLERS_MOST = 64, REQUEST_MOST = 8192, PIECE = 65536, WAIT_MOST = 250 }; // bytes, bytes; [ms]

static const double request_time = 10.0; // for a whole request to come [s]
static const double answer_time = 30.0;  // for the next piece of an answer to be taken [s]
static const double parting_time = 2.0;  // for the caller to hang up once it has been answered [s]

typedef enum CallerState { CALLER_NONE, CALLER_ASKS, CALLER_IS_ANSWERED, CALLER_LEAVES } CallerState;

typedef struct Caller {
    CallerState state;
    int socket;
    double deadline; // by the clock [s]
    char request[REQUEST_MOST];
    size_t request_size;
    char piece[PIECE]; // of the answer
    size_t piece_size, piece_sent;
    const HttpAsset* asset; // what the next pieces are of; NULL: no more
    int64_t asset_sent;     // read of it so far
} Caller;

typedef struct Service {
    const HttpServer* server;
    const HttpAsset* assets; // (asset_count)
    int asset_count;
    Caller* callers; // (CALLERS_MOST)
} Service;

// ---- answers

static const char* status_text(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 414: return "URI Too Long";
    case 431: return "Request Header Fields Too Large";
    default: return "HTTP Version Not Supported";
    }
}

static void answer_begin(Caller* caller, int status, const char* type, int64_t size)
{
    // No other page may show this one in a frame or read it; the address goes nowhere else.
    int length = snprintf(caller->piece, sizeof caller->piece,
                          "HTTP/1.1 %d %s\r\n"
                          "Content-Type: %s\r\n"
                          "Content-Length: %lld\r\n"
                          "%s"
                          "Connection: close\r\n"
                          "Cache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "X-Frame-Options: DENY\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "Referrer-Policy: no-referrer\r\n"
                          "\r\n",
                          status, status_text(status), type, (long long)size,
                          status == 405 ? "Allow: GET, HEAD\r\n" : "");
    caller->piece_size = (size_t)length;
    caller->piece_sent = 0;
    caller->state = CALLER_IS_ANSWERED;
    caller->deadline = talk_clock() + answer_time;
}

static void answer_refuse(Caller* caller, int status, bool head_only)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%d %s\n", status, status_text(status));
    answer_begin(caller, status, "text/plain; charset=utf-8", size);
    if (!head_only) {
        memcpy(caller->piece + caller->piece_size, text, (size_t)size);
        caller->piece_size += (size_t)size;
    }
}

static void answer(const Service* service, Caller* caller, size_t request_size)
{
    HttpRequest request = http_request_read(caller->request, request_size, service->server->port);
    const HttpAsset* asset = NULL;
    for (int i = 0; i < service->asset_count && request.status == 200; i++) {
        if (strcmp(service->assets[i].path, request.path) == 0) {
            asset = &service->assets[i];
        }
    }
    if (!asset) {
        answer_refuse(caller, request.status == 200 ? 404 : request.status, request.head_only);
        return;
    }
    answer_begin(caller, 200, asset->type, asset->size);
    caller->asset = request.head_only ? NULL : asset;
    caller->asset_sent = 0;
}

// The next piece of the file; false: there is none.
static bool answer_next(Caller* caller)
{
    const HttpAsset* asset = caller->asset;
    int64_t left = asset ? asset->size - caller->asset_sent : 0;
    if (left <= 0) {
        return false;
    }
    size_t wanted = left < PIECE ? (size_t)left : PIECE;
    ssize_t size = pread(asset->file, caller->piece, wanted, (off_t)caller->asset_sent);
    caller->piece_size = size > 0 ? (size_t)size : 0;
    caller->piece_sent = 0;
    caller->asset_sent += size > 0 ? size : 0;
    return size > 0; // else the file has been cut: the caller gets less than was promised, and knows it
}

// ---- callers

static void caller_drop(Caller* caller)
{
    close(caller->socket);
    caller->state = CALLER_NONE;
}

static bool socket_prepare(int socket)
{
    int flags = fcntl(socket, F_GETFL);
    return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

static void caller_take(Service* service)
{
    int socket = accept(service->server->socket, NULL, NULL);
    Caller* caller = NULL;
    for (int i = 0; i < CALLERS_MOST && !caller; i++) {
        caller = service->callers[i].state == CALLER_NONE ? &service->callers[i] : NULL;
    }
    if (socket < 0) {
        return;
    }
    if (!caller || !socket_prepare(socket)) {
        close(socket);
        return;
    }
    caller->state = CALLER_ASKS;
    caller->socket = socket;
    caller->deadline = talk_clock() + request_time;
    caller->request_size = 0;
    caller->asset = NULL;
}

static bool should_wait(ssize_t result)
{
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static void caller_listen(const Service* service, Caller* caller)
{
    ssize_t size = recv(caller->socket, caller->request + caller->request_size,
                        sizeof caller->request - caller->request_size, 0);
    if (should_wait(size)) {
        return;
    }
    if (size <= 0) {
        caller_drop(caller);
        return;
    }
    caller->request_size += (size_t)size;
    size_t end = http_request_end(caller->request, caller->request_size);
    if (end > 0) {
        answer(service, caller, end);
    } else if (caller->request_size == sizeof caller->request) {
        answer_refuse(caller, 431, false);
    }
}

static void caller_tell(Caller* caller)
{
    ssize_t size = send(caller->socket, caller->piece + caller->piece_sent,
                        caller->piece_size - caller->piece_sent, MSG_NOSIGNAL);
    if (should_wait(size)) {
        return;
    }
    if (size < 0) {
        caller_drop(caller);
        return;
    }
    caller->piece_sent += (size_t)size;
    caller->deadline = talk_clock() + answer_time;
    if (caller->piece_sent == caller->piece_size && !answer_next(caller)) {
        // Closing with something unread would take back what is still on its way.
        shutdown(caller->socket, SHUT_WR);
        caller->state = CALLER_LEAVES;
        caller->deadline = talk_clock() + parting_time;
    }
}

static void caller_part(Caller* caller)
{
    ssize_t size = recv(caller->socket, caller->piece, sizeof caller->piece, 0);
    if (size <= 0 && !should_wait(size)) {
        caller_drop(caller);
    }
}

// ---- the server

bool http_listen(HttpServer* server, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    int again = 1;
    server->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (server->socket < 0) {
        return false;
    }
    // the same port right after the last run
    setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (!socket_prepare(server->socket) || bind(server->socket, (struct sockaddr*)&address, size) != 0 ||
        listen(server->socket, CALLERS_MOST) != 0 ||
        getsockname(server->socket, (struct sockaddr*)&address, &size) != 0) {
        int error = errno;
        close(server->socket);
        errno = error;
        return false;
    }
    server->port = ntohs(address.sin_port);
    return true;
}

void http_close(HttpServer* server)
{
    close(server->socket);
}

static void caller_go_on(const Service* service, Caller* caller)
{
    switch (caller->state) {
    case CALLER_ASKS: caller_listen(service, caller); break;
    case CALLER_IS_ANSWERED: caller_tell(caller); break;
    case CALLER_LEAVES: caller_part(caller); break;
    case CALLER_NONE: break;
    }
}

// Waits until something can be done, and does it.
static void serve_once(Service* service)
{
    struct pollfd waits[CALLERS_MOST + 1];
    Caller* who[CALLERS_MOST];
    int count = 0;
    double now = talk_clock();
    for (int i = 0; i < CALLERS_MOST; i++) {
        Caller* caller = &service->callers[i];
        if (caller->state != CALLER_NONE && now > caller->deadline) {
            caller_drop(caller);
        }
        if (caller->state != CALLER_NONE) {
            short events = caller->state == CALLER_IS_ANSWERED ? POLLOUT : POLLIN;
            waits[count] = (struct pollfd){.fd = caller->socket, .events = events};
            who[count++] = caller;
        }
    }
    bool room = count < CALLERS_MOST; // else others wait in the system's queue
    waits[count] = (struct pollfd){.fd = service->server->socket, .events = POLLIN};
    if (poll(waits, (nfds_t)(count + room), WAIT_MOST) <= 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (waits[i].revents != 0) {
            caller_go_on(service, who[i]);
        }
    }
    if (room && waits[count].revents != 0) {
        caller_take(service);
    }
}

bool http_serve(const HttpServer* server, const HttpAsset* assets, int asset_count, bool (*goes_on)(void))
{
    Service service = {server, assets, asset_count, calloc(CALLERS_MOST, sizeof(Caller))};
    if (!service.callers) {
        return false;
    }
    while (goes_on()) {
        serve_once(&service);
    }
    for (int i = 0; i < CALLERS_MOST; i++) {
        if (service.callers[i].state != CALLER_NONE) {
            caller_drop(&service.callers[i]);
        }
    }
    free(service.callers);
    return true;
}
