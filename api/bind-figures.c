/* bind-figures.c: see bind-figures.h. */
#include "config.h"

#include "api/bind-figures.h"

#include "calib/certain.h"
#include "runtime/devices.h"

#include <string.h>

#define MAX_REASONS 20

gboolean
tp_bind_fail (TpBind *bind, const char *format, ...)
{
  va_list args;

  if (bind->reasons->len - bind->n_before >= MAX_REASONS)
    return FALSE;
  va_start (args, format);
  g_ptr_array_add (bind->reasons, g_strdup_vprintf (format, args));
  va_end (args);
  return FALSE;
}

/* One of the tables of both. */
typedef struct
{
  const char *what;           /* "op '%s'" */
  TpCostsGet get;
  int n_rows;
  const char *(*get_name) (const TpBind *bind, int row);
  const TpCost *wanted;       /* rows of what it should be, */
  const int *wanted_rows;     /* and which of them is whose; NULL: each its own */
} Table;

static const char *
get_node (const TpBind *bind, int row)
{
  return bind->graph->nodes[row].name;
}

/* A group is called by its first op. */
static const char *
get_group (const TpBind *bind, int row)
{
  return bind->graph->nodes[bind->groups->groups[row].nodes[0]].name;
}

static const char *
get_tensor (const TpBind *bind, int row)
{
  return bind->graph->tensors[row].name;
}

static char *
describe (const TpCost *cost)
{
  if (cost->time_ns == TP_COST_NONE)
    return g_strdup_printf ("none (%s)",
                            cost->reason == NULL ? "-" : cost->reason);
  return g_strdup_printf (
      "%" G_GINT64_FORMAT " +- %" G_GINT64_FORMAT " ns%s", cost->time_ns,
      cost->spread_ns, cost->is_estimated ? ", estimated" : "");
}

static gboolean
are_equal (const TpCost *have, const TpCost *want)
{
  if (want->time_ns == TP_COST_OPEN)
    return TRUE;
  if (want->time_ns == TP_COST_NONE)
    return have->time_ns == TP_COST_NONE
           && (want->reason == NULL
               || g_strcmp0 (have->reason, want->reason) == 0);
  return have->time_ns == want->time_ns && have->spread_ns == want->spread_ns
         && have->measured_ns == want->measured_ns
         && have->is_estimated == want->is_estimated;
}

static gboolean
is_equal_row (const TpCost *have, const TpCost *want, int n_devices)
{
  gboolean is_equal = TRUE;

  for (int d = 0; d < n_devices && is_equal; d++)
    is_equal = are_equal (&have[d], &want[d]);
  return is_equal;
}

static gboolean
is_open_row (const TpCost *want, int n_devices)
{
  gboolean is_open = TRUE;

  for (int d = 0; d < n_devices && is_open; d++)
    is_open = want[d].time_ns == TP_COST_OPEN;
  return is_open;
}

static gboolean
compare_row (TpBind *bind, const TpCosts *should_be, const Table *table, int row,
             const char *whence)
{
  const TpCost *have = table->get (bind->plan->costs, row, 0);
  const TpCost *want = table->get (should_be, row, 0);

  if (is_equal_row (have, want, bind->plan->n_devices))
    return TRUE;
  for (int d = 0; d < bind->plan->n_devices; d++)
    {
      g_autofree char *has = NULL, *should = NULL;

      if (are_equal (&have[d], &want[d]))
        continue;
      has = describe (&have[d]);
      should = describe (&want[d]);
      tp_bind_fail (bind, "%s '%s' on '%s': the plan has %s, %s %s", table->what,
                    table->get_name (bind, row), bind->plan->devices[d], has,
                    whence, should);
    }
  return FALSE;
}

/* Of many rows nothing is known, and those of the plan are not looked at. */
static gboolean
compare_table (TpBind *bind, const TpCosts *should_be, const Table *table,
               const char *whence)
{
  int n_devices = should_be->n_devices;
  gboolean is_good = TRUE;

  for (int row = 0; row < table->n_rows; row++)
    {
      int own = table->wanted_rows == NULL ? row : table->wanted_rows[row];

      if (!is_open_row (&table->wanted[(gsize) own * n_devices], n_devices))
        is_good &= compare_row (bind, should_be, table, row, whence);
    }
  return is_good;
}

static gboolean
compare_kernels (TpBind *bind, const TpCosts *want)
{
  const TpCosts *have = bind->plan->costs;
  int n = have->n_nodes + have->n_groups;

  if (have->kernels == NULL && want->kernels == NULL)
    return TRUE;
  if (have->kernels == NULL || want->kernels == NULL)
    return tp_bind_fail (bind, "kernels: %s",
                         have->kernels == NULL ? "missing" : "not expected");
  for (int i = 0; i < n; i++)
    if (have->kernels[i] != want->kernels[i])
      return tp_bind_fail (bind, "kernels[%d]: %d, expected %d", i,
                           have->kernels[i], want->kernels[i]);
  return TRUE;
}

