/* tune.c: see tune.h.
 *
 * A child tunes a few kernels: their contenders run in the chain of the network one
 * behind the other, round by round, as two schedules that are close do. What a
 * child has found is stored at once, so an interrupt costs the kernels of one. */
#include "config.h"

#include "calib/tune.h"

#include "calib/columns.h"
#include "calib/links.h"
#include "ir/guard.h"
#include "schedule/program.h"

#include <string.h>

#define AT_ONCE 4             /* kernels of a child */
#define MATTERS 0.01          /* of the time of all kernels */

static gboolean
is_outcome (const TpEntryRow *row)
{
  return row->state == TP_ENTRY_SETTLED && *row->reason != 0;
}

/* Keys of one device, and the times of their kernels; 0: none. */
typedef struct
{
  GHashTable *tried;          /* kernels of which the table has other schedules */
  GHashTable *lacking;        /* those that may have one with larger errors, where
                               * these are asked for */
  GHashTable *relaxed;        /* those of which such were tuned */
  TpArray *links;             /* int: keys, in the order of the graph */
  gint64 *times_ns;           /* per key */
  gboolean *is_tuned;
  gint64 whole_ns;
  TpArray *wanted;            /* int: of these, one of each kernel to be tuned */
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->tried, g_hash_table_unref);
  g_clear_pointer (&work->lacking, g_hash_table_unref);
  g_clear_pointer (&work->relaxed, g_hash_table_unref);
  tp_array_unref (work->links);
  tp_array_unref (work->wanted);
  g_free (work->times_ns);
  g_free (work->is_tuned);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* What the table knows a kernel by. */
static char *
name_kernel (const char *digest, const char *dtype)
{
  return g_strjoin ("\n", digest, dtype, NULL);
}

static GHashTable *
new_names (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
note_row (const TpCalibration *self, const TpEntryRow *row, Work *work)
{
  gboolean is_tried = row->state == TP_ENTRY_TRIED;

  if (is_tried)
    g_hash_table_add (work->tried, name_kernel (row->digest, row->dtype));
  if (!self->options->is_relaxed)
    return;
  if (tp_program_may_relax (row->schedule))
    g_hash_table_add (work->lacking, name_kernel (row->digest, row->dtype));
  else if ((is_tried || is_outcome (row))
           && tp_program_is_relaxed (row->schedule))
    g_hash_table_add (work->relaxed, name_kernel (row->digest, row->dtype));
}

/* Whatever became of the entry in use since: what was tried stays. */
static gboolean
read_tried (TpCalibration *self, int device, Work *work, GError **error)
{
  TpCostDb *db;
  const TpDeviceRow *row
      = tp_device_match_get_row (&self->matches[device], &db);
  g_autoptr (TpPointers) entries
      = row == NULL ? NULL
                    : tp_cost_db_list_entries (db, row->id, NULL, error);

  work->tried = new_names ();
  work->lacking = new_names ();
  work->relaxed = new_names ();
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    note_row (self, entries->pdata[i], work);
  return row == NULL || entries != NULL;
}

static gboolean
read_work (TpCalibration *self, int device, Work *work, GError **error)
{
  if (!read_tried (self, device, work, error))
    return FALSE;
  work->links = tp_links_list (self->keys, self->measure.devices[device].name,
                               self->failed[device], TP_PASS_FUSED);
  work->times_ns = tp_new0 (gint64, self->keys->n + 1);
  work->is_tuned = tp_new0 (gboolean, self->keys->n + 1);
  for (guint i = 0; i < work->links->len; i++)
    {
      int key = tp_array_index (work->links, int, i);
      const TpKey *named = &self->keys->keys[key];
      g_autofree char *name = name_kernel (named->digest, named->dtype);
      GError *failure = NULL;
      g_autoptr (TpEntryRow) row = tp_device_match_find_entry (
          &self->matches[device], named->digest, named->dtype, &failure);

      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      if (row == NULL || row->state == TP_ENTRY_FAILED)
        continue;
      work->times_ns[key] = row->stats.median_ns;
      work->is_tuned[key] = (is_outcome (row)
                             || g_hash_table_contains (work->tried, name))
                            && (!g_hash_table_contains (work->lacking, name)
                                || g_hash_table_contains (work->relaxed, name));
      work->whole_ns += row->stats.median_ns;
    }
  return TRUE;
}

/* Wherever the kernel of @key is in the graph. */
static gint64
sum_places (const TpCalibration *self, const Work *work, int key)
{
  const TpKey *keys = self->keys->keys;
  gint64 sum = 0;

  for (guint i = 0; i < work->links->len; i++)
    {
      int other = tp_array_index (work->links, int, i);

      if (strcmp (keys[other].digest, keys[key].digest) == 0)
        sum += work->times_ns[other];
    }
  return sum;
}

/* One key of each kernel that matters, in the order of the graph. */
static TpArray *
list_wanted (const TpCalibration *self, const Work *work)
{
  g_autoptr (TpArray) wanted = tp_array_new (sizeof (int));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < work->links->len; i++)
    {
      int key = tp_array_index (work->links, int, i);

      if (work->times_ns[key] > 0 && !work->is_tuned[key]
          && g_hash_table_add (seen, self->keys->keys[key].digest)
          && sum_places (self, work, key) > MATTERS * work->whole_ns)
        tp_array_append_val (wanted, key);
    }
  return g_steal_pointer (&wanted);
}

/* Nothing is to run on any device but @index, and there what leads up to kernels
 * @first to @end - 1 of those wanted. */
static void
plan_some (TpCalibration *self, int index, const Work *work,
           guint first, guint end)
{
  TpMeasureDevice *device = &self->measure.devices[index];
  const TpKey *keys = self->keys->keys;

  for (guint i = 0; i < self->devices->len; i++)
    for (int pass = 0; pass < TP_N_PASSES; pass++)
      tp_array_set_size (self->measure.devices[i].passes[pass], 0);
  memset (device->is_wanted, 0, self->keys->n * sizeof (gboolean));
  for (guint i = 0; i < work->links->len; i++)
    {
      int key = tp_array_index (work->links, int, i);

      tp_array_append_val (device->passes[0], key);
      for (guint k = first; k < end && work->times_ns[key] > 0; k++)
        device->is_wanted[key]
            |= strcmp (keys[tp_array_index (work->wanted, int, k)].digest,
                       keys[key].digest) == 0;
    }
  tp_links_thin (device->passes[0], device->is_wanted, self->is_covered);
}

static gboolean
tune_device (TpCalibration *self, int device, TpTuneRun run,
             gboolean *out_is_over, GError **error)
{
  g_auto (Work) work = { 0 };
  guint n;

  if (self->has_given_up[device])
    return TRUE;
  if (!read_work (self, device, &work, error))
    return FALSE;
  work.wanted = list_wanted (self, &work);
  n = work.wanted->len;
  self->n_total += (n + AT_ONCE - 1) / AT_ONCE
                       * TP_MEASURE_ROUNDS_MIN
                   + n * self->measure.devices[device].compile_steps;
  for (guint i = 0; i < n && !*out_is_over; i += AT_ONCE)
    {
      plan_some (self, device, &work, i, MIN (i + AT_ONCE, n));
      if (!run (self, out_is_over, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_tune_graph (TpCalibration *self, TpTuneRun run, GError **error)
{
  gboolean is_over = FALSE;

  self->measure.n_candidates = TP_TUNE_CANDIDATES;
  for (guint i = 0; i < self->devices->len && !is_over; i++)
    if (!tune_device (self, i, run, &is_over, error))
      return FALSE;
  return TRUE;
}
