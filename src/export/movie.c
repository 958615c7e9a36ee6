// Frames as an mp4 file: each picture is sent to ffmpeg, which runs as a child process and reads raw
// pictures.
#include "export/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

typedef struct Encoder {
    pid_t child; // 0: it is not running
    int pipe;    // for raw pictures; -1: closed
    FILE* talk;  // output of ffmpeg, which is shown only in error messages
} Encoder;

enum { ARGUMENTS_MOST = 40 };

typedef struct Arguments {
    char text[512]; // all but the path, each terminated by a zero
    char* path;     // with the prefix "file:", so that no name is taken for an option or a URL
    const char* list[ARGUMENTS_MOST];
} Arguments;

static bool arguments_make(Arguments* a, const char* path, int width, int height, double fps)
{
    // The frame rate is a fraction, because it has no decimal separator.
    snprintf(a->text, sizeof a->text,
             "ffmpeg -y -nostdin -hide_banner -loglevel error"
             " -f rawvideo -pixel_format rgb24 -video_size %dx%d -framerate %lld/1000 -i pipe:0"
             " -vf scale=in_range=full:out_range=tv:out_color_matrix=bt709"
             " -c:v libx264 -preset medium -crf 17 -pix_fmt yuv420p"
             " -colorspace bt709 -color_primaries bt709 -color_trc bt709 -movflags +faststart -f mp4",
             width, height, llround(1000.0 * fps));
    size_t size = strlen(path) + sizeof "file:";
    a->path = malloc(size);
    if (!a->path) {
        return false;
    }
    snprintf(a->path, size, "file:%s", path);
    int count = 0;
    for (char* word = a->text; word && count < ARGUMENTS_MOST - 2;) {
        a->list[count++] = word;
        word = strchr(word, ' ');
        if (word) {
            *word++ = '\0';
        }
    }
    a->list[count++] = a->path;
    a->list[count] = NULL;
    return true;
}

// A socket instead of a pipe: writing to a socket that nobody reads is an error, not a signal to the program.
static bool encoder_ends(Encoder* e, int* child_end)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return false;
    }
    e->pipe = ends[0];
    *child_end = ends[1];
    e->talk = tmpfile();
    return e->talk && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(fileno(e->talk), F_SETFD, FD_CLOEXEC) == 0;
}

// The child has its own process group, so that Ctrl-C does not reach it and the movie is finished properly.
static int encoder_spawn(Encoder* e, int child_end, const Arguments* a)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        int talk = fileno(e->talk);
        error = posix_spawn_file_actions_adddup2(&actions, child_end, STDIN_FILENO);
        error = error ? error : posix_spawn_file_actions_adddup2(&actions, talk, STDOUT_FILENO);
        error = error ? error : posix_spawn_file_actions_adddup2(&actions, talk, STDERR_FILENO);
        error = error ? error : posix_spawnattr_setpgroup(&attributes, 0);
        error = error ? error : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        pid_t child = 0;
        error = error ? error
                      : posix_spawnp(&child, "ffmpeg", &actions, &attributes, (char* const*)a->list, environ);
        e->child = error ? 0 : child;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void encoder_close(Encoder* e)
{
    if (e->pipe >= 0) {
        close(e->pipe);
        e->pipe = -1;
    }
}

// The child's exit status; 0 is success.
static int encoder_wait(Encoder* e)
{
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(e->child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    e->child = 0;
    return status;
}

static void encoder_abandon(Encoder* e)
{
    if (e->child > 0) {
        kill(e->child, SIGKILL);
        encoder_wait(e);
    }
    encoder_close(e);
    if (e->talk) {
        fclose(e->talk);
        e->talk = NULL;
    }
}

static CordResult encoder_start(Encoder* e, const char* path, int width, int height, double fps,
                                CordMessage* message)
{
    *e = (Encoder){.pipe = -1};
    Arguments arguments;
    int child_end = -1;
    if (!arguments_make(&arguments, path, width, height, fps)) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for a movie");
    }
    int error = encoder_ends(e, &child_end) ? encoder_spawn(e, child_end, &arguments) : errno;
    if (child_end >= 0) {
        close(child_end);
    }
    free(arguments.path);
    if (error == 0) {
        return CORD_OK;
    }
    encoder_abandon(e);
    if (error == ENOENT) {
        return export_fail(message, CORD_NOT_SUPPORTED,
                           "ffmpeg, which makes mp4 files, is not on the PATH: install it (Debian: ffmpeg)");
    }
    return export_fail(message, CORD_BAD_FILE, "ffmpeg, which makes mp4 files, cannot be started: %s",
                       strerror(error));
}

static bool encoder_put(Encoder* e, const uint8_t* rgb, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(e->pipe, rgb, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        if (sent > 0) {
            rgb += sent;
            size -= (size_t)sent;
        }
    }
    return true;
}

