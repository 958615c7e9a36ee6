// What all of export/ shares: failing with one sentence, writing a file whole or not at all, numbers as text.
#ifndef CORD_EXPORT_EXPORT_H
#define CORD_EXPORT_EXPORT_H

#include "base/message.h"

#include <cordage/io.h>

#include <stdio.h>

// Formats the sentence (message may be NULL) and returns the result, so that a failure is one line.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CordResult
export_fail(CordMessage* message, CordResult result, const char* format, ...);

// Why a file could not be made or written, from errno, as part of a sentence: "the disk is full; make room".
const char* export_error_text(int error);

// A file that takes its place only when it is whole: written beside it as PATH.part, then renamed, so that a
// failure or a kill leaves what was there before. What is no regular file (a pipe, /dev/stdout) is written in
// place. The path "-" is standard output.
typedef struct Output {
    FILE* file;
    char* path; // where it will be
    char* part; // where it is being written; NULL: in place
} Output;

CordResult output_open(Output* out, const char* path, CordMessage* message);
// puts it in its place; finds earlier write errors
CordResult output_close(Output* out, CordMessage* message);
void output_abandon(Output* out); // removes what was written

// The shortest of 15 or 17 significant digits that reads back as the same number, with a point in every
// locale.
#define NUMBER_TEXT_MOST 32
const char* number_text(double value, char text[NUMBER_TEXT_MOST]);
const char* number_text_short(double value, char text[NUMBER_TEXT_MOST]); // 9 digits: what a float holds

#endif
