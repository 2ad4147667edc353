/* fuzz-tiers.c: plans for several values of a dimension, in one file. Each plan is
 * signed once more when it is picked, so that what was changed is read. */
#include "config.h"

#include "format/plan-json.h"
#include "format/tiers.h"
#include "fuzz/fuzz.h"
#include "fuzz/use-plan.h"

#include <string.h>

#define MAX_PICKED 3

static GBytes *graph;         /* of the plans; its dimension has no value */

/* What is left without the last two lines. */
static gsize
find_end (const char *text, gsize size)
{
  const gsize end = strlen (TP_PLAN_DIGEST_KEY) + TP_PLAN_DIGEST_LENGTH
                    + strlen (TP_PLAN_TAIL);

  return size > end ? size - end : size;
}

/* As `tplan run --dim` does. */
static void
pick (GBytes *file, const char *parameter, gint64 value)
{
  g_autoptr (TpDims) dims = tp_dims_new ();
  g_autoptr (GBytes) plan = NULL;
  const char *text;
  gsize size;

  tp_dims_set (dims, parameter, value);
  plan = tp_tiers_pick (file, "tiers", dims, NULL);
  g_assert_nonnull (plan);
  text = g_bytes_get_data (plan, &size);
  fuzz_use_plan (text, find_end (text, size), graph);
}

/* What no plan is for. */
static void
miss (GBytes *file, const char *parameter, gint64 last)
{
  g_autoptr (TpDims) dims = tp_dims_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_tiers_pick (file, "tiers", NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_clear_error (&error);
  if (last == G_MAXINT64)
    return;
  tp_dims_set (dims, parameter, last + 1);
  g_assert_null (tp_tiers_pick (file, "tiers", dims, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

/* By the public call, unsigned. */
static void
load (GBytes *file, const char *parameter, gint64 value)
{
  const TplanDim dims[] = { { parameter, value }, { NULL, 0 } };
  const TplanLoadOptions options = { .dims = dims };
  g_autoptr (TplanPlan) plan
      = tplan_plan_new_from_bytes (file, graph, &options, NULL);

  if (plan != NULL)
    g_assert_nonnull (tplan_plan_get_graph (plan));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) file = g_bytes_new (data, size);
  g_autofree char *parameter = NULL;
  g_autoptr (GArray) values = NULL;
  gint64 value = 1;

  if (graph == NULL)
    graph = fuzz_get_file ("FUZZ_GRAPH_OF_TIERS");
  if (tp_tiers_list (file, "tiers", &parameter, &values, NULL))
    {
      for (guint i = 0; i < MIN (values->len, MAX_PICKED); i++)
        pick (file, parameter, g_array_index (values, gint64, i));
      value = g_array_index (values, gint64, values->len - 1);
      if (tp_tiers_is ((const char *) data, size))
        miss (file, parameter, value);
    }
  load (file, parameter == NULL ? "N" : parameter, value);
  return 0;
}
