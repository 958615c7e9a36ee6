// The script: a description of the export as Python literals, and then the code, which is always the same.
#include "export/blender.h"

#include "export/geometry.h"
#include "export/output.h"
#include "export/rod_texture.h"
#include "export/text.h"

#include <stdlib.h>

int blender_material(BlenderMaterials* m, uint32_t strong, uint32_t light)
{
    for (int i = 0; i < m->count; i++) {
        if (m->colors[i][0] == strong && m->colors[i][1] == light) {
            return i;
        }
    }
    uint32_t(*grown)[2] = realloc(m->colors, ((size_t)m->count + 1) * sizeof *grown);
    if (!grown) {
        m->no_memory = true;
        return 0;
    }
    m->colors = grown;
    m->colors[m->count][0] = strong;
    m->colors[m->count][1] = light;
    return m->count++;
}

// ---- the description

static void put_vector(FILE* file, const char* name, double x, double y, double z)
{
    char text[3][NUMBER_TEXT_MOST];
    fprintf(file, "\"%s\": (%s, %s, %s), ", name, number_text(x, text[0]), number_text(y, text[1]),
            number_text(z, text[2]));
}

static void put_number(FILE* file, const char* name, double value)
{
    char text[NUMBER_TEXT_MOST];
    fprintf(file, "\"%s\": %s, ", name, number_text(value, text));
}

static void put_material(FILE* file, uint32_t strong, uint32_t light)
{
    PictureColor c = picture_color_linear(strong);
    fputs("    {", file);
    put_vector(file, "color", c.r, c.g, c.b);
    if (strong != light) {
        uint8_t rgb[3 * ROD_TEXTURE_WIDTH];
        rod_texture_pixels(strong, light, rgb);
        fputs("\"stripes\": \"", file);
        for (int i = 0; i < 3 * ROD_TEXTURE_WIDTH; i++) {
            fprintf(file, "%02x", rgb[i]);
        }
        fputs("\"", file);
    }
    fputs("},\n", file);
}

// The frame rate of the frames if it can be watched; otherwise they are shown more slowly or faster.
static double frame_rate(const Sequence* sequence)
{
    double span = sequence->time[sequence->count - 1], rate = span > 0.0 ? (sequence->count - 1) / span : 0.0;
    return !sequence->counted && rate >= 1.0 && rate <= 240.0 ? rate : 1.0 / SEQUENCE_INTERVAL;
}

static void put_camera(FILE* file, const Sequence* sequence)
{
    PictureCamera view;
    PictureStage stage;
    const CordPictureDef* def = &sequence->picture;
    if (picture_camera_make(def, &view, NULL) != CORD_OK) {
        fputs("CAMERA = None\n", file);
        return;
    }
    picture_stage_make(def, &view, &stage);
    fputs("CAMERA = {", file);
    put_vector(file, "eye", def->eye.x, def->eye.y, def->eye.z);
    put_vector(file, "right", view.right.x, view.right.y, view.right.z);
    put_vector(file, "up", view.up.x, view.up.y, view.up.z);
    put_vector(file, "forward", view.forward.x, view.forward.y, view.forward.z);
    put_vector(file, "lamp", stage.key.x, stage.key.y, stage.key.z);
    put_number(file, "distance", view.scale);
    put_number(file, "angle", def->field_of_view);
    fprintf(file, "\"size\": (%d, %d)}\n", def->width, def->height);
}

// A floor below everything, as in pictures, unless the scene has a plane that faces up.
static void put_ground(FILE* file, const Sequence* sequence)
{
    CordVec3 middle = cord_vec3_scale(cord_vec3_add(sequence->low, sequence->high), 0.5);
    if (!sequence->picture.ground || !isnan(sequence->floor) || !isfinite(sequence->picture.ground_height)) {
        fputs("GROUND = None\n", file);
        return;
    }
    fputs("GROUND = {", file);
    put_vector(file, "middle", middle.x, middle.y, sequence->picture.ground_height);
    put_number(file, "size", 20.0 * cord_vec3_length(cord_vec3_sub(sequence->high, sequence->low)));
    PictureColor c = picture_color_linear(picture_stage_solid(true, true, 1));
    put_vector(file, "color", c.r, c.g, c.b);
    fputs("}\n", file);
}

// ---- the code

