// The colours of pictures as glTF materials. Each is written when it is first used.
#include "export/gltf.h"
#include "export/text.h"

#include "export/rod_texture.h"

#include <stdlib.h>

static int material_find(const Gltf* g, uint32_t first, uint32_t second, bool both_sides)
{
    for (int i = 0; i < g->material_count; i++) {
        const GltfMaterial* m = &g->materials[i];
        if (m->colors[0] == first && m->colors[1] == second && m->both_sides == both_sides) {
            return m->index;
        }
    }
    return -1;
}

static void material_keep(Gltf* g, uint32_t first, uint32_t second, bool both_sides, int index)
{
    GltfMaterial* grown = realloc(g->materials, ((size_t)g->material_count + 1) * sizeof *grown);
    g->no_memory = g->no_memory || !grown;
    if (grown) {
        g->materials = grown;
        g->materials[g->material_count++] = (GltfMaterial){{first, second}, both_sides, index};
    }
}

static void put_material(Gltf* g, const char* base, bool both_sides)
{
    fprintf(gltf_entry(g, GLTF_MATERIALS),
            "{\"pbrMetallicRoughness\":{%s,\"metallicFactor\":0,\"roughnessFactor\":0.6}%s}", base,
            both_sides ? ",\"doubleSided\":true" : "");
}

static int put_texture(Gltf* g, uint32_t strong, uint32_t light) // a texture
{
    uint8_t png[ROD_TEXTURE_PNG];
    int view = gltf_view_begin(g);
    gltf_put_bytes(g, png, rod_texture_png(strong, light, png));
    gltf_view_end(g, 0);
    fprintf(gltf_entry(g, GLTF_IMAGES), "{\"bufferView\":%d,\"mimeType\":\"image/png\"}", view);
    if (g->lists[GLTF_SAMPLERS].count == 0) {
        // linear filter with mipmaps, repeated along the rod
        fputs("{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":10497,\"wrapT\":10497}",
              gltf_entry(g, GLTF_SAMPLERS));
    }
    fprintf(gltf_entry(g, GLTF_TEXTURES), "{\"sampler\":0,\"source\":%d}", g->lists[GLTF_IMAGES].count - 1);
    return g->lists[GLTF_TEXTURES].count - 1;
}

int gltf_material_textured(Gltf* g, uint32_t strong, uint32_t light)
{
    int index = material_find(g, strong, light, false);
    if (index < 0) {
        char base[64];
        snprintf(base, sizeof base, "\"baseColorTexture\":{\"index\":%d}", put_texture(g, strong, light));
        index = g->lists[GLTF_MATERIALS].count;
        put_material(g, base, false);
        material_keep(g, strong, light, false, index);
    }
    return index;
}

int gltf_material(Gltf* g, uint32_t color, bool both_sides)
{
    int index = material_find(g, color, color, both_sides);
    if (index < 0) {
        PictureColor c = picture_color_linear(color);
        char base[160], red[NUMBER_TEXT_MOST], green[NUMBER_TEXT_MOST], blue[NUMBER_TEXT_MOST];
        snprintf(base, sizeof base, "\"baseColorFactor\":[%s,%s,%s,1]", number_text_short(c.r, red),
                 number_text_short(c.g, green), number_text_short(c.b, blue));
        index = g->lists[GLTF_MATERIALS].count;
        put_material(g, base, both_sides);
        material_keep(g, color, color, both_sides, index);
    }
    return index;
}
