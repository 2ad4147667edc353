/* seat.c: see seat.h. */
#include "config.h"

#include "calib/seat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
remove_pinned (cpu_set_t *mask)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    {
      pid_t id = (pid_t) strtol (name, NULL, 10);
      cpu_set_t its;

      if (id == getpid () || sched_getaffinity (id, sizeof its, &its) != 0
          || CPU_COUNT (&its) != 1)
        continue;
      CPU_AND (&its, &its, mask);
      CPU_XOR (mask, mask, &its);
    }
}

void
tp_seat_take (TpSeat *seat)
{
  cpu_set_t free_ones;

  memset (seat, 0, sizeof *seat);
  if (sched_getaffinity (0, sizeof seat->before, &seat->before) != 0)
    return;
  free_ones = seat->before;
  remove_pinned (&free_ones);
  seat->is_taken = CPU_COUNT (&free_ones) > 0
                   && !CPU_EQUAL (&free_ones, &seat->before)
                   && sched_setaffinity (0, sizeof free_ones, &free_ones) == 0;
}

void
tp_seat_leave (TpSeat *seat)
{
  if (seat->is_taken)
    sched_setaffinity (0, sizeof seat->before, &seat->before);
  seat->is_taken = FALSE;
}