static const char python_data[] =
    "\n\n"
    "def folder():\n"
    "    \"\"\"Where the numbers are: beside this script, wherever Blender has it from.\"\"\"\n"
    "    files = [globals().get(\"__file__\", \"\")]\n"
    "    files += [bpy.path.abspath(text.filepath) for text in bpy.data.texts if text.filepath]\n"
    "    for file in files:\n"
    "        place = os.path.join(os.path.dirname(os.path.abspath(file)), DIRECTORY)\n"
    "        if os.path.isfile(os.path.join(place, \"meshes.bin\")):\n"
    "            return place\n"
    "    raise FileNotFoundError(\"the directory %r is not beside this script: keep the two together\" % "
    "DIRECTORY)\n"
    "\n\n"
    "def numbers(file, kind, part):\n"
    "    values = array.array(kind)\n"
    "    file.seek(part[0])\n"
    "    values.fromfile(file, part[1])\n"
    "    if sys.byteorder == \"big\":\n"
    "        values.byteswap()\n"
    "    return values\n"
    "\n\n"
    "def make_material(number, entry):\n"
    "    material = bpy.data.materials.new(\"cordage %d\" % number)\n"
    "    material.use_nodes = True\n"
    "    material.diffuse_color = (*entry[\"color\"], 1)\n"
    "    tree = material.node_tree\n"
    "    shader = next(node for node in tree.nodes if node.type == \"BSDF_PRINCIPLED\")\n"
    "    shader.inputs[\"Base Color\"].default_value = (*entry[\"color\"], 1)\n"
    "    shader.inputs[\"Roughness\"].default_value = 0.6\n"
    "    if \"stripes\" in entry:\n"
    "        rgb = bytes.fromhex(entry[\"stripes\"])\n"
    "        image = bpy.data.images.new(material.name, width=len(rgb) // 3, height=1)\n"
    "        image.pixels = [v for i in range(0, len(rgb), 3) for v in (*(c / 255 for c in rgb[i : i + 3]), "
    "1)]\n"
    "        image.pack()\n"
    "        texture = tree.nodes.new(\"ShaderNodeTexImage\")\n"
    "        texture.image = image\n"
    "        tree.links.new(texture.outputs[\"Color\"], shader.inputs[\"Base Color\"])\n"
    "    return material\n";

static const char python_objects[] =
    "\n\n"
    "def make_mesh(file, entry, materials):\n"
    "    points = numbers(file, \"f\", entry[\"points\"])\n"
    "    corners = numbers(file, \"i\", entry[\"corners\"])\n"
    "    faces, at = [], 0\n"
    "    for size in numbers(file, \"i\", entry[\"sizes\"]):\n"
    "        faces.append(corners[at : at + size])\n"
    "        at += size\n"
    "    mesh = bpy.data.meshes.new(entry[\"name\"])\n"
    "    mesh.from_pydata(list(zip(points[0::3], points[1::3], points[2::3])), [], faces)\n"
    "    if \"uv\" in entry:\n"
    "        mesh.uv_layers.new().data.foreach_set(\"uv\", numbers(file, \"f\", entry[\"uv\"]))\n"
    "    if \"slots\" in entry:\n"
    "        mesh.polygons.foreach_set(\"material_index\", numbers(file, \"i\", entry[\"slots\"]))\n"
    "    mesh.polygons.foreach_set(\"use_smooth\", [True] * len(faces))\n"
    "    for number in entry[\"materials\"]:\n"
    "        mesh.materials.append(materials[number])\n"
    "    mesh.update()\n"
    "    return mesh\n"
    "\n\n"
    "def follow_cache(thing, path):\n"
    "    \"\"\"Points of the mesh are read from a file, frame by frame.\"\"\"\n"
    "    modifier = thing.modifiers.new(\"cordage\", \"MESH_CACHE\")\n"
    "    modifier.cache_format = \"PC2\"\n"
    "    modifier.filepath = path\n"
    "    modifier.frame_start = 1\n"
    "\n\n"
    "def follow_poses(thing, poses):\n"
    "    thing.rotation_mode = \"QUATERNION\"\n"
    "    for k in range(0, len(poses), 7):\n"
    "        thing.location = poses[k : k + 3]\n"
    "        thing.rotation_quaternion = poses[k + 3 : k + 7]\n"
    "        if len(poses) > 7:\n"
    "            thing.keyframe_insert(\"location\", frame=1 + k // 7)\n"
    "            thing.keyframe_insert(\"rotation_quaternion\", frame=1 + k // 7)\n"
    "\n\n"
    "def make_objects(scene, place):\n"
    "    materials = [make_material(number, entry) for number, entry in enumerate(MATERIALS)]\n"
    "    with open(os.path.join(place, \"meshes.bin\"), \"rb\") as file:\n"
    "        for entry in OBJECTS:\n"
    "            thing = bpy.data.objects.new(entry[\"name\"], make_mesh(file, entry, materials))\n"
    "            scene.collection.objects.link(thing)\n"
    "            if \"cache\" in entry:\n"
    "                follow_cache(thing, os.path.join(place, entry[\"cache\"]))\n"
    "            if \"poses\" in entry:\n"
    "                follow_poses(thing, numbers(file, \"f\", entry[\"poses\"]))\n";

