#include "http.h"

#include "console.h"
#include "heap.h"
#include "http_request.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MOST = 64, REQUEST_MOST = 8192, PIECE = 65536, WAIT_MOST = 250 }; // [bytes], [bytes], [ms]

static const double request_time = 10.0; // for the client to send its request [s]
static const double answer_time = 30.0;  // for the client to take the next piece of an answer [s]
static const double parting_time = 2.0;  // for the client to close after its answer [s]
static const double accept_pause = 0.2;  // until the next attempt if there is no descriptor for a client [s]

typedef enum ClientState { CLIENT_FREE, CLIENT_REQUESTS, CLIENT_RECEIVES, CLIENT_CLOSES } ClientState;

typedef struct Client {
    ClientState state;
    int socket;
    double deadline; // [s of clock_wall]
    char request[REQUEST_MOST];
    size_t request_size;
    char piece[PIECE]; // part of the answer
    size_t piece_size, piece_sent;
    const HttpAsset* asset; // the file that is sent; NULL: no more to send
    int64_t asset_sent;     // bytes read so far
} Client;

typedef struct Service {
    const HttpServer* server;
    const HttpAsset* assets; // (asset_count)
    int asset_count;
    Client* clients;    // (CLIENTS_MOST)
    double accept_from; // [s of clock_wall]
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

static void answer_begin(Client* client, int status, const char* type, int64_t size)
{
    // No other page may embed or read this one, and the address is not passed on.
    int length = snprintf(client->piece, sizeof client->piece,
                          "HTTP/1.1 %d %s\r\n"
                          "Content-Type: %s\r\n"
                          "Content-Length: %lld\r\n"
                          "%sConnection: close\r\n"
                          "Cache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "X-Frame-Options: DENY\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "Referrer-Policy: no-referrer\r\n"
                          "\r\n",
                          status, status_text(status), type, (long long)size,
                          status == 405 ? "Allow: GET, HEAD\r\n" : "");
    client->piece_size = (size_t)length;
    client->piece_sent = 0;
    client->state = CLIENT_RECEIVES;
    client->deadline = clock_wall() + answer_time;
}

static void answer_refuse(Client* client, int status, bool head_only)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%d %s\n", status, status_text(status));
    answer_begin(client, status, "text/plain; charset=utf-8", size);
    if (!head_only) {
        memcpy(client->piece + client->piece_size, text, (size_t)size);
        client->piece_size += (size_t)size;
    }
}

static void answer(const Service* service, Client* client, size_t request_size)
{
    HttpRequest request = http_request_read(client->request, request_size, service->server->port);
    const HttpAsset* asset = NULL;
    for (int i = 0; i < service->asset_count && request.status == 200; i++) {
        if (strcmp(service->assets[i].path, request.path) == 0) {
            asset = &service->assets[i];
        }
    }
    if (!asset) {
        answer_refuse(client, request.status == 200 ? 404 : request.status, request.head_only);
        return;
    }
    answer_begin(client, 200, asset->type, asset->size);
    client->asset = request.head_only ? NULL : asset;
    client->asset_sent = 0;
}

// Reads the next piece of the file. False: there is none.
static bool answer_next(Client* client)
{
    const HttpAsset* asset = client->asset;
    int64_t left = asset ? asset->size - client->asset_sent : 0;
    if (left <= 0) {
        return false;
    }
    size_t wanted = left < PIECE ? (size_t)left : PIECE;
    ssize_t size = pread(asset->file, client->piece, wanted, (off_t)client->asset_sent);
    client->piece_size = size > 0 ? (size_t)size : 0;
    client->piece_sent = 0;
    client->asset_sent += size > 0 ? size : 0;
    return size > 0; // otherwise the file was truncated: the client sees that less came than announced
}

// ---- clients

static void client_close(Client* client)
{
    close(client->socket);
    client->state = CLIENT_FREE;
}

static bool socket_prepare(int socket)
{
    int flags = fcntl(socket, F_GETFL);
    return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

static Client* client_free(Service* service) // NULL: none
{
    for (int i = 0; i < CLIENTS_MOST; i++) {
        if (service->clients[i].state == CLIENT_FREE) {
            return &service->clients[i];
        }
    }
    return NULL;
}

// The client that has kept the server waiting longest, for its request or for its farewell. NULL: all of them
// are being served.
static Client* client_idle(Service* service)
{
    Client* idle = NULL;
    for (int i = 0; i < CLIENTS_MOST; i++) {
        Client* client = &service->clients[i];
        bool waits = client->state == CLIENT_REQUESTS || client->state == CLIENT_CLOSES;
        if (waits && (!idle || client->deadline < idle->deadline)) {
            idle = client;
        }
    }
    return idle;
}

static bool has_place(Service* service) // for one more client
{
    return client_free(service) || client_idle(service);
}

// Where descriptors run out, an idle client makes room. Without one the next attempt is put off, since poll
// would report the same caller again at once.
static void accept_failed(Service* service, int error)
{
    Client* idle = client_idle(service);
    if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) {
        return; // the caller hung up
    }
    if (idle) {
        client_close(idle);
    } else {
        service->accept_from = clock_wall() + accept_pause;
    }
}

