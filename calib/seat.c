/* seat.c: see seat.h. */
#include "config.h"

#include "calib/seat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls @use with each other thread of this process, and where it may run. */
typedef void (*ThreadUser) (pid_t id, const cpu_set_t *its, gpointer data);

static void
for_others (ThreadUser use, gpointer data)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    {
      pid_t id = (pid_t) strtol (name, NULL, 10);
      cpu_set_t its;

      if (id != getpid () && sched_getaffinity (id, sizeof its, &its) == 0)
        use (id, &its, data);
    }
}

static void
remove_pinned (pid_t id, const cpu_set_t *its, gpointer data)
{
  cpu_set_t *mask = data, shared;

  (void) id;
  if (CPU_COUNT (its) != 1)
    return;
  CPU_AND (&shared, its, mask);
  CPU_XOR (mask, mask, &shared);
}

void
tp_seat_take (TpSeat *seat)
{
  cpu_set_t free_ones;

  memset (seat, 0, sizeof *seat);
  if (sched_getaffinity (0, sizeof seat->before, &seat->before) != 0)
    return;
  free_ones = seat->before;
  for_others (remove_pinned, &free_ones);
  seat->is_taken = CPU_COUNT (&free_ones) > 0
                   && !CPU_EQUAL (&free_ones, &seat->before)
                   && sched_setaffinity (0, sizeof free_ones, &free_ones) == 0;
}

typedef struct
{
  TpSeat *seat;
  cpu_set_t rest;
} Eviction;

static void
move (pid_t id, const cpu_set_t *its, gpointer data)
{
  Eviction *eviction = data;

  if (CPU_EQUAL (its, &eviction->seat->before)
      && sched_setaffinity (id, sizeof eviction->rest, &eviction->rest) == 0)
    g_array_append_val (eviction->seat->moved, id);
}

void
tp_seat_take_alone (TpSeat *seat)
{
  Eviction eviction = { .seat = seat };
  cpu_set_t first;
  int i = 0;

  memset (seat, 0, sizeof *seat);
  if (sched_getaffinity (0, sizeof seat->before, &seat->before) != 0
      || CPU_COUNT (&seat->before) < 2)
    return;
  while (!CPU_ISSET (i, &seat->before))
    i++;
  CPU_ZERO (&first);
  CPU_SET (i, &first);
  CPU_XOR (&eviction.rest, &seat->before, &first);
  seat->is_taken = sched_setaffinity (0, sizeof first, &first) == 0;
  if (!seat->is_taken)
    return;
  seat->moved = g_array_new (FALSE, FALSE, sizeof (pid_t));
  for_others (move, &eviction);
}

void
tp_seat_leave (TpSeat *seat)
{
  for (guint i = 0; seat->moved != NULL && i < seat->moved->len; i++)
    sched_setaffinity (g_array_index (seat->moved, pid_t, i),
                       sizeof seat->before, &seat->before);
  g_clear_pointer (&seat->moved, g_array_unref);
  if (seat->is_taken)
    sched_setaffinity (0, sizeof seat->before, &seat->before);
  seat->is_taken = FALSE;
}
