/* correct.c: see correct.h. */
#include "config.h"

#include "calib/correct.h"

#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "calib/wholes.h"
#include "ir/guard.h"
#include "ir/name-hash.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <math.h>
#include <string.h>

#define MOST_NS ((double) (G_MAXINT64 / 8))
#define OCCASION_US (30 * 60 * G_USEC_PER_SEC)

/* One sitting of one plan: a row for each device that it ran on. */
typedef struct
{
  char *key;                  /* of sitting and plan */
  int n_rows;
  TpWholeRow **rows;          /* [device]: NULL: not there */
} Sitting;

struct TpCorrector
{
  const TpCalibOptions *options;
  GHashTable *sittings;       /* key -> Sitting */
};

static void
sitting_free (gpointer data)
{
  Sitting *sitting = data;

  for (int i = 0; i < sitting->n_rows; i++)
    tp_whole_row_free (sitting->rows[i]);
  g_free (sitting->rows);
  g_free (sitting->key);
  g_free (sitting);
}

TpCorrector *
tp_corrector_new (const TpCalibOptions *options)
{
  TpCorrector *corrector = g_new0 (TpCorrector, 1);

  corrector->options = options;
  corrector->sittings
      = g_hash_table_new_full (tp_name_hash, g_str_equal, NULL, sitting_free);
  return corrector;
}

void
tp_corrector_free (TpCorrector *corrector)
{
  if (corrector == NULL)
    return;
  g_hash_table_unref (corrector->sittings);
  g_free (corrector);
}

/* Tables are made by others too. */
static gboolean
is_usable (const TpCorrector *corrector, const TpWholeRow *row)
{
  return row->median_ns > 0 && row->predicted_ns > 0 && row->half_ns >= 0
         && row->spread_ns >= 0 && row->kernels_ns >= 0
         && row->kernels_ns <= row->predicted_ns
         && !(corrector->options->is_of_then
              && row->measured_us > corrector->options->wholes_until_us);
}

/* Takes @row. What both tables have is one. */
static void
take_row (TpCorrector *corrector, int device, TpWholeRow *row)
{
  g_autofree char *key = g_strdup_printf ("%020" G_GINT64_FORMAT " %s",
                                          row->measured_us, row->digest);
  Sitting *sitting = g_hash_table_lookup (corrector->sittings, key);

  if (sitting == NULL)
    {
      sitting = g_new0 (Sitting, 1);
      sitting->key = g_steal_pointer (&key);
      sitting->n_rows = corrector->options->n_devices;
      sitting->rows = g_new0 (TpWholeRow *, sitting->n_rows + 1);
      g_hash_table_insert (corrector->sittings, sitting->key, sitting);
    }
  tp_whole_row_free (sitting->rows[device]);
  sitting->rows[device] = row;
}

gboolean
tp_corrector_read (TpCorrector *corrector, int device,
                   const TpDeviceMatch *match, GError **error)
{
  for (int i = 0; i < 2 && !corrector->options->is_raw; i++)
    {
      g_autoptr (TpPointers) rows = NULL;

      if (match->rows[i] == NULL)
        continue;
      rows = tp_cost_db_list_wholes (match->dbs[i], match->rows[i]->id, error);
      if (rows == NULL)
        return FALSE;
      for (guint k = 0; k < rows->len; k++)
        if (is_usable (corrector, rows->pdata[k]))
          take_row (corrector, device, g_steal_pointer (&rows->pdata[k]));
    }
  return TRUE;
}

/* ---- what they tell ------------------------------------------------------ */

/* A row of @sitting, if all are there. */
static const TpWholeRow *
find_row (const Sitting *sitting)
{
  const TpWholeRow *row = NULL;
  int n = 0;

  for (int i = 0; i < sitting->n_rows; i++)
    if (sitting->rows[i] != NULL)
      {
        row = sitting->rows[i];
        n++;
      }
  return row != NULL && row->n_devices == n ? row : NULL;
}

static int
compare_sittings (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Sitting *const *) b)->key,
                 (*(const Sitting *const *) a)->key);
}

/* Those that are complete, the last first; as many as are heeded. */
static GPtrArray *
list_sittings (const TpCorrector *corrector)
{
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, corrector->sittings);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (find_row (value) != NULL)
      g_ptr_array_add (list, value);
  g_ptr_array_sort (list, compare_sittings);
  g_ptr_array_set_size (list, MIN (list->len, TP_WHOLES_MOST));
  return list;
}

/* The first asked for is network 0. */
static gint64
number_network (GHashTable *numbers, const char *network)
{
  int number = GPOINTER_TO_INT (g_hash_table_lookup (numbers, network));

  if (number == 0)
    {
      number = (int) g_hash_table_size (numbers) + 1;
      g_hash_table_insert (numbers, (gpointer) network,
                           GINT_TO_POINTER (number));
    }
  return number - 1;
}

static TpWhole
make_whole (const Sitting *sitting, GHashTable *numbers, double *shares)
{
  const TpWholeRow *row = find_row (sitting);
  double median = (double) row->median_ns;
  double predicted = (double) row->predicted_ns;

  for (int d = 0; d < sitting->n_rows; d++)
    shares[d] = sitting->rows[d] == NULL
                    ? 0
                    : sitting->rows[d]->kernels_ns / predicted;
  return (TpWhole){
    .network = number_network (numbers, row->network),
    .error = log (median / predicted),
    .variance = pow (row->half_ns / TP_COST_SPREADS / median, 2)
                + pow (row->spread_ns / TP_COST_SPREADS / predicted, 2),
    .shares = shares,
  };
}

