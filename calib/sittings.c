/* sittings.c: see sittings.h. */
#include "config.h"

#include "calib/sittings.h"

#include "calib/samples.h"

#define FEWEST 6              /* samples; of fewer it was interrupted */

typedef struct
{
  TpStats stats[TP_SITTINGS_MOST]; /* n is 0: not of this sitting */
  TpProcessors processors[TP_SITTINGS_MOST];
  gboolean is_settled;        /* in one of them */
} Figures;

struct TpSittings
{
  int index;
  GHashTable *figures;        /* name of a kernel on a device -> Figures */
};

TpSittings *
tp_sittings_new (void)
{
  TpSittings *sittings = g_new0 (TpSittings, 1);

  sittings->figures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return sittings;
}

void
tp_sittings_free (TpSittings *sittings)
{
  if (sittings == NULL)
    return;
  g_hash_table_unref (sittings->figures);
  g_free (sittings);
}

void
tp_sittings_begin (TpSittings *sittings, int index)
{
  GHashTableIter iter;
  gpointer value;

  sittings->index = index;
  g_hash_table_iter_init (&iter, sittings->figures);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    ((Figures *) value)->stats[index] = (TpStats){ 0 };
}

static Figures *
get_figures (TpSittings *sittings, const TpEntryRow *row)
{
  char *name = g_strdup_printf ("%" G_GINT64_FORMAT " %s %s %s", row->device,
                                row->digest, row->dtype, row->schedule);
  Figures *figures = g_hash_table_lookup (sittings->figures, name);

  if (figures != NULL)
    {
      g_free (name);
      return figures;
    }
  figures = g_new0 (Figures, 1);
  g_hash_table_insert (sittings->figures, name, figures);
  return figures;
}

static TpProcessors
find_least (const Figures *figures)
{
  TpProcessors least = { 0 };

  for (int i = 0; i < TP_SITTINGS_MOST; i++)
    if (figures->stats[i].n > 0)
      tp_samples_note_least (&least, &figures->processors[i]);
  return least;
}

/* What was held up, or broken off, has no part in it where another was not. */
static int
list_good (const Figures *figures, const TpProcessors *least, TpStats *out_stats)
{
  int n_good = 0, n_all = 0;

  for (int i = 0; i < TP_SITTINGS_MOST; i++)
    if (figures->stats[i].n >= FEWEST
        && !tp_samples_are_apart (&figures->processors[i], least)
        && !tp_samples_are_contended (&figures->processors[i], least))
      out_stats[n_good++] = figures->stats[i];
  if (n_good > 0)
    return n_good;
  for (int i = 0; i < TP_SITTINGS_MOST; i++)
    if (figures->stats[i].n > 0)
      out_stats[n_all++] = figures->stats[i];
  return n_all;
}

void
tp_sittings_take (TpSittings *sittings, TpEntryRow *row)
{
  Figures *figures = get_figures (sittings, row);
  TpStats good[TP_SITTINGS_MOST];
  int n;

  figures->stats[sittings->index] = row->stats;
  figures->processors[sittings->index] = row->processors;
  figures->is_settled |= row->state == TP_ENTRY_SETTLED;
  row->processors = find_least (figures);
  n = list_good (figures, &row->processors, good);
  if (n > 0)
    tp_stats_combine (good, n, &row->stats);
  if (row->state == TP_ENTRY_PROVISIONAL && figures->is_settled)
    row->state = TP_ENTRY_SETTLED;
}
