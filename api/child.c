/* child.c: a question whose answer may take the process along, asked in a child.
 *
 * Only an answer with its end counts: a library may end the process with any
 * status, or close every file of it and go on. */
#include "config.h"

#include "api/child.h"

#include "include/tplan.h"
#include "ir/clock.h"
#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX (1 << 20)
#define TICK_US 2000
#define LOOK_MS 50
#define BURIAL_US G_USEC_PER_SEC /* what is stuck in the system is left there */

static gint64 deadline_us = 10 * G_USEC_PER_SEC;

void
tp_child_set_deadline (gint64 time_ns)
{
  deadline_us = MAX (time_ns / 1000, 1);
}

G_GNUC_NORETURN static void
answer (int fd, pid_t parent, void (*work) (gpointer, GString *),
        gpointer data)
{
  const struct rlimit none = { 0, 0 };
  g_autoptr (GString) out = g_string_new (NULL);

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (1);
  setrlimit (RLIMIT_CORE, &none);
  signal (SIGPIPE, SIG_DFL);
  dup2 (STDERR_FILENO, STDOUT_FILENO);
  work (data, out);
  _exit (tp_posix_write (fd, out->str, out->len + 1) ? 0 : 1);
}

/* How long an answer is waited for. */
typedef struct
{
  TpClockWatch watch;
  gint64 limit_us;
} Patience;

static void
patience_start (Patience *patience, gint64 limit_us)
{
  tp_clock_watch_start (&patience->watch);
  patience->limit_us = limit_us;
}

static gboolean
patience_is_over (Patience *patience)
{
  return tp_clock_watch_look (&patience->watch) >= 1000 * patience->limit_us;
}

/* Up to the end of the answer, TRUE, or of the pipe, or of @patience. */
static gboolean
read_answer (int fd, Patience *patience, GString *out_answer)
{
  while (out_answer->len <= ANSWER_BYTES_MAX)
    {
      struct pollfd event = { fd, POLLIN, 0 };
      char bytes[4096];
      gssize n;

      if (patience_is_over (patience))
        return FALSE;
      if (poll (&event, 1, LOOK_MS) <= 0)
        continue;
      n = read (fd, bytes, sizeof bytes);
      if (n == 0 || (n < 0 && errno != EINTR))
        return FALSE;
      g_string_append_len (out_answer, bytes, MAX (n, 0));
      if (n > 0 && bytes[n - 1] == '\0')
        return TRUE;
    }
  return FALSE;
}

/* Whether it has ended within @patience. */
static gboolean
wait_for_end (pid_t child, Patience *patience, int *out_status)
{
  while (waitpid (child, out_status, WNOHANG) == 0)
    {
      if (patience_is_over (patience))
        return FALSE;
      g_usleep (TICK_US);
    }
  return TRUE;
}

static void
fail (gboolean is_ended, int status, gint64 limit_us, GError **error)
{
  if (!is_ended)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                 "did not answer within %g s",
                 (double) limit_us / G_USEC_PER_SEC);
  else if (WIFSIGNALED (status))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                 "crashed (signal %d)", WTERMSIG (status));
  else
    g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                         "ended the process");
}

static char *
watch (pid_t child, int fd, gint64 limit_us, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Patience patience;
  gboolean is_whole, is_ended;
  int status = 0;

  patience_start (&patience, limit_us);
  is_whole = read_answer (fd, &patience, text);
  is_ended = is_whole || wait_for_end (child, &patience, &status);
  if (!is_whole)
    fail (is_ended, status, limit_us, error);
  if (is_whole || !is_ended)
    {
      kill (child, SIGKILL);
      patience_start (&patience, BURIAL_US);
      wait_for_end (child, &patience, &status);
    }
  return is_whole ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

char *
tp_child_ask_within (void (*work) (gpointer data, GString *out),
                     gpointer data, gint64 time_ns, GError **error)
{
  int fds[2] = { -1, -1 };
  pid_t child = -1, parent = getpid ();
  char *text = NULL;

  fflush (NULL);
  if (pipe2 (fds, O_CLOEXEC) == 0)
    child = fork ();
  if (child == 0)
    {
      close (fds[0]);
      answer (fds[1], parent, work, data);
    }
  if (child < 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                 "could not be asked: %s", g_strerror (errno));
  if (fds[1] >= 0)
    close (fds[1]);
  if (child > 0)
    text = watch (child, fds[0], MAX (time_ns / 1000, 1), error);
  if (fds[0] >= 0)
    close (fds[0]);
  return text;
}

char *
tp_child_ask (void (*work) (gpointer data, GString *out), gpointer data,
              GError **error)
{
  return tp_child_ask_within (work, data, deadline_us * 1000, error);
}
