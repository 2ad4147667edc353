/* mix.c: see mix.h. */
#include "config.h"

#include "ir/mix.h"

#include "ir/guard.h"
#include "ir/replicas.h"

__extension__ typedef __int128 Wide;

TpMix *
tp_mix_new (int n_parts)
{
  TpMix *mix = g_new0 (TpMix, 1);

  mix->n_parts = n_parts;
  mix->parts = g_new0 (TpMixPart, n_parts);
  return mix;
}

void
tp_mix_free (TpMix *mix)
{
  if (mix == NULL)
    return;
  for (int i = 0; i < mix->n_parts; i++)
    {
      g_free (mix->parts[i].name);
      tp_plan_unref (mix->parts[i].plan);
      g_clear_pointer (&mix->parts[i].graph, tp_graph_unref);
    }
  g_free (mix->parts);
  g_free (mix->memory_limits);
  g_free (mix->memory_reserves);
  tp_load_proof_free (mix->proof);
  g_free (mix);
}

/* ---- rounds -------------------------------------------------------------- */

static Wide
find_divisor (Wide a, Wide b)
{
  while (b != 0)
    {
      Wide rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* How often part @index is run for each run of the first. FALSE: above what there
 * may be. */
static gboolean
find_ratio (const TpMix *mix, int index, gint64 *out_runs, gint64 *out_of)
{
  TpMixRate first = mix->parts[0].rate, own = mix->parts[index].rate;
  Wide runs = (Wide) own.n_runs * first.span_ns;
  Wide of = (Wide) first.n_runs * own.span_ns;
  Wide divisor = find_divisor (runs, of);

  if (runs / divisor > TP_MIX_MOST_RUNS || of / divisor > TP_MIX_MOST_RUNS)
    return FALSE;
  *out_runs = (gint64) (runs / divisor);
  *out_of = (gint64) (of / divisor);
  return TRUE;
}

/* Of the first, so that all of part @index are whole. */
static gboolean
add_ratio (TpMix *mix, int index)
{
  gint64 runs, of, times;

  if (!find_ratio (mix, index, &runs, &of))
    return FALSE;
  times = of / (gint64) find_divisor (mix->parts[0].n_runs, of);
  if (times > TP_MIX_MOST_RUNS / mix->parts[0].n_runs)
    return FALSE;
  mix->parts[0].n_runs *= times;
  return TRUE;
}

static gboolean
set_runs (TpMix *mix, int index)
{
  gint64 runs = 0, of = 1;

  find_ratio (mix, index, &runs, &of);
  mix->parts[index].n_runs = mix->parts[0].n_runs / of * runs;
  return mix->parts[index].n_runs <= TP_MIX_MOST_RUNS;
}

/* The first part with whose rate a round is too long; 0: none. */
static int
find_too_long (TpMix *mix)
{
  mix->parts[0].n_runs = 1;
  for (int i = 1; i < mix->n_parts; i++)
    if (!add_ratio (mix, i))
      return i;
  for (int i = 1; i < mix->n_parts; i++)
    if (!set_runs (mix, i))
      return i;
  return 0;
}

gboolean
tp_mix_count_runs (TpMix *mix, GError **error)
{
  int index = find_too_long (mix);

  if (index == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
               "there is no round of at most %d runs in which the rates of "
               "'%s' and '%s' are kept: give rates that are in a simpler "
               "proportion",
               TP_MIX_MOST_RUNS, mix->parts[0].name, mix->parts[index].name);
  return FALSE;
}

double
tp_mix_get_round_ns (const TpMix *mix)
{
  const TpMixPart *first = &mix->parts[0];

  return (double) first->n_runs * (double) first->rate.span_ns
         / (double) first->rate.n_runs;
}

double
tp_mix_get_busy (const TpMix *mix, gint64 load_ns)
{
  return (double) load_ns / tp_mix_get_round_ns (mix);
}

gboolean
tp_mix_can_carry (const TpMix *mix, gint64 load_ns)
{
  const TpMixPart *first = &mix->parts[0];

  return (Wide) load_ns * first->rate.n_runs
         <= (Wide) first->n_runs * first->rate.span_ns;
}

int
tp_mix_find_busiest (const TpMix *mix)
{
  const TpLoadProof *proof = mix->proof;
  int busiest = 0;

  for (int e = 1; e < proof->n_engines; e++)
    if (proof->loads[e] > proof->loads[busiest])
      busiest = e;
  return busiest;
}

char *
tp_mix_name_engine (const TpMix *mix, int engine)
{
  static const char *const ways[] = { "", "to ", "from " };
  const TpPlan *plan = mix->parts[0].plan;
  int n = plan->n_devices;

  return g_strconcat (ways[engine / n], plan->devices[engine % n], NULL);
}

/* ---- how sure the load is -------------------------------------------------- */

typedef struct
{
  int n;
  TpWorks *works;             /* [part] */
} Parts;

static void
parts_clear (Parts *parts)
{
  for (int i = 0; i < parts->n; i++)
    tp_works_clear (&parts->works[i]);
  g_clear_pointer (&parts->works, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static double
find_load (const TpMix *mix, const Parts *parts, const TpReplicas *replicas)
{
  double loads[TP_LOAD_MAX_ENGINES] = { 0 };

  for (int i = 0; i < parts->n; i++)
    tp_works_add_loads (&parts->works[i], replicas, mix->parts[i].n_runs,
                        loads);
  return tp_loads_find_most (loads, mix->proof->n_engines);
}

void
tp_mix_find_interval (TpMix *mix)
{
  TpLoadProof *proof = mix->proof;
  g_auto (Parts) parts = { mix->n_parts,
                           tp_new0 (TpWorks, (gsize) mix->n_parts + 1) };
  g_auto (TpReplicas) replicas = { 0 };

  tp_replicas_init (&replicas, mix->parts[0].plan->costs);
  for (int i = 0; i < mix->n_parts; i++)
    tp_replicas_list_works (&replicas, mix->parts[i].plan, mix->parts[i].graph,
                            &parts.works[i]);
  while (tp_replicas_next (&replicas))
    tp_replicas_tell (&replicas, find_load (mix, &parts, &replicas)
                                     - (double) proof->load_ns);
  tp_replicas_find_interval (&replicas, proof->load_ns, &proof->low_ns,
                             &proof->high_ns);
}