/* What real devices share the table of costs tells, and older plans say of none. */
static gboolean
compare_pools (TpBind *bind, const TpCosts *want)
{
  const TpCosts *have = bind->plan->costs;

  for (int i = 0; i < have->n_devices; i++)
    if (have->pools[i] != NULL && tp_device_is_simulated (have->devices[i])
        && g_strcmp0 (have->pools[i], want->pools[i]) != 0)
      return tp_bind_fail (bind, "memory_pools: '%s' has its memory from '%s', "
                           "expected '%s'",
                           have->devices[i], have->pools[i],
                           want->pools[i] == NULL ? "itself" : want->pools[i]);
  return TRUE;
}

/* Whether memory of a real device is mapped the table of costs tells. */
static gboolean
compare_mapped (TpBind *bind, const TpCosts *want, int device)
{
  const TpCosts *have = bind->plan->costs;

  return tp_costs_is_mapped (have, device) == tp_costs_is_mapped (want, device)
         || tp_bind_fail (bind, "mapped: the memory of '%s' is %s",
                          have->devices[device],
                          tp_costs_is_mapped (want, device) ? "mapped"
                                                            : "not mapped");
}

gboolean
tp_bind_compare_mapped (TpBind *bind, const TpCosts *want)
{
  gboolean is_good = TRUE;

  for (int i = 0; i < want->n_devices; i++)
    is_good &= compare_mapped (bind, want, i);
  return is_good;
}

static gboolean
compare_simulated_maps (TpBind *bind, const TpCosts *want)
{
  gboolean is_good = TRUE;

  for (int i = 0; i < want->n_devices; i++)
    is_good &= !tp_device_is_simulated (want->devices[i])
               || compare_mapped (bind, want, i);
  return is_good;
}

gboolean
tp_bind_compare (TpBind *bind, const TpCosts *want, const char *whence)
{
  const TpCosts *have = bind->plan->costs;
  const int *units = want->unit_rows;
  const Table tables[] = {
    { "op", tp_costs_node, have->n_nodes, get_node, want->nodes, units },
    { "group of", tp_costs_group, have->n_groups, get_group,
      units == NULL ? want->groups : want->nodes,
      units == NULL ? NULL : units + want->n_nodes },
    { "feeding", tp_costs_feed, have->n_tensors, get_tensor, want->feeds,
      want->copy_rows },
    { "fetching", tp_costs_fetch, have->n_tensors, get_tensor, want->fetches,
      want->copy_rows },
  };
  gboolean is_good = TRUE;

  if (have->host != want->host)
    is_good = tp_bind_fail (
        bind, "host: '%s', expected '%s'",
        have->host < 0 ? TP_PLAN_HOST : have->devices[have->host],
        want->host < 0 ? TP_PLAN_HOST : want->devices[want->host]);
  is_good &= compare_pools (bind, want) & compare_simulated_maps (bind, want);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    is_good &= compare_table (bind, want, &tables[i], whence);
  return compare_kernels (bind, want) && is_good;
}

gboolean
tp_bind_compare_silicon (TpBind *bind, const TpCosts *want)
{
  const TpCosts *have = bind->plan->costs;

  if (have->is_same_silicon != want->is_same_silicon)
    return tp_bind_fail (bind, "same_silicon: the devices are %s",
                         want->is_same_silicon ? "one" : "not one");
  return !have->has_own_processors || want->has_own_processors
         || tp_bind_fail (bind, "own_processors: there are not so many");
}

gboolean
tp_bind_compare_errors (TpBind *bind, const TpCosts *want)
{
  const TpCostErrors *have = bind->plan->costs->errors;
  const TpCostErrors *should = want->errors;
  int n = want->n_devices;

  if (have == NULL)
    return TRUE;
  if (should == NULL)
    return tp_bind_fail (bind, "factors: no device is real");
  for (int i = 0; i < n; i++)
    if (have->factors[i] != should->factors[i]
        || have->n_wholes[i] != should->n_wholes[i])
      return tp_bind_fail (
          bind,
          "factors: %.9f of '%s' by %" G_GINT64_FORMAT " wholes, the table has "
          "%.9f by %" G_GINT64_FORMAT,
          have->factors[i] / TP_COST_BILLION, want->devices[i],
          have->n_wholes[i], should->factors[i] / TP_COST_BILLION,
          should->n_wholes[i]);
  if (memcmp (have->covariances, should->covariances,
              (gsize) n * n * sizeof (gint64)) != 0
      || have->run_variance != should->run_variance)
    return tp_bind_fail (bind, "covariances: the table has others");
  return have->until_us == should->until_us
         || tp_bind_fail (bind, "wholes_until_us: the table's last is another");
}

gboolean
tp_bind_compare_speeds (TpBind *bind, const TpCosts *want)
{
  const int *have = bind->plan->costs->speeds;
  gsize n = 3 * (gsize) want->n_devices;

  if (have == NULL)
    return TRUE;              /* nothing is claimed */
  return (want->speeds != NULL
          && memcmp (have, want->speeds, n * n * sizeof *have) == 0)
         || tp_bind_fail (bind, "speeds: the table has %s",
                          want->speeds == NULL ? "none" : "others");
}
