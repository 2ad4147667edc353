/* cost-diff.c: what has moved between two cost tables.
 *
 * Devices are matched by name, the last measured of each; entries by kernel and
 * type: the one that plans are made with, whatever its schedule. A figure has
 * moved when it differs by more than both spreads together. */
#include "config.h"

#include "cli/cost-diff.h"

#include "calib/accuracy.h"
#include "calib/columns.h"
#include "calib/cost-db.h"
#include "cli/accuracy.h"
#include "cli/cost-diff-plans.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "ir/name-hash.h"

#include <math.h>
#include <string.h>

typedef struct
{
  TpCli *cli;
  gboolean is_all;
  TpCostDb *dbs[2];
  TpTable *table;
  json_t *list;
  json_t *plans;              /* of models, where any were named */
  int n_common, n_moved, n_only[2];
} Diff;

typedef struct
{
  gint64 time_ns, half_ns;    /* time_ns 0: failed */
  const char *schedule;       /* (nullable): of a copy, or unknown; borrowed */
} Figure;

static TpCostDb *
open_table (const char *path, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return tp_cost_db_open (path, TRUE, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: no such cost table", path);
  return NULL;
}

static char *
format_figure (const Figure *figure)
{
  return figure->time_ns > 0 ? tp_cli_format_time (figure->time_ns)
                             : g_strdup ("failed");
}

/* %NULL: it is the same in both. */
static char *
format_schedules (const Figure *a, const Figure *b)
{
  if (g_strcmp0 (a->schedule, b->schedule) == 0)
    return NULL;
  return g_strdup_printf ("%s -> %s",
                          a->schedule != NULL ? a->schedule : "unknown",
                          b->schedule != NULL ? b->schedule : "unknown");
}

static void
add_row (Diff *diff, const char *device, const char *what,
         const Figure *figures)
{
  const Figure *a = &figures[0], *b = &figures[1];
  double apart = llabs (b->time_ns - a->time_ns);
  double spreads = apart / MAX (a->half_ns + b->half_ns, 1);
  gboolean are_times = a->time_ns > 0 && b->time_ns > 0;
  gboolean is_moved = are_times ? spreads > 1 : a->time_ns != b->time_ns;
  double change = are_times ? (double) b->time_ns / a->time_ns - 1 : NAN;

  diff->n_common++;
  diff->n_moved += is_moved;
  if (!is_moved && !diff->is_all)
    return;
  json_array_append_new (
      diff->list,
      json_pack ("{s:o, s:o, s:I, s:I, s:o, s:o, s:b, s:o, s:o}", "device",
                 tp_cli_string (device), "what", tp_cli_string (what), "a_ns",
                 (json_int_t) a->time_ns, "b_ns", (json_int_t) b->time_ns,
                 "change", tp_cli_real (change), "spreads",
                 tp_cli_real (spreads), "moved", is_moved, "a_schedule",
                 tp_cli_string (a->schedule), "b_schedule",
                 tp_cli_string (b->schedule)));
  tp_table_add (diff->table, g_strdup (device), g_strdup (what),
                format_figure (a), format_figure (b),
                isnan (change) ? NULL
                               : g_strdup_printf ("%+.1f %%", 100 * change),
                isnan (change) ? NULL : g_strdup_printf ("%.1f", spreads),
                format_schedules (a, b));
}

/* ---- kernels ------------------------------------------------------------ */

static char *
make_key (const TpEntryRow *row)
{
  return g_strjoin ("\n", row->digest, row->dtype, NULL);
}

static Figure
get_figure (const TpEntryRow *row)
{
  const char *schedule = row->schedule[0] != '\0' ? row->schedule : NULL;

  if (row->state == TP_ENTRY_FAILED)
    return (Figure){ 0, 0, schedule };
  return (Figure){ row->stats.median_ns, row->stats.half_ns, schedule };
}

/* Whether @row is used rather than @other, as tp_cost_db_find_entry () has it. */
static gboolean
is_preferred (const TpEntryRow *row, const TpEntryRow *other)
{
  if ((row->state == TP_ENTRY_FAILED) != (other->state == TP_ENTRY_FAILED))
    return other->state == TP_ENTRY_FAILED;
  return row->stats.median_ns < other->stats.median_ns;
}

/* Of each kernel the row that is used. */
static GHashTable *
index_entries (const TpCostDb *db, TpPointers *rows)
{
  GHashTable *index = g_hash_table_new_full (tp_name_hash, g_str_equal, g_free,
                                             NULL);

  for (guint i = 0; i < rows->len; i++)
    {
      TpEntryRow *row = g_ptr_array_index (rows, i);
      g_autofree char *key = make_key (row);
      const TpEntryRow *other = g_hash_table_lookup (index, key);

      if (row->state != TP_ENTRY_TRIED && tp_accuracy_is_met (db, row)
          && (other == NULL || is_preferred (row, other)))
        g_hash_table_insert (index, g_steal_pointer (&key), row);
    }
  return index;
}

static gboolean
compare_entries (Diff *diff, TpDeviceRow *const *devices, GError **error)
{
  g_autoptr (TpPointers) first = tp_cost_db_list_entries (
      diff->dbs[0], devices[0]->id, NULL, error);
  g_autoptr (TpPointers) second = NULL;
  g_autoptr (GHashTable) used_first = NULL, used_second = NULL;
  int n_common = 0;

  if (first == NULL)
    return FALSE;
  second = tp_cost_db_list_entries (diff->dbs[1], devices[1]->id, NULL, error);
  if (second == NULL)
    return FALSE;
  used_first = index_entries (diff->dbs[0], first);
  used_second = index_entries (diff->dbs[1], second);
  for (guint i = 0; i < first->len; i++)
    {
      const TpEntryRow *a = g_ptr_array_index (first, i), *b;
      g_autofree char *key = make_key (a);

      b = g_hash_table_lookup (used_second, key);
      if (b == NULL || g_hash_table_lookup (used_first, key) != a)
        continue;
      n_common++;
      add_row (diff, devices[0]->name, a->label,
               (Figure[]){ get_figure (a), get_figure (b) });
    }
  diff->n_only[0] += (int) g_hash_table_size (used_first) - n_common;
  diff->n_only[1] += (int) g_hash_table_size (used_second) - n_common;
  return TRUE;
}

/* ---- links -------------------------------------------------------------- */

static void
compare_link (Diff *diff, const char *device, const TpFit *const *fits,
              const char *way)
{
  static const gint64 sizes[] = { 4, 1 << 20, 64 << 20 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *bytes = tp_cli_format_bytes (sizes[i]);
      g_autofree char *what = g_strdup_printf ("copy of %s %s", bytes, way);
      Figure figures[2];

      for (int k = 0; k < 2; k++)
        {
          double time_ns = tp_fit_evaluate_ns (fits[k], sizes[i]);

          figures[k] = (Figure){ (gint64) time_ns,
                                 (gint64) (time_ns * fits[k]->residual), NULL };
        }
      add_row (diff, device, what, figures);
    }
}

static gboolean
compare_device (Diff *diff, TpDeviceRow *const *devices, GError **error)
{
  const TpFit *to_device[] = { &devices[0]->to_device, &devices[1]->to_device };
  const TpFit *to_host[] = { &devices[0]->to_host, &devices[1]->to_host };

  if (!devices[0]->is_host && !devices[1]->is_host)
    {
      compare_link (diff, devices[0]->name, to_device, "to the device");
      compare_link (diff, devices[0]->name, to_host, "to the host");
    }
  return compare_entries (diff, devices, error);
}

/* ---- all of it ---------------------------------------------------------- */

/* The first of its name: it was measured last. */
static TpDeviceRow *
find_device (GPtrArray *rows, const char *name)
{
  for (guint i = 0; i < rows->len; i++)
    {
      TpDeviceRow *row = g_ptr_array_index (rows, i);

      if (strcmp (row->name, name) == 0)
        return row;
    }
  return NULL;
}

/* Kernels of the devices of one table, @side, that are not among @others. */
static gboolean
count_alone (Diff *diff, int side, GPtrArray *rows, GPtrArray *others,
             GError **error)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const TpDeviceRow *row = g_ptr_array_index (rows, i);
      g_autoptr (TpPointers) entries = NULL;
      g_autoptr (GHashTable) used = NULL;

      if (find_device (others, row->name) != NULL
          || find_device (rows, row->name) != row)
        continue;
      entries = tp_cost_db_list_entries (diff->dbs[side], row->id, NULL, error);
      if (entries == NULL)
        return FALSE;
      used = index_entries (diff->dbs[side], entries);
      diff->n_only[side] += (int) g_hash_table_size (used);
    }
  return TRUE;
}

