/* plan-read-head.c: see plan-read-head.h. */
#include "config.h"

#include "format/plan-read-head.h"

#include "format/plan-json.h"
#include "graph/pass.h"
#include "ir/guard.h"

#include <string.h>

#define MAX_DEVICES 16

gboolean
tp_plan_check_format (const TpPlanReader *reader, const json_t *root,
                      GError **error)
{
  const char *format = json_string_value (json_object_get (root, "format"));

  return g_strcmp0 (format, TP_PLAN_FORMAT) == 0
         || tp_plan_read_fail (reader, error, "format",
                               "this tplan reads " TP_PLAN_FORMAT);
}

static gboolean
read_dims (TpPlanPlace root, TpPlan *plan, GError **error)
{
  json_t *dims = json_object_get (root.json, "dims"), *value;
  const char *name;

  if (dims == NULL)
    return TRUE;
  if (!json_is_object (dims))
    return tp_plan_read_fail (root.reader, error, "dims", "not an object");
  plan->dims = tp_dims_new ();
  json_object_foreach (dims, name, value)
    {
      TpPlanPlace place = { root.reader, "dims", value };
      gint64 number;

      if (!tp_plan_read_integer (place, 0, &number, error))
        return FALSE;
      tp_dims_set (plan->dims, name, number);
    }
  return TRUE;
}

/* A list that may be absent. */
static gboolean
read_names (TpPlanPlace root, const char *key, char ***out_names,
            GError **error)
{
  return json_object_get (root.json, key) == NULL
         || tp_plan_read_strings (root, key, out_names, error);
}

static gboolean
read_passes (TpPlanPlace root, TpPlan *plan, GError **error)
{
  g_autoptr (GError) local = NULL;
  TpPassOptions options = { NULL };

  if (!read_names (root, "states", &plan->ties, error)
      || !read_names (root, "values", &plan->numbers, error)
      || !read_names (root, "outputs", &plan->cut, error)
      || !read_names (root, "no_pass", &plan->no_pass, error))
    return FALSE;
  options.left_out = (const char *const *) plan->no_pass;
  return tp_pass_check_options (&options, &local)
         || tp_plan_read_fail (root.reader, error, "no_pass", "%s",
                               local->message);
}

/* Whether they sum to the batch is known once the graph is. */
static gboolean
read_micro_batches (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpMicroBatches *it = &plan->micro_batches;
  json_t *list;

  if (json_object_get (root.json, "micro_batches") == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, "micro_batches", -1, &list, error))
    return FALSE;
  it->sizes = tp_new0 (gint64, json_array_size (list) + 1);
  it->n = (int) json_array_size (list);
  for (int i = 0; i < it->n; i++)
    {
      g_autofree char *path = g_strdup_printf ("micro_batches[%d]", i);
      TpPlanPlace place = { root.reader, path, json_array_get (list, i) };

      if (!tp_plan_read_integer (place, 1, &it->sizes[i], error))
        return FALSE;
    }
  return (it->n > 1 && it->n <= TP_MICRO_BATCHES_MOST)
         || tp_plan_read_fail (root.reader, error, "micro_batches",
                               "not from 2 to %d", TP_MICRO_BATCHES_MOST);
}

static gboolean
read_streamed (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpPlanPlace place
      = { root.reader, "streamed", json_object_get (root.json, "streamed") };
  const char *from;

  if (place.json == NULL)
    return TRUE;
  if (!tp_plan_read_string (place, "from", FALSE, &from, error)
      || !tp_plan_read_strings (place, "weights", &plan->streamed, error))
    return FALSE;
  plan->streamed_from = g_strdup (from);
  return plan->streamed[0] != NULL
         || tp_plan_read_fail (root.reader, error, "streamed",
                               "no weights are named");
}