// Callers that say nothing do not keep others out: if there is no place, an idle client loses its own.
static void client_accept(Service* service)
{
    int socket = accept(service->server->socket, NULL, NULL);
    if (socket < 0) {
        accept_failed(service, errno);
        return;
    }
    Client* client = client_free(service);
    if (!client) {
        client = client_idle(service);
        client_close(client);
    }
    if (!socket_prepare(socket)) {
        close(socket);
        return;
    }
    client->state = CLIENT_REQUESTS;
    client->socket = socket;
    client->deadline = clock_wall() + request_time;
    client->request_size = 0;
    client->asset = NULL;
}

static bool should_wait(ssize_t result)
{
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static void client_read(const Service* service, Client* client)
{
    ssize_t size = recv(client->socket, client->request + client->request_size,
                        sizeof client->request - client->request_size, 0);
    if (should_wait(size)) {
        return;
    }
    if (size <= 0) {
        client_close(client);
        return;
    }
    client->request_size += (size_t)size;
    size_t end = http_request_end(client->request, client->request_size);
    if (end > 0) {
        answer(service, client, end);
    } else if (client->request_size == sizeof client->request) {
        answer_refuse(client, 431, false);
    }
}

static void client_write(Client* client)
{
    ssize_t size = send(client->socket, client->piece + client->piece_sent,
                        client->piece_size - client->piece_sent, MSG_NOSIGNAL);
    if (should_wait(size)) {
        return;
    }
    if (size < 0) {
        client_close(client);
        return;
    }
    client->piece_sent += (size_t)size;
    client->deadline = clock_wall() + answer_time;
    if (client->piece_sent == client->piece_size && !answer_next(client)) {
        // Closing a socket with unread input would discard what has not been sent yet.
        shutdown(client->socket, SHUT_WR);
        client->state = CLIENT_CLOSES;
        client->deadline = clock_wall() + parting_time;
    }
}

static void client_drain(Client* client)
{
    ssize_t size = recv(client->socket, client->piece, sizeof client->piece, 0);
    if (size <= 0 && !should_wait(size)) {
        client_close(client);
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
    // allows the same port right after the last run
    setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (!socket_prepare(server->socket) || bind(server->socket, (struct sockaddr*)&address, size) != 0 ||
        listen(server->socket, CLIENTS_MOST) != 0 ||
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

static void client_serve(const Service* service, Client* client)
{
    switch (client->state) {
    case CLIENT_REQUESTS: client_read(service, client); break;
    case CLIENT_RECEIVES: client_write(client); break;
    case CLIENT_CLOSES: client_drain(client); break;
    case CLIENT_FREE: break;
    }
}

// Waits for the next events, and handles them.
static void serve_once(Service* service)
{
    struct pollfd waits[CLIENTS_MOST + 1];
    Client* who[CLIENTS_MOST];
    int count = 0;
    double now = clock_wall();
    for (int i = 0; i < CLIENTS_MOST; i++) {
        Client* client = &service->clients[i];
        if (client->state != CLIENT_FREE && now > client->deadline) {
            client_close(client);
        }
        if (client->state != CLIENT_FREE) {
            short events = client->state == CLIENT_RECEIVES ? POLLOUT : POLLIN;
            waits[count] = (struct pollfd){.fd = client->socket, .events = events};
            who[count++] = client;
        }
    }
    // Clients that cannot be accepted wait in the system's queue.
    bool room = now >= service->accept_from && has_place(service);
    waits[count] = (struct pollfd){.fd = service->server->socket, .events = POLLIN};
    if (poll(waits, (nfds_t)(count + room), WAIT_MOST) <= 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (waits[i].revents != 0) {
            client_serve(service, who[i]);
        }
    }
    if (room && waits[count].revents != 0 && has_place(service)) {
        client_accept(service);
    }
}

void http_serve(const HttpServer* server, const HttpAsset* assets, int asset_count, bool (*goes_on)(void))
{
    Service service = {server, assets, asset_count, heap_take(CLIENTS_MOST, sizeof(Client)), 0.0};
    while (goes_on()) {
        serve_once(&service);
    }
    for (int i = 0; i < CLIENTS_MOST; i++) {
        if (service.clients[i].state != CLIENT_FREE) {
            client_close(&service.clients[i]);
        }
    }
    free(service.clients);
}
