/* test-precedence.c: wards spin while something is timed, and at no other time. */
#include "calib/precedence.h"

#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define WAITS_MS 20000        /* for a machine that hardly gets to run */

static char
read_state (pid_t process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) process);
  g_autofree char *text = NULL;
  const char *end;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  end = strrchr (text, ')');
  return end != NULL && end[1] == ' ' ? end[2] : 0;
}

static void
wait_for (pid_t process, char state)
{
  char is = 0;

  for (int i = 0; i < WAITS_MS && (is = read_state (process)) != state; i++)
    g_usleep (1000);
  g_assert_cmpint (is, ==, state);
}

static void
wait_for_all (const TpPrecedence *self, char state)
{
  for (int i = 0; i < self->n_wards; i++)
    wait_for (self->wards[i], state);
}

static void
signal_all (const TpPrecedence *self, int number)
{
  for (int i = 0; i < self->n_wards; i++)
    g_assert_cmpint (kill (self->wards[i], number), ==, 0);
}

/* As a shell does on ^Z and fg. */
static void
stop_and_go_on (const TpPrecedence *self)
{
  signal_all (self, SIGSTOP);
  wait_for_all (self, 'T');
  signal_all (self, SIGCONT);
}

static void
test_wards (void)
{
  TpPrecedence precedence;

  tp_precedence_init (&precedence, 2);
  if (precedence.n_wards == 0)
    {
      g_test_skip ("no processes can be started");
      return;
    }
  wait_for_all (&precedence, 'S');
  stop_and_go_on (&precedence);
  wait_for_all (&precedence, 'S');
  for (int i = 0; i < 3; i++)
    {
      tp_precedence_take (&precedence);
      wait_for_all (&precedence, 'R');
      stop_and_go_on (&precedence);
      wait_for_all (&precedence, 'R');
      tp_precedence_leave (&precedence);
      wait_for_all (&precedence, 'S');
    }
  tp_precedence_clear (&precedence);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/precedence/wards", test_wards);
  return g_test_run ();
}
