/* test-children.c: what child processes tell, and how they end. */
#include "config.h"

#include "runtime/children.h"
#include "runtime/compiler.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 300                 /* messages of a child */
#define PATIENT_MS TP_CHILDREN_SILENCE_MS

typedef struct
{
  int process;                /* the parent's */
  int n_messages;
  gint64 n_bytes;
} Heard;

/* Of another size each, some more than a pipe holds. */
static gsize
size_of (int i)
{
  return (gsize) (i % 50 == 49 ? 200000 + i : i);
}

static gboolean
tell (int pipe, gpointer data, GError **error)
{
  g_autofree char *bytes = g_strnfill (300000, 'x');

  for (int i = 0; i < N; i++)
    tp_children_send (pipe, i, bytes, size_of (i));
  return TRUE;
}

static void
hear (gpointer data, int number, TpArray *bytes)
{
  Heard *heard = data;

  g_assert_cmpint (getpid (), ==, heard->process);
  g_assert_cmpint (bytes->len, ==, size_of (number));
  for (guint i = 0; i < bytes->len; i++)
    g_assert_cmpint (bytes->data[i], ==, 'x');
  heard->n_messages++;
  heard->n_bytes += bytes->len;
}

/* None of ours is left. */
static void
assert_alone (void)
{
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
}

static void
test_tell (void)
{
  Heard heard = { getpid (), 0, 0 };
  const TpChildren children = { tell, hear, &heard, 3, PATIENT_MS };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (tp_children_run (&children, &error), ==, TP_CHILDREN_DONE);
  g_assert_no_error (error);
  g_assert_cmpint (heard.n_messages, ==, 3 * N);
  assert_alone ();
}

static gboolean
refuse (int pipe, gpointer data, GError **error)
{
  tp_children_send (pipe, 5, "xxxxx", 5);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "not %s", "this");
  return FALSE;
}

static gboolean
die (int pipe, gpointer data, GError **error)
{
  tp_children_send (pipe, 5, "xxxxx", 5);
  abort ();
}

static gboolean
leave (int pipe, gpointer data, GError **error)
{
  _exit (3);
}

/* In the middle of a message. */
static gboolean
break_off (int pipe, gpointer data, GError **error)
{
  const guint32 header[] = { 1, 1000, 0x78787878 };

  if (write (pipe, header, sizeof header) != sizeof header)
    _exit (1);
  _exit (0);
}

static void
test_ends (void)
{
  static const struct
  {
    gboolean (*work) (int pipe, gpointer data, GError **error);
    TpChildrenEnd end;
    int n_messages;
  } cases[] = { { refuse, TP_CHILDREN_REFUSED, 2 },
                { die, TP_CHILDREN_DIED, 2 },
                { leave, TP_CHILDREN_DIED, 0 },
                { break_off, TP_CHILDREN_DONE, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Heard heard = { getpid (), 0, 0 };
      const TpChildren children = { cases[i].work, hear, &heard, 2,
                                    PATIENT_MS };
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (tp_children_run (&children, &error), ==, cases[i].end);
      g_assert_cmpint (error != NULL, ==, cases[i].end != TP_CHILDREN_DONE);
      if (cases[i].end == TP_CHILDREN_REFUSED)
        g_assert_cmpstr (error->message, ==, "not this");
      g_assert_cmpint (heard.n_messages, ==, cases[i].n_messages);
      assert_alone ();
    }
}

/* As where it waits for a lock that another thread of the program held. */
static gboolean
say_nothing (int pipe, gpointer data, GError **error)
{
  for (int i = 0; i < 1000; i++)
    pause ();
  return FALSE;
}

static void
test_silence (void)
{
  Heard heard = { getpid (), 0, 0 };
  const TpChildren children = { say_nothing, hear, &heard, 2, 100 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (tp_children_run (&children, &error), ==,
                   TP_CHILDREN_IMPOSSIBLE);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
  assert_alone ();
}

/* A program that does not want to know of its children has none to wait for. */
static void
test_ignored (void)
{
  Heard heard = { getpid (), 0, 0 };
  const TpChildren children = { tell, hear, &heard, 2, PATIENT_MS };

  signal (SIGCHLD, SIG_IGN);
  g_assert_cmpint (tp_children_run (&children, NULL), ==, TP_CHILDREN_DONE);
  signal (SIGCHLD, SIG_DFL);
  g_assert_cmpint (heard.n_messages, ==, 2 * N);
  assert_alone ();
}

static volatile sig_atomic_t n_handled;

static void
count (int number)
{
  n_handled++;
}

static gboolean
signal_itself (int pipe, gpointer data, GError **error)
{
  kill (getpid (), SIGUSR1); /* would be told of by a handler of the program */
  tp_children_send (pipe, 1, "x", 1);
  return TRUE;
}

/* Handlers of the program do not run in children, and run on in it. */
static void
test_handlers (void)
{
  Heard heard = { getpid (), 0, 0 };
  const TpChildren children = { signal_itself, hear, &heard, 1,
                                PATIENT_MS };

  signal (SIGUSR1, count);
  g_assert_cmpint (tp_children_run (&children, NULL), ==, TP_CHILDREN_DIED);
  g_assert_cmpint (heard.n_messages, ==, 0);
  g_assert_cmpint (n_handled, ==, 0);
  raise (SIGUSR1);
  g_assert_cmpint (n_handled, ==, 1);
}

/* What is wrong with the process is told, not that LLVM is silent. */
static void
test_few_files (void)
{
  struct rlimit limit, few;

  if (!g_test_subprocess ())
    {
      if (tp_compiler_get_identity (NULL) == NULL)
        {
          g_test_skip (tp_compiler_get_absence ());
          return;
        }
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }
  getrlimit (RLIMIT_NOFILE, &limit);
  few = (struct rlimit){ 3, limit.rlim_max };
  setrlimit (RLIMIT_NOFILE, &few);
  g_assert_null (tp_compiler_get_identity (NULL));
  g_test_message ("%s", tp_compiler_get_absence ());
  g_assert_nonnull (strstr (tp_compiler_get_absence (), "ulimit -n"));
  setrlimit (RLIMIT_NOFILE, &limit); /* for who looks for leaks at the end */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/children/tell", test_tell);
  g_test_add_func ("/children/ends", test_ends);
  g_test_add_func ("/children/silence", test_silence);
  g_test_add_func ("/children/ignored", test_ignored);
  g_test_add_func ("/children/handlers", test_handlers);
  g_test_add_func ("/children/few-files", test_few_files);
  return g_test_run ();
}
