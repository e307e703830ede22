/* Whatever the bytes are, reading them as where an array is on the devices of a mesh ends in that or in diagnoses;
 * what was read is printed as what reads as the same, and what devices hold of it is found, or why not. */
#include <stdlib.h>
#include <string.h>

#include "layout/equal.h"
#include "layout/mesh/placed.h"
#include "layout/mesh/shares.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void print_and_read(const tg_spread *spread)
{
    static tg_spread again;
    tg_text out = {0};
    bool equal = false;
    tg_spread_print(spread, &out);
    char *printed = tg_text_finish(&out);
    if (!printed || tg_spread_read(printed, strlen(printed), &again, NULL) != TG_OK) abort();
    if (tg_axe_equal(&spread->layout, &again.layout, &equal, NULL) == TG_OK && !equal) abort();
    if (again.terms.count != spread->terms.count || again.id_count != spread->id_count) abort();
    free(printed);
}

/* The array of the layout, in as many dimensions as a sharding has. */
static void spread_out(const tg_placed *placed, tg_diags *diags)
{
    static tg_spread spread;
    tg_shape shape = {1, {1}};
    tg_shares shares;
    if (placed->form == TG_PLACED_AXE) {
        shape.extent[0] = tg_iters_size(&placed->spread.layout.d);
    } else {
        shape.rank = placed->sharding.rank;
        for (int d = 0; d < shape.rank; d++) shape.extent[d] = 24;
    }
    if (tg_placed_spread(placed, &shape, &spread, diags) != TG_OK) return;
    print_and_read(&spread);
    const int devices = placed->has_mesh ? placed->mesh.device_count : 8;
    const int64_t held = tg_spread_held(&spread);
    if (held > 1 << 16) return;
    if (tg_shares_of(&spread, &shape, devices, held, &shares, diags) == TG_OK)
        tg_shares_free(&shares);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static tg_placed placed;
    tg_mesh mesh;
    char *text = malloc(size ? size : 1); /* exactly the bytes, so that reading beyond them shows */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    tg_mesh_begin(&mesh);
    tg_mesh_add(&mesh, "x", 1, 4, -1, NULL);
    tg_mesh_add(&mesh, "y", 1, 2, -1, NULL);
    for (int given = 0; given < 2; given++) {
        tg_diags diags = {0};
        if (tg_placed_read(text, size, given ? &mesh : NULL, -1, &placed, &diags) == TG_OK)
            spread_out(&placed, &diags);
        else if (!diags.count)
            abort();
        tg_diags_free(&diags);
    }
    free(text);
    return 0;
}
