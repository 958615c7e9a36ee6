// A picture as a PNG file.
#include "export/picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef CORD_PNG

#include <png.h>

typedef struct PngFile {
    Output out;
    CordMessage* message;
    CordResult result;
} PngFile;

static void png_error_take(png_structp png, png_const_charp text)
{
    PngFile* file = png_get_error_ptr(png);
    file->result = export_fail(file->message, CORD_BAD_FILE, "%s cannot be written: %s", file->out.path,
                               errno ? output_error_text(file->out.path, errno) : text);
    longjmp(png_jmpbuf(png), 1);
}

static void png_warning_drop(png_structp png, png_const_charp text)
{
    (void)png, (void)text; // these files give no cause for warnings
}

static void png_head(png_structp png, png_infop info, const CordPictureDef* def)
{
    char key[] = "Software", program[64];
    snprintf(program, sizeof program, "Cordage %s", cord_version());
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key, .text = program};
    png_set_IHDR(png, info, (png_uint_32)def->width, (png_uint_32)def->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_text(png, info, &text, 1);
    png_write_info(png, info);
}

// libpng fails by longjmp, so no local variable may change after setjmp.
static void png_put(PngFile* file, const CordPictureDef* def, const uint8_t* rgb)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, file, png_error_take, png_warning_drop);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        file->result = export_fail(file->message, CORD_NO_MEMORY,
                                   "%s cannot be written: there is not enough memory", file->out.path);
    } else if (setjmp(png_jmpbuf(png)) == 0) {
        png_init_io(png, file->out.file);
        png_head(png, info, def);
        for (int y = 0; y < def->height; y++) {
            png_write_row(png, rgb + 3 * (size_t)def->width * (size_t)y);
        }
        png_write_end(png, info);
    }
    png_destroy_write_struct(&png, &info);
}

static CordResult png_write(const CordPictureDef* def, const uint8_t* rgb, const char* path,
                            CordMessage* message)
{
    PngFile file = {.message = message, .result = CORD_OK};
    CORD_TRY(output_open(&file.out, path, message));
    errno = 0;
    png_put(&file, def, rgb);
    return output_finish(&file.out, file.result, message);
}

CordResult cord_picture_png(const CordFrame* frame, const CordPictureDef* def, const char* path,
                            CordMessage* message)
{
    size_t wide = def->width > 0 ? (size_t)def->width : 1, high = def->height > 0 ? (size_t)def->height : 1;
    // cord_picture_render refuses wrong sizes before it writes a byte
    uint8_t* rgb = malloc(3 * wide * high);
    if (!rgb) {
        return export_fail(message, CORD_NO_MEMORY, "no memory for a picture of %d x %d pixels", def->width,
                           def->height);
    }
    CordResult result = cord_picture_render(frame, def, rgb, message);
    if (result == CORD_OK) {
        result = png_write(def, rgb, path, message);
    }
    free(rgb);
    return result;
}

#else

CordResult cord_picture_png(const CordFrame* frame, const CordPictureDef* def, const char* path,
                            CordMessage* message)
{
    (void)frame, (void)def;
    return export_fail(
        message, CORD_NOT_SUPPORTED,
        "%s: this build of Cordage writes no PNG files: install libpng (Debian: libpng-dev) and build again",
        path);
}

#endif