static gboolean
compare_tables (Diff *diff, GError **error)
{
  g_autoptr (GPtrArray) first = tp_cost_db_list_devices (diff->dbs[0], NULL,
                                                         error);
  g_autoptr (GPtrArray) second = NULL;

  if (first == NULL)
    return FALSE;
  second = tp_cost_db_list_devices (diff->dbs[1], NULL, error);
  if (second == NULL || !count_alone (diff, 0, first, second, error)
      || !count_alone (diff, 1, second, first, error))
    return FALSE;
  for (guint i = 0; i < first->len; i++)
    {
      TpDeviceRow *a = g_ptr_array_index (first, i);
      TpDeviceRow *devices[] = { a, find_device (second, a->name) };

      if (devices[1] != NULL && find_device (first, a->name) == a
          && !compare_device (diff, devices, error))
        return FALSE;
    }
  return TRUE;
}

static void
print_data (const Diff *diff, gboolean has_models)
{
  tp_cli_print_data (
      diff->cli,
      json_pack ("{s:s, s:i, s:i, s:i, s:i, s:O, s:O}", "format",
                 "tplan-cost-diff/1", "common", diff->n_common, "moved",
                 diff->n_moved, "only_a", diff->n_only[0], "only_b",
                 diff->n_only[1], "figures", diff->list, "plans", diff->plans),
      has_models ? "plans" : "figures");
}