static gboolean
read_truth (TpPlanPlace root, const char *key, gboolean *out_value,
            GError **error)
{
  const json_t *value = json_object_get (root.json, key);

  *out_value = json_is_true (value);
  return json_is_boolean (value)
         || tp_plan_read_fail (root.reader, error, key, "not true or false");
}

/* Absent where it is the one that the plan was made on. */
static gboolean
read_machine (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const char *text;

  if (json_object_get (root.json, "machine") == NULL)
    return TRUE;
  if (!tp_plan_read_string (root, "machine", FALSE, &text, error))
    return FALSE;
  plan->origin.machine = g_strdup (text);
  return plan->origin.facts != NULL
         || tp_plan_read_fail (root.reader, error, "machine",
                               "no facts of it");
}

/* Where it says nothing, errors are those of float32. */
static gboolean
read_accuracy (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const char *text;

  if (json_object_get (root.json, "accuracy") == NULL)
    return TRUE;
  if (!tp_plan_read_string (root, "accuracy", FALSE, &text, error))
    return FALSE;
  plan->origin.is_relaxed = strcmp (text, TP_PLAN_RELAXED) == 0;
  return plan->origin.is_relaxed
         || tp_plan_read_fail (root.reader, error, "accuracy",
                               "'%s' is not " TP_PLAN_RELAXED, text);
}

/* How figures were looked up; once the devices are known. */
static gboolean
read_origin (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpPlanOrigin *origin = &plan->origin;
  gint64 n_threads;

  if (!read_micro_batches (root, plan, error)
      || !read_streamed (root, plan, error)
      || !read_names (root, "no_fuse", &plan->no_fuse, error)
      || !read_names (root, "facts", &origin->facts, error)
      || !tp_plan_read_number (root, "threads", &n_threads, error)
      || !read_truth (root, "exact", &origin->is_exact, error)
      || !read_truth (root, "trust_estimates", &origin->trusts_estimates,
                      error))
    return FALSE;
  origin->n_threads = (int) MIN (n_threads, G_MAXINT);
  if (!read_accuracy (root, plan, error) || !read_machine (root, plan, error))
    return FALSE;
  return origin->facts == NULL
         || (int) g_strv_length (origin->facts) == plan->n_devices
         || tp_plan_read_fail (root.reader, error, "facts",
                               "not one for each device");
}

static gboolean
read_devices (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanReader *reader = root.reader;

  if (!tp_plan_read_strings (root, "devices", &plan->devices, error))
    return FALSE;
  plan->n_devices = (int) g_strv_length (plan->devices);
  if (plan->n_devices < 1 || plan->n_devices > MAX_DEVICES)
    return tp_plan_read_fail (reader, error, "devices", "%d devices",
                              plan->n_devices);
  for (int i = 0; i < plan->n_devices; i++)
    if (!tp_map_insert (reader->devices, plan->devices[i],
                        GINT_TO_POINTER (i + 1)))
      return tp_plan_read_fail (reader, error, "devices",
                                "'%s' stands there twice", plan->devices[i]);
  return TRUE;
}

gboolean
tp_plan_read_head (TpPlanPlace root, TpPlan *plan, GError **error)
{
  struct
  {
    const char *key;
    gboolean is_nullable;
    char **target;
  } strings[] = {
    { "graph", TRUE, &plan->graph_path },
    { "graph_name", TRUE, &plan->graph_name },
    { "graph_sha256", FALSE, &plan->graph_digest },
    { "costs_sha256", FALSE, &plan->costs_digest },
    { "objective", FALSE, &plan->objective },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    {
      const char *text;

      if (!tp_plan_read_string (root, strings[i].key, strings[i].is_nullable,
                                &text, error))
        return FALSE;
      *strings[i].target = g_strdup (text);
    }
  return read_truth (root, "simulated", &plan->is_simulated, error)
         && read_names (root, "pins", &plan->pins, error)
         && read_passes (root, plan, error) && read_dims (root, plan, error)
         && read_devices (root, plan, error)
         && read_origin (root, plan, error);
}