// The output of ffmpeg, in one line.
static void encoder_words(Encoder* e, char* text, size_t size)
{
    rewind(e->talk);
    size_t length = fread(text, 1, size - 1, e->talk);
    while (length > 0 && (unsigned char)text[length - 1] <= ' ') {
        length--;
    }
    text[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        text[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    }
}

// Finishes the file, or reports why there is none.
static CordResult encoder_finish(Encoder* e, const char* path, CordMessage* message)
{
    encoder_close(e);
    int status = encoder_wait(e);
    CordResult result = CORD_OK;
    if (status != 0) {
        char words[600];
        encoder_words(e, words, sizeof words);
        result = export_fail(message, CORD_BAD_FILE, "%s cannot be written: ffmpeg says: %s", path,
                             words[0]              ? words
                             : WIFSIGNALED(status) ? "(nothing; it was killed)"
                                                   : "(nothing)");
    }
    encoder_abandon(e);
    return result;
}

typedef struct Movie {
    const CordFrames* frames;
    CordPictureDef def; // with its camera placed
    int first, last;
    double span; // the longest time shown [s]
    uint8_t* rgb;
    size_t size; // of the picture [bytes]
} Movie;

// Places one camera for all frames and finds the longest time, which determines the unit of all labels.
static CordResult movie_prepare(Movie* m, CordMessage* message)
{
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    bool fit = m->def.fit || (m->def.ground && isnan(m->def.ground_height));
    for (int k = m->first; k <= m->last; k += fit || k == m->last ? 1 : m->last - k) {
        CordFrame frame;
        CORD_TRY(m->frames->read(m->frames->user, k, &frame, message));
        m->span = fmax(m->span, fabs(frame.time));
        picture_bounds(&frame, m->def.radius_scale, &low, &high);
    }
    if (fit) {
        picture_place(&m->def, low, high);
    }
    m->size = 3 * (size_t)m->def.width * (size_t)m->def.height;
    m->rgb = malloc(m->size);
    return m->rgb ? CORD_OK : export_fail(message, CORD_NO_MEMORY, "there is not enough memory for a movie");
}

// Draws until the end, a stop by the caller, or a failure. *broken: ffmpeg stopped reading.
static CordResult movie_draw(Movie* m, Encoder* e, CordProgress progress, bool* broken, CordMessage* message)
{
    int total = m->last - m->first + 1;
    for (int k = 0; k < total; k++) {
        CordFrame frame;
        CORD_TRY(m->frames->read(m->frames->user, m->first + k, &frame, message));
        CORD_TRY(picture_render(&frame, &m->def, m->span, m->rgb, message));
        *broken = !encoder_put(e, m->rgb, m->size);
        if (*broken || (progress.update && !progress.update(progress.user, k + 1, total))) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult movie_make(Movie* m, double fps, const char* path, CordProgress progress,
                             CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, path, message));
    Encoder encoder;
    bool broken = false;
    CordResult result =
        encoder_start(&encoder, out.part ? out.part : out.path, m->def.width, m->def.height, fps, message);
    if (result != CORD_OK) {
        output_abandon(&out);
        return result;
    }
    result = movie_prepare(m, message);
    if (result == CORD_OK) {
        result = movie_draw(m, &encoder, progress, &broken, message);
    }
    if (result == CORD_OK) {
        result = encoder_finish(&encoder, path, message);
    }
    if (result == CORD_OK && broken) { // it stopped reading without an error
        result = export_fail(message, CORD_BAD_FILE,
                             "%s cannot be written: ffmpeg stopped before the last picture", path);
    }
    encoder_abandon(&encoder);
    free(m->rgb);
    return output_finish(&out, result, message);
}

CordResult cord_picture_mp4(const CordFrames* frames, const CordPictureDef* def, double fps, int first,
                            int last, const char* path, CordProgress progress, CordMessage* message)
{
    Movie movie = {
        .frames = frames, .def = *def, .first = first, .last = last < 0 ? frames->count - 1 : last};
    if (first < 0 || movie.last >= frames->count || first > movie.last) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "frames %d to %d were asked for, but there are %d, from 0", first, movie.last,
                           frames->count);
    }
    if (!(fps >= 0.01 && fps <= 1000.0)) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "a movie of %g pictures per second cannot be made; write from 0.01 to 1000", fps);
    }
    if (path && strcmp(path, "-") == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "an mp4 cannot be written to standard output; give the name of a file");
    }
    // mp4 halves the resolution of colours, so width and height are even
    movie.def.width += movie.def.width & 1;
    movie.def.height += movie.def.height & 1;
    CORD_TRY(picture_check(&movie.def, message));
    return movie_make(&movie, fps, path, progress, message);
}
