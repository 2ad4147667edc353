/* pack-beside.c: see pack-beside.h. A ring of pieces between two threads. */
#include "config.h"

#include "format/pack-beside.h"

#include "ir/guard.h"
#include "ir/text.h"

#define N_PIECES 8

struct TpPackBeside
{
  TpPacker *packer;           /* the thread's, while there is one */
  GThread *thread;            /* NULL: none */
  gsize n_added;
  GMutex lock;                /* over what follows */
  GCond changed;
  GString *pieces[N_PIECES];
  gsize n_full, n_taken;      /* pieces so far */
  gboolean is_last;           /* no more will come */
  GError *error;              /* of the thread: it packs no more */
};

TpPackBeside *
tp_pack_beside_new (void)
{
  g_autoptr (TpPackBeside) beside = tp_new0 (TpPackBeside, 1);

  g_mutex_init (&beside->lock);
  g_cond_init (&beside->changed);
  for (int i = 0; i < N_PIECES; i++)
    beside->pieces[i] = g_string_new (NULL);
  beside->packer = tp_packer_new ();
  return g_steal_pointer (&beside);
}

/* The piece that is next, until give_back (); NULL: there is none, nor will be. */
static const GString *
wait_for_piece (TpPackBeside *beside)
{
  const GString *piece = NULL;

  g_mutex_lock (&beside->lock);
  while (beside->n_taken == beside->n_full && !beside->is_last)
    g_cond_wait (&beside->changed, &beside->lock);
  if (beside->n_taken < beside->n_full)
    piece = beside->pieces[beside->n_taken % N_PIECES];
  g_mutex_unlock (&beside->lock);
  return piece;
}

static void
give_back (TpPackBeside *beside)
{
  g_mutex_lock (&beside->lock);
  beside->n_taken++;
  g_cond_signal (&beside->changed);
  g_mutex_unlock (&beside->lock);
}

static void
pack_all (gpointer data)
{
  TpPackBeside *beside = data;
  const GString *piece;

  while ((piece = wait_for_piece (beside)) != NULL)
    {
      tp_packer_add (beside->packer, piece->str, piece->len);
      give_back (beside);
    }
}

/* Without memory the rest is taken all the same, so that nobody waits. */
static gpointer
run (gpointer data)
{
  TpPackBeside *beside = data;

  if (!tp_guard (pack_all, beside, "to pack this plan", &beside->error))
    while (wait_for_piece (beside) != NULL)
      give_back (beside);
  return NULL;
}

/* Room in the ring; the thread reads none of it. */
static GString *
wait_for_room (TpPackBeside *beside)
{
  g_mutex_lock (&beside->lock);
  while (beside->n_full - beside->n_taken == N_PIECES)
    g_cond_wait (&beside->changed, &beside->lock);
  g_mutex_unlock (&beside->lock);
  return beside->pieces[beside->n_full % N_PIECES];
}

static void
hand_over (TpPackBeside *beside, const void *bytes, gsize size)
{
  GString *piece = wait_for_room (beside);

  g_string_truncate (piece, 0);
  tp_text_append_len (piece, bytes, size);
  g_mutex_lock (&beside->lock);
  beside->n_full++;
  g_cond_signal (&beside->changed);
  g_mutex_unlock (&beside->lock);
}

void
tp_pack_beside_add (TpPackBeside *beside, const void *bytes, gsize size)
{
  if (beside->n_added++ == 1)
    beside->thread = g_thread_try_new ("pack", run, beside, NULL);
  if (beside->thread == NULL)
    tp_packer_add (beside->packer, bytes, size);
  else
    hand_over (beside, bytes, size);
}

static void
end_thread (TpPackBeside *beside)
{
  if (beside->thread == NULL)
    return;
  g_mutex_lock (&beside->lock);
  beside->is_last = TRUE;
  g_cond_signal (&beside->changed);
  g_mutex_unlock (&beside->lock);
  g_thread_join (g_steal_pointer (&beside->thread));
}

GBytes *
tp_pack_beside_finish (TpPackBeside *beside, GError **error)
{
  end_thread (beside);
  if (beside->error == NULL)
    return tp_packer_finish (beside->packer, error);
  g_propagate_error (error, g_steal_pointer (&beside->error));
  return NULL;
}

void
tp_pack_beside_free (TpPackBeside *beside)
{
  if (beside == NULL)
    return;
  end_thread (beside);
  tp_packer_free (beside->packer);
  for (int i = 0; i < N_PIECES; i++)
    if (beside->pieces[i] != NULL)
      g_string_free (beside->pieces[i], TRUE);
  g_clear_error (&beside->error);
  g_mutex_clear (&beside->lock);
  g_cond_clear (&beside->changed);
  g_free (beside);
}
