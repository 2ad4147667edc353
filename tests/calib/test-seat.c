/* test-seat.c: who may run where while the caller has a processor. */
#include "config.h"

#include "calib/seat.h"

#include <semaphore.h>

typedef struct
{
  sem_t may_look, has_looked;
  cpu_set_t its;              /* where it may run */
} Other;

static gpointer
be_there (gpointer data)
{
  Other *other = data;

  for (int i = 0; i < 2; i++)
    {
      sem_wait (&other->may_look);
      sched_getaffinity (0, sizeof other->its, &other->its);
      sem_post (&other->has_looked);
    }
  return NULL;
}

static void
ask (Other *other)
{
  sem_post (&other->may_look);
  sem_wait (&other->has_looked);
}

/* The caller has one processor, the other thread all the rest; then both have all
 * again. */
static void
test_alone (void)
{
  Other other;
  cpu_set_t before, mine, both;
  GThread *thread;
  TpSeat seat;
  gboolean has_two;

  sem_init (&other.may_look, 0, 0);
  sem_init (&other.has_looked, 0, 0);
  sched_getaffinity (0, sizeof before, &before);
  has_two = CPU_COUNT (&before) > 1;
  thread = g_thread_new ("other", be_there, &other);

  tp_seat_take_alone (&seat);
  g_assert_cmpint (seat.is_taken, ==, has_two);
  sched_getaffinity (0, sizeof mine, &mine);
  ask (&other);
  if (has_two)
    {
      g_assert_cmpint (CPU_COUNT (&mine), ==, 1);
      CPU_AND (&both, &mine, &other.its);
      g_assert_cmpint (CPU_COUNT (&both), ==, 0);
      CPU_OR (&both, &mine, &other.its);
      g_assert_true (CPU_EQUAL (&both, &before));
    }

  tp_seat_leave (&seat);
  sched_getaffinity (0, sizeof mine, &mine);
  ask (&other);
  g_assert_true (CPU_EQUAL (&mine, &before));
  g_assert_true (CPU_EQUAL (&other.its, &before));
  g_thread_join (thread);
}

/* Who was pinned by somebody else stays there, and keeps the caller off. */
static void
test_pinned (void)
{
  Other other;
  cpu_set_t before, mine, last;
  GThread *thread;
  TpSeat seat;
  int i = CPU_SETSIZE - 1;

  sched_getaffinity (0, sizeof before, &before);
  if (CPU_COUNT (&before) < 2)
    {
      g_test_skip ("one processor");
      return;
    }
  while (!CPU_ISSET (i, &before))
    i--;
  CPU_ZERO (&last);
  CPU_SET (i, &last);
  sem_init (&other.may_look, 0, 0);
  sem_init (&other.has_looked, 0, 0);
  sched_setaffinity (0, sizeof last, &last); /* the thread inherits it */
  thread = g_thread_new ("other", be_there, &other);
  sched_setaffinity (0, sizeof before, &before);

  tp_seat_take_alone (&seat);
  ask (&other);
  g_assert_true (CPU_EQUAL (&other.its, &last));
  tp_seat_leave (&seat);

  tp_seat_take (&seat);
  sched_getaffinity (0, sizeof mine, &mine);
  g_assert_false (CPU_ISSET (i, &mine));
  tp_seat_leave (&seat);
  sched_getaffinity (0, sizeof mine, &mine);
  g_assert_true (CPU_EQUAL (&mine, &before));
  ask (&other);
  g_assert_true (CPU_EQUAL (&other.its, &last));
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/seat/alone", test_alone);
  g_test_add_func ("/seat/pinned", test_pinned);
  return g_test_run ();
}