static void
print (const Diff *diff)
{
  if (diff->cli->format == TP_FORMAT_TABLE)
    tp_table_print (diff->table, diff->cli);
  tp_cli_note (diff->cli, "%d of %d figures moved by more than both spreads; "
               "kernels only in the first: %d, only in the second: %d",
               diff->n_moved, diff->n_common, diff->n_only[0], diff->n_only[1]);
}

gboolean
tp_cost_diff (TpCli *cli, const char *const *paths, gboolean is_all,
              GError **error)
{
  static const char *const headers[]
      = { "DEVICE", "WHAT", ">A", ">B", ">CHANGE", ">SPREADS", "SCHEDULE",
          NULL };
  g_autoptr (TpCostDb) first = open_table (paths[0], error);
  g_autoptr (TpCostDb) second
      = first != NULL ? open_table (paths[1], error) : NULL;
  g_autoptr (TpTable) table = tp_table_new (headers);
  Diff diff = { .cli = cli, .is_all = is_all, .dbs = { first, second },
                .table = table };
  gboolean is_good, is_relaxed;

  if (second == NULL
      || !tp_cli_parse_accuracy (tp_cli_planning.accuracy, &is_relaxed, error))
    return FALSE;
  tp_accuracy_set (first, is_relaxed);
  tp_accuracy_set (second, is_relaxed);
  diff.list = json_array ();
  diff.plans = json_array ();
  is_good = compare_tables (&diff, error);
  if (is_good)
    print (&diff);
  is_good = is_good
            && tp_cost_diff_plans (cli, paths, paths + 2, diff.plans, error);
  if (is_good && cli->format != TP_FORMAT_TABLE)
    print_data (&diff, paths[2] != NULL);
  json_decref (diff.list);
  json_decref (diff.plans);
  return is_good;
}
