/* limit-master.c: see limit-master.h.
 *
 * What is proved is a concave function of the prices, made of planes: one for each
 * placement, which rises as that holds more than the limits. So the placements met so far
 * say what no prices prove more than, and where that is most is tried next (J. E. Kelley,
 * The cutting-plane method for solving convex programs, 1960). */
#include "config.h"

#include "planner/limit-master.h"

#define CLOSE 1e-6            /* of what is left to prove: nothing */

void
tp_limit_master_init (TpLimitMaster *master, double steep)
{
  *master = (TpLimitMaster){ .columns = tp_array_new (sizeof (TpLimitColumn)),
                             .scale = 1, .steep = steep };
  master->parts = tp_array_new (sizeof (double));
}

void
tp_limit_master_clear (TpLimitMaster *master)
{
  g_clear_pointer (&master->columns, tp_array_unref);
  g_clear_pointer (&master->parts, tp_array_unref);
}

void
tp_limit_master_forget (TpLimitMaster *master)
{
  tp_array_set_size (master->columns, 0);
  tp_array_set_size (master->parts, 0);
}

void
tp_limit_master_reset (TpLimitMaster *master, gint64 scale, double most)
{
  tp_limit_master_forget (master);
  master->scale = (double) MAX (scale, 1);
  master->most = most;
  master->is_short = FALSE;
}

void
tp_limit_master_add (TpLimitMaster *master, TpLimitColumn column)
{
  column.cost /= master->scale;
  tp_array_append_val (master->columns, column);
  tp_array_set_size (master->parts, master->columns->len);
}

gboolean
tp_limit_master_find (TpLimitMaster *master, int n_rows, double value,
                      TpLimitPrices *out)
{
  tp_limit_prices_find (master->columns, n_rows, master->most, out,
                        (double *) (void *) master->parts->data);
  master->is_short = out->is_short;
  if (out->is_short)
    master->most *= master->steep;
  return out->is_short || out->value - value / master->scale > CLOSE;
}

TpLimitEnd
tp_limit_master_climb (const TpLimitAscent *ascent, int n_tries, gpointer data)
{
  for (int round = 1; ascent->try (data); round++)
    {
      if (round >= n_tries)
        return TP_LIMIT_TIRED;
      if (!ascent->next (data, round))
        return TP_LIMIT_NO_OTHERS;
    }
  return TP_LIMIT_ENOUGH;
}
