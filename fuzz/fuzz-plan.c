/* fuzz-plan.c: plans for one graph. The input is a plan without its last two
 * lines; it is signed here, or no change would be read any further. */
#include "config.h"

#include "format/load-options.h"
#include "format/plan-json.h"
#include "format/plan-load.h"
#include "fuzz/fuzz.h"
#include "planner/check/check.h"

#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const char *graph_path = getenv ("FUZZ_GRAPH");
  TpLoadOptions options = { .limits = fuzz_get_limits () };
  g_autoptr (GString) text = g_string_new_len ((const char *) data, size);
  g_autofree char *digest
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, size);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autofree char *again = NULL;

  if (graph_path == NULL)
    g_error ("FUZZ_GRAPH must name the graph of the plans");
  g_string_append_printf (text, " \"sha256\": \"%s\"\n}\n", digest);
  plan = tp_plan_read (fuzz_make_file (text->str, text->len), graph_path,
                       &options, &graph, NULL);
  if (plan == NULL)
    return 0;
  tp_check (plan, graph, reasons);
  again = tp_plan_to_json (plan, graph);
  return 0;
}
