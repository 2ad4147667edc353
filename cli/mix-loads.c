/* mix-loads.c: see mix-loads.h. */
#include "config.h"

#include "cli/mix-loads.h"

#include "api/mix.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"

/* What part @part keeps @engine busy, of each second; -1: all of them. */
static double
find_busy (const TpMix *mix, int part, int engine)
{
  const TpMixPart *it = part < 0 ? NULL : &mix->parts[part];

  if (it == NULL)
    return tp_mix_get_busy (mix, mix->proof->loads[engine]);
  return (double) it->n_runs
         * tp_mix_get_busy (mix, it->plan->load_proof->loads[engine]);
}

char *
tp_cli_format_rate (double runs_per_second)
{
  return g_strdup_printf ("%.6g/s", runs_per_second);
}

static char *
format_share (double busy)
{
  return busy == 0 ? NULL : g_strdup_printf ("%.2f %%", 100 * busy);
}

/* A row of @table, whose columns are those of @mix and a name before them. */
static void
add_engine (TpTable *table, const TpMix *mix, int engine)
{
  char *cells[TP_MIX_MOST_PARTS + 3] = { NULL };

  cells[0] = tp_mix_name_engine (mix, engine);
  cells[1] = format_share (find_busy (mix, -1, engine));
  for (int i = 0; i < mix->n_parts; i++)
    cells[i + 2] = format_share (find_busy (mix, i, engine));
  tp_table_add_list (table, cells);
}

void
tp_cli_print_mix_loads (const TpCli *cli, const TplanMix *handle)
{
  const TpMix *mix = tp_api_get_mix (handle);
  g_autoptr (TpTable) table = NULL;
  g_auto (GStrv) headers = g_new0 (char *, mix->n_parts + 3);

  headers[0] = g_strdup ("ENGINE");
  headers[1] = g_strdup (mix->parts[0].plan->is_simulated ? ">SIMULATED BUSY"
                                                          : ">BUSY");
  for (int i = 0; i < mix->n_parts; i++)
    {
      g_autofree char *rate
          = tp_cli_format_rate (tp_mix_rate_get (mix->parts[i].rate));

      headers[i + 2]
          = g_strdup_printf (">%s, %s", mix->parts[i].name, rate);
    }
  table = tp_table_new ((const char *const *) headers);
  for (int e = 0; e < mix->proof->n_engines; e++)
    if (mix->proof->loads[e] > 0)
      add_engine (table, mix, e);
  tp_table_print (table, cli);
}

/* " (90 %: 41.2 % to 43.0 %)"; "": it is exact, or not known. */
static char *
format_between (const TpMix *mix)
{
  const TpLoadProof *proof = mix->proof;

  return proof->low_ns < proof->high_ns
             ? g_strdup_printf (" (90 %%: %.2f %% to %.2f %%)",
                                100 * tp_mix_get_busy (mix, proof->low_ns),
                                100 * tp_mix_get_busy (mix, proof->high_ns))
             : g_strdup ("");
}

char *
tp_cli_format_mix_busy (const TplanMix *handle)
{
  const TpMix *mix = tp_api_get_mix (handle);
  g_autofree char *name
      = tp_mix_name_engine (mix, tp_mix_find_busiest (mix));
  g_autofree char *interval = format_between (mix);
  double bound, busy = tplan_mix_get_busy (handle, &bound);
  const char *simulated
      = mix->parts[0].plan->is_simulated ? " (simulated)" : "";

  if (mix->proof->load_ns == tp_load_proof_get_bound (mix->proof))
    return g_strdup_printf ("%s busy %.2f %% of each second predicted%s%s, "
                            "proved least%s", name, 100 * busy, simulated, interval,
                            mix->proof->room == NULL ? "" : " that fits");
  return g_strdup_printf ("%s busy %.2f %% of each second predicted%s%s, bound "
                          "%.2f %%, gap %.2f %%", name, 100 * busy, simulated,
                          interval, 100 * bound, 100 * (busy - bound) / busy);
}

/* {engine: part of each second}, of all parts; @part: of that alone; -1: of all. */
static json_t *
engines_to_json (const TplanMix *handle, int part)
{
  const TpMix *mix = tp_api_get_mix (handle);
  json_t *engines = json_object ();

  for (int e = 0; e < mix->proof->n_engines; e++)
    {
      g_autofree char *name = tp_mix_name_engine (mix, e);

      json_object_set_new (engines, name,
                           json_real (find_busy (mix, part, e)));
    }
  return engines;
}

static json_t *
part_to_json (const TplanMix *handle, int index)
{
  const TplanMixPart *part = &tplan_mix_get_parts (handle, NULL)[index];
  const TpMixPart *own = &tp_api_get_mix (handle)->parts[index];

  return json_pack ("{s:o, s:o, s:f, s:I, s:o, s:I, s:o}", "name",
                    tp_cli_string (part->name), "graph",
                    tp_cli_string (own->plan->graph_name), "runs_per_s",
                    tp_mix_rate_get (own->rate), "runs_in_round",
                    (json_int_t) own->n_runs, "devices",
                    tp_cli_count_devices (part->plan), "cost_ns",
                    (json_int_t) own->plan->cost_ns, "engines",
                    engines_to_json (handle, index));
}

static json_t *
busy_to_json (const TpMix *mix, gint64 load_ns)
{
  return load_ns < 0 ? json_null ()
                     : json_real (tp_mix_get_busy (mix, load_ns));
}

void
tp_cli_add_mix_json (json_t *object, const TplanMix *handle)
{
  const TpMix *mix = tp_api_get_mix (handle);
  g_autofree char *busiest
      = tp_mix_name_engine (mix, tp_mix_find_busiest (mix));
  double bound, busy = tplan_mix_get_busy (handle, &bound);
  json_t *parts = json_array ();

  for (int i = 0; i < mix->n_parts; i++)
    json_array_append_new (parts, part_to_json (handle, i));
  json_object_set_new (object, "parts", parts);
  json_object_set_new (object, "engines", engines_to_json (handle, -1));
  json_object_set_new (object, "busiest", json_string (busiest));
  json_object_set_new (object, "busy", json_real (busy));
  json_object_set_new (object, "busy_low", busy_to_json (mix, mix->proof->low_ns));
  json_object_set_new (object, "busy_high",
                       busy_to_json (mix, mix->proof->high_ns));
  json_object_set_new (object, "bound", json_real (bound));
  json_object_set_new (object, "gap",
                       json_real (busy > 0 ? (busy - bound) / busy : 0));
  json_object_set_new (object, "simulated",
                       json_boolean (mix->parts[0].plan->is_simulated));
}
