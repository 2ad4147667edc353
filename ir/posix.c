/* posix.c: calls of the system that may do less than was asked, or be
 * interrupted, done to the end. */
#include "config.h"

#include "ir/posix.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WRITE ((gsize) 1 << 30) /* Linux takes no more than 2 GiB at once */

gboolean
tp_posix_write (int fd, const void *data, gsize size)
{
  const guint8 *next = data;

  while (size > 0)
    {
      ssize_t n = write (fd, next, MIN (size, MAX_WRITE));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          errno = n < 0 ? errno : EIO;
          return FALSE;
        }
      next += n;
      size -= n;
    }
  return TRUE;
}

gboolean
tp_posix_read (int fd, void *data, gsize size)
{
  guint8 *next = data;

  while (size > 0)
    {
      ssize_t n = read (fd, next, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      next += n;
      size -= n;
    }
  return TRUE;
}

int
tp_posix_wait (pid_t child)
{
  int status = 0;

  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

/* Where the limit leaves no time for a signal before it, the end is SIGKILL. */
char *
tp_posix_describe_signal (int number)
{
  struct rlimit limit;
  gboolean has_limit = getrlimit (RLIMIT_CPU, &limit) == 0
                       && limit.rlim_max != RLIM_INFINITY;

  if (number == SIGXCPU)
    return g_strdup ("used up the processor's time that a process may have: "
                     "raise the limit by `ulimit -t`");
  if (number == SIGKILL && has_limit)
    return g_strdup_printf ("was killed (signal 9), as when it has used the "
                            "%lu s that `ulimit -t` allows",
                            (unsigned long) limit.rlim_max);
  return g_strdup_printf ("crashed (signal %d)", number);
}

void
tp_posix_die_with (pid_t parent)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (1);
}

void
tp_posix_close_others (int kept)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      int fd = (int) g_ascii_strtoll (name, NULL, 10);

      g_array_append_val (open, fd);
    }
  g_clear_pointer (&dir, g_dir_close);
  for (guint i = 0; i < open->len; i++)
    if (g_array_index (open, int, i) > STDERR_FILENO
        && g_array_index (open, int, i) != kept)
      close (g_array_index (open, int, i));
}
