/* loads.c: see loads.h. */
#include "config.h"

#include "cli/loads.h"

#include "cli/micro-batches.h"
#include "cli/predicted.h"
#include "cli/text.h"

static char *
name_engine (const TpPlan *plan, int engine)
{
  static const char *const ways[] = { "", "to ", "from " };
  int n = plan->n_devices;

  return g_strconcat (ways[engine / n], plan->devices[engine % n], NULL);
}

static int
find_busiest (const TpLoadProof *proof)
{
  int busiest = 0;

  for (int e = 1; e < proof->n_engines; e++)
    if (proof->loads[e] > proof->loads[busiest])
      busiest = e;
  return busiest;
}

static double
find_gap (const TpLoadProof *proof)
{
  gint64 bound = tp_load_proof_get_bound (proof);

  return proof->load_ns == 0
             ? 0
             : (double) (proof->load_ns - bound) / (double) proof->load_ns;
}

static double
find_rate (const TpLoadProof *proof)
{
  return proof->load_ns == 0 ? 0 : 1e9 / (double) proof->load_ns;
}

/* Those that carry anything. */
static char *
format_engines (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;
  g_autoptr (GString) text = g_string_new (NULL);

  for (int e = 0; e < proof->n_engines; e++)
    {
      g_autofree char *name = name_engine (plan, e);
      g_autofree char *time = tp_cli_format_time (proof->loads[e]);

      if (proof->loads[e] > 0)
        g_string_append_printf (text, "%s%s %s", text->len == 0 ? "" : ", ",
                                name, time);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tp_cli_format_loads (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;
  g_autofree char *name = NULL, *load = NULL, *all = NULL, *proved = NULL;
  g_autofree char *bound = NULL, *interval = NULL;
  const char *fitting;

  if (proof == NULL)
    return NULL;
  fitting = proof->room == NULL ? "" : " of those that fit";
  name = name_engine (plan, find_busiest (proof));
  load = tp_cli_format_time (proof->load_ns);
  bound = tp_cli_format_time (tp_load_proof_get_bound (proof));
  interval = tp_cli_format_between (proof->low_ns, proof->high_ns);
  all = format_engines (plan);
  proved = proof->load_ns == tp_load_proof_get_bound (proof)
               ? g_strdup_printf ("proved least%s", fitting)
               : g_strdup_printf ("bound%s %s, gap %.2f %%", fitting, bound,
                                  100 * find_gap (proof));
  return g_strdup_printf ("%s a run%s on %s, %.*f runs/s predicted%s, %s%s (%s)",
                          load, interval, name, find_rate (proof) < 100 ? 2 : 0,
                          find_rate (proof),
                          plan->is_simulated ? ", simulated" : "", proved,
                          tp_cli_with (plan), all);
}

json_t *
tp_cli_loads_to_json (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;
  g_autofree char *busiest = NULL;
  json_t *engines, *object;

  if (proof == NULL)
    return json_null ();
  busiest = name_engine (plan, find_busiest (proof));
  engines = json_object ();
  for (int e = 0; e < proof->n_engines; e++)
    {
      g_autofree char *name = name_engine (plan, e);

      json_object_set_new (engines, name, json_integer (proof->loads[e]));
    }
  object = json_pack ("{s:o, s:s, s:I, s:I, s:f, s:f}", "engines", engines,
                      "busiest", busiest, "load_ns",
                      (json_int_t) proof->load_ns, "bound_ns",
                      (json_int_t) tp_load_proof_get_bound (proof), "gap",
                      find_gap (proof), "runs_per_s", find_rate (proof));
  tp_cli_add_between (object, "", proof->low_ns, proof->high_ns);
  return object;
}

/* ---- schedules ------------------------------------------------------------ */

static double
find_span_gap (const TpSpanProof *proof)
{
  return proof->span_ns == 0 ? 0
                             : (double) (proof->span_ns - proof->bound_ns)
                                   / (double) proof->span_ns;
}

char *
tp_cli_format_span (const TpPlan *plan)
{
  const TpSpanProof *proof = plan->span_proof;
  g_autofree char *span = NULL, *bound = NULL, *proved = NULL;
  g_autofree char *interval = NULL;

  if (proof == NULL)
    return NULL;
  span = tp_cli_format_time (proof->span_ns);
  bound = tp_cli_format_time (proof->bound_ns);
  interval = tp_cli_format_between (proof->low_ns, proof->high_ns);
  proved = proof->span_ns == proof->bound_ns
               ? g_strdup ("proved least")
               : g_strdup_printf ("bound %s, gap %.2f %%", bound,
                                  100 * find_span_gap (proof));
  return g_strdup_printf ("%s%s for a run whose engines work at once%s%s, %s%s",
                          span, interval, plan->is_simulated ? ", simulated" : "",
                          proof->ends != NULL ? ", and slow each other" : "",
                          proved, tp_cli_with (plan));
}

json_t *
tp_cli_span_to_json (const TpPlan *plan)
{
  const TpSpanProof *proof = plan->span_proof;
  json_t *object;

  if (proof == NULL)
    return json_null ();
  object = json_pack ("{s:I, s:I, s:f}", "span_ns",
                      (json_int_t) proof->span_ns, "bound_ns",
                      (json_int_t) proof->bound_ns, "gap",
                      find_span_gap (proof));
  tp_cli_add_between (object, "", proof->low_ns, proof->high_ns);
  return object;
}
