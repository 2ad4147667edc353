/* beside.c: see beside.h. */
#include "config.h"

#include "ir/beside.h"

#include "ir/guard.h"
#include "ir/room.h"

/* A thread's stack, and what both then take: a thread that finds nothing left cannot
 * even say so. */
#define THREAD_BYTES (16 << 20)

/* Made once; who comes while it is being made waits. */
static void
make (TpBeside *beside)
{
  if (!g_once_init_enter (&beside->is_made))
    return;
  beside->is_good = tp_guard (beside->call, beside->data, beside->what,
                              &beside->error);
  g_once_init_leave (&beside->is_made, TRUE);
}

void
tp_beside_help (TpBeside *beside)
{
  if (g_atomic_int_compare_and_exchange (&beside->is_begun, FALSE, TRUE))
    make (beside);
}

static gpointer
run_thread (gpointer data)
{
  tp_beside_help (data);
  return NULL;
}

void
tp_beside_begin (TpBeside *beside, void (*call) (gpointer data), gpointer data,
                 const char *what, gboolean is_long)
{
  *beside = (TpBeside){ .call = call, .data = data, .what = what };
  if (is_long && g_get_num_processors () > 1
      && tp_room_check (THREAD_BYTES, what, NULL))
    beside->thread = g_thread_try_new ("beside", run_thread, beside, NULL);
}

static void
wait_for_it (TpBeside *beside)
{
  if (beside->thread != NULL)
    g_thread_join (g_steal_pointer (&beside->thread));
}

gboolean
tp_beside_end (TpBeside *beside, GError **error)
{
  wait_for_it (beside);
  make (beside);
  if (beside->error != NULL)
    g_propagate_error (error, g_steal_pointer (&beside->error));
  return beside->is_good;
}

void
tp_beside_clear (TpBeside *beside)
{
  wait_for_it (beside);
  g_clear_error (&beside->error);
}
