/* fuzz-plan.c: plans for one graph, by the calls that a program makes. The input
 * is a plan without its last two lines, or one that is packed. */
#include "config.h"

#include "format/gzip.h"
#include "fuzz/fuzz.h"
#include "fuzz/use-plan.h"

#define MOST_BYTES (1 << 22)  /* of what is signed and used */

static GBytes *graph;

static void
pack_again (GBytes *text)
{
  gsize size;
  const void *bytes = g_bytes_get_data (text, &size);
  g_autoptr (TpPacker) packer = tp_packer_new ();
  g_autoptr (GBytes) packed = NULL, again = NULL;

  tp_packer_add (packer, bytes, size);
  packed = tp_packer_finish (packer, NULL);
  g_assert_nonnull (packed);
  again = tp_gzip_unpack ("again", packed, G_MAXINT64, NULL);
  g_assert_true (again != NULL && g_bytes_equal (again, text));
}

/* As it is, and then what comes of it as if it were no packed one. */
static void
use_packed (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) packed = g_bytes_new_static (data, size);
  g_autoptr (GBytes) text = tp_gzip_unpack ("plan", packed, MOST_BYTES, NULL);
  g_autoptr (TplanPlan) plan
      = tplan_plan_new_from_bytes (packed, graph, NULL, NULL);

  g_assert_true (plan == NULL || tplan_plan_get_graph (plan) != NULL);
  if (text == NULL)
    return;
  pack_again (text);
  fuzz_use_plan (g_bytes_get_data (text, NULL), g_bytes_get_size (text), graph);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (graph == NULL)
    graph = fuzz_get_file ("FUZZ_GRAPH");
  if (tp_gzip_is (data, size))
    use_packed (data, size);
  else
    fuzz_use_plan ((const char *) data, size, graph);
  return 0;
}
