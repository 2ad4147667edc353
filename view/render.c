/* render.c: DOT text to SVG or PNG, through libgvc.
 *
 * Layout time grows faster than the graph and cannot be bounded from inside, and
 * the layout engine may print and exit; so it runs in a child process that is
 * killed when its time is up. */
#include "config.h"

#include "view/render.h"

#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <gvc.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Child only: never returns. Exit 0 good, 1 layout or format failed. */
static void
render_child (int out, const char *dot, const char *format)
{
  int null = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  char *data = NULL;
  unsigned int size = 0;
  GVC_t *gvc;
  Agraph_t *graph;

  if (null >= 0)
    dup2 (null, STDERR_FILENO);
  gvc = gvContext ();
  graph = agmemread (dot);
  if (graph == NULL || gvLayout (gvc, graph, "dot") != 0
      || gvRenderData (gvc, graph, format, &data, &size) != 0 || size == 0)
    _exit (1);
  _exit (tp_posix_write (out, data, size) ? 0 : 1);
}

/* Reads until the end or the deadline; FALSE when time is up. */
static gboolean
read_all (int in, GByteArray *bytes, gint64 deadline_us)
{
  for (;;)
    {
      gint64 left_ms = (deadline_us - g_get_monotonic_time ()) / 1000;
      struct pollfd poll_in = { .fd = in, .events = POLLIN };
      guint8 buffer[65536];
      ssize_t n;

      if (left_ms <= 0)
        return FALSE;
      if (poll (&poll_in, 1, MIN (left_ms, G_MAXINT)) <= 0)
        continue;
      n = read (in, buffer, sizeof buffer);
      if (n > 0)
        g_byte_array_append (bytes, buffer, n);
      else if (n == 0 || errno != EINTR)
        return TRUE;
    }
}

/* Starts a child that draws into a pipe, the end of which to read is @out_end;
 * -1, with errno set and nothing left open, when there cannot be one. */
static pid_t
start_child (const char *dot, const char *format, int *out_end)
{
  int ends[2], reason;
  pid_t child, parent = getpid ();

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  child = fork ();
  if (child == 0)
    {
      close (ends[0]); /* or a write would wait for ourselves to read */
      tp_posix_die_with (parent);
      render_child (ends[1], dot, format);
    }
  reason = errno;
  close (ends[1]);
  if (child < 0)
    close (ends[0]);
  errno = reason;
  *out_end = ends[0];
  return child;
}

GBytes *
tp_view_render (const char *dot, const char *format, gint64 limit_ns,
                GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean is_in_time;
  int in = -1, status;
  pid_t child = start_child (dot, format, &in);

  if (child < 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "cannot start a process to draw in: %s", g_strerror (errno));
      return NULL;
    }
  is_in_time
      = read_all (in, bytes, g_get_monotonic_time () + limit_ns / 1000);
  close (in);
  if (!is_in_time)
    kill (child, SIGKILL);
  status = tp_posix_wait (child);
  if (!is_in_time)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                 "drawing took more than %.0f s: draw fewer ops "
                 "(--max-nodes) or write .dot and lay it out elsewhere",
                 limit_ns / 1e9);
  else if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                 "Graphviz cannot draw '%s': is its plugin for it installed?",
                 format);
  else
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return NULL;
}
