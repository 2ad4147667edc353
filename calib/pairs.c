/* pairs.c: see pairs.h. */
#include "config.h"

#include "calib/pairs.h"

#include "calib/child.h"
#include "calib/inbox.h"

static void
interference_work (TpChannel *channel, gpointer data)
{
  tp_interference_work (channel, &((TpCalibration *) data)->interference);
}

/* Never where both are the same processors and none can leave the other any. */
static gboolean
is_wanted (const TpCalibration *self, int first, int second)
{
  const TpDeviceRow *a = self->rows[first], *b = self->rows[second];

  return !self->options->is_brief && !self->has_given_up[first]
         && !self->has_given_up[second]
         && !(tp_lookup_is_cpu (a) && tp_lookup_is_cpu (b)
              && !tp_lookup_leaves_room (self->options))
         && !tp_speeds_are_settled (a, b);
}

/* Fills @out, [second * devices + first]. Returns how many. */
static int
list_pairs (const TpCalibration *self, gboolean *out)
{
  int n = self->devices->len, n_wanted = 0;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      n_wanted += out[i * n + k] = is_wanted (self, k, i);
  return n_wanted;
}

/* Two that a driver does not survive at once are not asked again. *@out_is_known: they
 * are known. */
static gboolean
blame_pair (TpCalibration *self, gboolean *out_is_known, GError **error)
{
  const TpBeat *beat = &self->end.beat;
  guint first = beat->key, second = beat->device;
  g_autofree char *end = tp_child_describe_end (self);

  *out_is_known = second < self->devices->len && first < second;
  if (!*out_is_known)
    {
      tp_inbox_warn (self, g_steal_pointer (&end));
      return TRUE;
    }
  tp_inbox_warn (self, g_strdup_printf (
                    "%s beside '%s': how they slow each other is not known",
                    end, (char *) g_ptr_array_index (self->devices, first)));
  tp_speeds_keep (self->rows[second], self->rows[first], NULL);
  return tp_cost_db_put_device (self->db, self->rows[second], error);
}

/* Until a child comes through; each that does not leaves fewer pairs. */
gboolean
tp_pairs_measure (TpCalibration *self, GError **error)
{
  int n = self->devices->len;
  g_autofree gboolean *wanted = g_new0 (gboolean, (gsize) n * n + 1);
  gboolean is_worth_more = TRUE;

  self->n_total += list_pairs (self, wanted);
  while (is_worth_more && list_pairs (self, wanted) > 0
         && !tp_calibration_is_over (self))
    {
      if (tp_child_wait_for_turn (self))
        continue;
      self->interference = (TpInterferenceJob){
        .n_threads = self->options->n_threads,
        .n_devices = n,
        .devices = (const char *const *) self->devices->pdata,
        .is_wanted = wanted,
      };
      if (!tp_child_run (self, interference_work, error))
        return FALSE;
      is_worth_more = tp_child_is_broken (self);
      if (is_worth_more && !blame_pair (self, &is_worth_more, error))
        return FALSE;
    }
  return TRUE;
}
