/* forked.c: see forked.h. */
#include "config.h"

#include "runtime/forked.h"

#include <unistd.h>

TpHome
tp_home_here (void)
{
  return getpid ();
}

gboolean
tp_home_move (TpHome *home)
{
  const gint here = getpid (), moves = -here;
  gint process;

  while ((process = g_atomic_int_get (home)) != here)
    if (process == moves)
      g_thread_yield ();
    else if (g_atomic_int_compare_and_exchange (home, process, moves))
      return TRUE;
  return FALSE;
}

void
tp_home_moved (TpHome *home)
{
  g_atomic_int_set (home, getpid ());
}