static const char python_scene[] =
    "\n\n"
    "def make_ground(scene):\n"
    "    half = GROUND[\"size\"] / 2\n"
    "    mesh = bpy.data.meshes.new(\"ground\")\n"
    "    mesh.from_pydata([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)], [], [(0, "
    "1, 2, 3)])\n"
    "    mesh.materials.append(make_material(len(MATERIALS), GROUND))\n"
    "    ground = bpy.data.objects.new(\"ground\", mesh)\n"
    "    ground.location = GROUND[\"middle\"]\n"
    "    scene.collection.objects.link(ground)\n"
    "\n\n"
    "def make_camera(scene):\n"
    "    camera = bpy.data.cameras.new(\"camera\")\n"
    "    camera.sensor_fit = \"VERTICAL\"\n"
    "    camera.angle = CAMERA[\"angle\"]\n"
    "    camera.clip_start = CAMERA[\"distance\"] / 1000\n"
    "    camera.clip_end = CAMERA[\"distance\"] * 1000\n"
    "    scene.camera = bpy.data.objects.new(\"camera\", camera)\n"
    "    axes = (Vector(CAMERA[\"right\"]), Vector(CAMERA[\"up\"]), -Vector(CAMERA[\"forward\"]))\n"
    "    turn = Matrix(axes).transposed().to_4x4()\n"
    "    scene.camera.matrix_world = Matrix.Translation(CAMERA[\"eye\"]) @ turn\n"
    "    scene.collection.objects.link(scene.camera)\n"
    "    scene.render.resolution_x, scene.render.resolution_y = CAMERA[\"size\"]\n"
    "\n\n"
    "def make_light(scene):\n"
    "    lamp = bpy.data.lights.new(\"lamp\", \"SUN\")\n"
    "    lamp.energy = 2\n"
    "    lamp.angle = 0.17\n"
    "    sun = bpy.data.objects.new(\"lamp\", lamp)\n"
    "    sun.rotation_euler = Vector(CAMERA[\"lamp\"]).to_track_quat(\"Z\", \"Y\").to_euler()\n"
    "    scene.collection.objects.link(sun)\n"
    "    scene.world = bpy.data.worlds.new(\"sky\")\n"
    "    scene.world.use_nodes = True\n"
    "    sky = next(node for node in scene.world.node_tree.nodes if node.type == \"BACKGROUND\")\n"
    "    sky.inputs[\"Color\"].default_value = (0.80, 0.82, 0.85, 1)\n"
    "    sky.inputs[\"Strength\"].default_value = 0.5\n"
    "    scene.view_settings.view_transform = \"Standard\"\n"
    "\n\n"
    "def make_scene():\n"
    "    \"\"\"A scene of its own: what else is open in Blender stays as it is.\"\"\"\n"
    "    place = folder()\n"
    "    scene = bpy.data.scenes.new(NAME)\n"
    "    scene.frame_start, scene.frame_end = 1, FRAMES\n"
    "    scene.render.fps = round(RATE)\n"
    "    scene.render.fps_base = round(RATE) / RATE\n"
    "    if hasattr(scene, \"cycles\"):\n"
    "        scene.cycles.use_denoising = False  # Blender renders nothing with it where it was built "
    "without a denoiser\n"
    "        scene.cycles.samples = 128\n"
    "    make_objects(scene, place)\n"
    "    if GROUND:\n"
    "        make_ground(scene)\n"
    "    if CAMERA:\n"
    "        make_camera(scene)\n"
    "        make_light(scene)\n"
    "    if bpy.context.window:\n"
    "        bpy.context.window.scene = scene\n"
    "    scene.frame_set(1)\n"
    "    return scene\n"
    "\n\n"
    "make_scene()\n";

void blender_script(FILE* file, const Sequence* sequence, const BlenderMaterials* materials,
                    const char* objects, const char* directory)
{
    char rate[NUMBER_TEXT_MOST];
    const char* name = output_folder_name(directory);
    fprintf(
        file,
        "# Made by cordage %s. In Blender's Scripting tab: open it, and run it. Or: blender -P FILE\n"
        "import array\nimport os\nimport sys\n\nimport bpy\nfrom mathutils import Matrix, Vector\n\nNAME = ",
        cord_version());
    text_python(file, name, false);
    fputs("\nDIRECTORY = ", file);
    text_python(file, name, true);
    fprintf(file, "\nFRAMES = %d\nRATE = %s\nMATERIALS = [\n", sequence->count,
            number_text(frame_rate(sequence), rate));
    for (int i = 0; i < materials->count; i++) {
        put_material(file, materials->colors[i][0], materials->colors[i][1]);
    }
    fprintf(file, "]\nOBJECTS = [\n%s]\n", objects);
    put_camera(file, sequence);
    put_ground(file, sequence);
    fputs(python_data, file);
    fputs(python_objects, file);
    fputs(python_scene, file);
}