/* @list begins with the last: whether the next older one is of the same occasion. */
static gboolean
is_soon (const GPtrArray *list, guint i)
{
  return find_row (list->pdata[i])->measured_us
             - find_row (list->pdata[i + 1])->measured_us
         < OCCASION_US;
}

static void
infer (const GPtrArray *list, int n_devices, const char *network,
       TpWholeErrors *out_errors)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (tp_name_hash, g_str_equal);
  g_autofree TpWhole *wholes = g_new0 (TpWhole, list->len + 1);
  g_autofree double *shares
      = g_new0 (double, (gsize) (list->len + 1) * n_devices);
  gint64 occasion = 0;

  number_network (numbers, network);
  for (guint i = 0; i < list->len; i++)
    {
      wholes[i] = make_whole (list->pdata[i], numbers,
                              &shares[(gsize) i * n_devices]);
      wholes[i].occasion = occasion;
      if (i + 1 < list->len && !is_soon (list, i))
        occasion++;
    }
  tp_wholes_infer (wholes, (int) list->len, n_devices, 0, out_errors);
}

/* ---- what that does ------------------------------------------------------ */

static gint64
to_billionths (double value)
{
  return llround (value * TP_COST_BILLION);
}

static gboolean
is_real (const TpCosts *costs, int device)
{
  return !tp_device_is_simulated (costs->devices[device]);
}

static void
fill_errors (TpCosts *costs, const TpWholeErrors *found)
{
  TpCostErrors *errors = costs->errors;
  int n = costs->n_devices;

  for (int i = 0; i < n; i++)
    if (is_real (costs, i))
      errors->factors[i] = to_billionths (exp (found->means[i]));
  for (int i = 0; i < n * n; i++)
    if (is_real (costs, i / n) && is_real (costs, i % n))
      errors->covariances[i] = to_billionths (found->covariances[i]);
  errors->run_variance = to_billionths (found->run_variance);
}

static void
count_wholes (TpCostErrors *errors, const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++)
    {
      const Sitting *it = list->pdata[i];

      errors->until_us = MAX (errors->until_us, find_row (it)->measured_us);
      for (int d = 0; d < it->n_rows; d++)
        errors->n_wholes[d] += it->rows[d] != NULL;
    }
}

static void
scale (TpCost *cost, double factor)
{
  if (cost->time_ns == TP_COST_NONE || cost->time_ns <= 0)
    return;
  if (!cost->is_estimated && cost->measured_ns == 0)
    cost->measured_ns = cost->time_ns;
  cost->time_ns = llround (MIN (cost->time_ns * factor, MOST_NS));
  cost->spread_ns = llround (MIN (cost->spread_ns * factor, MOST_NS));
}

static gint64
sum_ops (const TpCosts *costs, const TpGroup *group, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < group->n_nodes; i++)
    sum += MIN (tp_costs_node (costs, group->nodes[i], device)->time_ns,
                G_MAXINT64 / 8 / group->n_nodes);
  return sum;
}

/* [group]: whether it takes less than its ops. */
static guint8 *
list_gains (const TpCosts *costs, const TpGroups *groups, int device)
{
  guint8 *gains = tp_new0 (guint8, (gsize) costs->n_groups + 1);

  for (int i = 0; i < costs->n_groups; i++)
    gains[i] = tp_costs_group (costs, i, device)->time_ns
               < sum_ops (costs, &groups->groups[i], device);
  return gains;
}

/* Whole numbers of nanoseconds are not multiplied alike, and many groups save no
 * more than one (calib/posterior.c): those that saved do so still, and no others.
 * Else what is fused hangs on how that was rounded, and a driver that keeps what
 * it has built builds anew for nothing. */
static void
keep_gains (TpCosts *costs, const TpGroups *groups, const guint8 *gains,
            int device)
{
  for (int i = 0; i < costs->n_groups; i++)
    {
      TpCost *cost = tp_costs_group (costs, i, device);
      gint64 sum_ns = sum_ops (costs, &groups->groups[i], device);

      if (cost->time_ns == TP_COST_NONE)
        continue;
      cost->time_ns = gains[i] ? MIN (cost->time_ns, MAX (sum_ns - 1, 0))
                               : MAX (cost->time_ns, sum_ns);
    }
}

static void
scale_device (TpCosts *costs, const TpGraph *graph, const TpGroups *groups,
              int device)
{
  double factor = costs->errors->factors[device] / TP_COST_BILLION;
  g_autofree guint8 *gains = NULL;

  if (factor == 1)
    return;
  gains = list_gains (costs, groups, device);
  for (int i = 0; i < costs->n_nodes; i++)
    if (tp_node_find_cost (&graph->nodes[i], costs->devices[device]) == NULL)
      scale (tp_costs_node (costs, i, device), factor);
  for (int i = 0; i < costs->n_groups; i++)
    scale (tp_costs_group (costs, i, device), factor);
  keep_gains (costs, groups, gains, device);
}

void
tp_corrector_apply (TpCorrector *corrector, TpCosts *costs,
                    const TpGraph *graph, const TpGroups *groups,
                    const char *network)
{
  g_autoptr (GPtrArray) list = list_sittings (corrector);
  g_auto (TpWholeErrors) errors = { 0 };

  costs->errors = tp_cost_errors_new (costs->n_devices);
  infer (list, costs->n_devices, network, &errors);
  fill_errors (costs, &errors);
  count_wholes (costs->errors, list);
  for (int d = 0; d < costs->n_devices; d++)
    scale_device (costs, graph, groups, d);
}
