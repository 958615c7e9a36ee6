// The page of the browser with a reel in it: one file that opens from disk. "make web" makes the page. The
// reel replaces one of its elements, as base64, so that no byte of the reel can end that element.
#include "export/output.h"
#include "export/reel.h"
#include "export/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BEGIN "<script type=\"application/x-cordage-reel\" id=\"reel\">"
#define PLACE_END "</script>"

// Browsers keep the text of an element as one string, of at most 512 MB.
#define PAGE_REEL_MOST ((int64_t)256000000)

// ---- the page

typedef struct Page {
    char *text, *end;        // terminated by a zero
    char* place;             // PLACE_BEGIN in it
    char *title, *title_end; // between <title> and </title>
} Page;

static CordResult page_open(Page* page, const char* path, CordMessage* message)
{
    *page = (Page){0};
    if (!path) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "html needs the page of the browser: \"make web\" makes it");
    }
    size_t size;
    page->text = input_read(path, SIZE_MAX / 2, &size);
    if (!page->text) {
        return export_fail(message, CORD_BAD_FILE, "the page %s cannot be read: %s; \"make web\" makes it",
                           path, strerror(errno));
    }
    page->end = page->text + size;
    page->place = strstr(page->text, PLACE_BEGIN PLACE_END);
    page->title = strstr(page->text, "<title>");
    page->title_end = page->title ? strstr(page->title, "</title>") : NULL;
    if (!page->place || strstr(page->place + 1, PLACE_BEGIN) || !page->title_end ||
        page->title_end > page->place) {
        free(page->text);
        return export_fail(
            message, CORD_BAD_FILE,
            "%s is not the page of the browser, or of another version; make it again with \"make web\"",
            path);
    }
    page->title += strlen("<title>");
    return CORD_OK;
}

static void put_escaped(FILE* file, const char* text)
{
    for (const char* c = text; *c; c++) {
        switch (*c) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        default: putc(*c, file); break;
        }
    }
}

static void put_until(FILE* file, const char* from, const char* to)
{
    fwrite(from, 1, (size_t)(to - from), file);
}

static void put_reel(void* user, const uint8_t* bytes, size_t size)
{
    base64_put(user, bytes, size);
}

static CordResult put_page(FILE* file, const Page* page, const CordFrames* frames, const CordExportDef* def,
                           CordMessage* message)
{
    Base64 base64 = {.file = file};
    const ReelSink sink = {put_reel, &base64, PAGE_REEL_MOST, "a page"};
    put_until(file, page->text, page->title);
    put_escaped(file, def->title ? def->title : "Cordage");
    put_until(file, page->title_end, page->place);
    fputs(PLACE_BEGIN, file);
    CORD_TRY(reel_stream(frames, def, &sink, message));
    base64_end(&base64);
    put_until(file, page->place + strlen(PLACE_BEGIN), page->end);
    return CORD_OK;
}

static CordResult html_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Page page;
    Output out;
    CORD_TRY(page_open(&page, def->page, message));
    CordResult result = output_open(&out, def->path, message);
    if (result == CORD_OK) {
        result = put_page(out.file, &page, frames, def, message);
        result = output_finish(&out, result, message);
    }
    free(page.text);
    return result;
}

const ExportWriter export_html = {
    .format = {.name = "html",
               .summary = "one page that opens from disk and plays the frames, or runs the scene"},
    .write = html_write,
};
