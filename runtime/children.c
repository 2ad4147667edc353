/* children.c: see children.h. */
#include "config.h"

#include "runtime/children.h"

#include "ir/guard.h"
#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFUSAL -1            /* number of the message with the reason */
#define MAX_MESSAGE_BYTES ((guint32) 1 << 30)

typedef struct
{
  int number;
  guint32 size;
} Header;

typedef struct
{
  pid_t process;
  int pipe;                   /* -1: at its end */
  TpArray *bytes;             /* of what it is telling; NULL: nothing yet */
} Child;

typedef struct
{
  const TpChildren *task;
  int n;                      /* children that were made */
  Child *children;
  gboolean has_died;
  char *refusal;              /* the first */
} Watch;

/* ---- the children's side ------------------------------------------------- */

void
tp_children_send (int pipe, int number, const void *bytes, gsize size)
{
  const Header header = { number, (guint32) size };

  g_assert (size <= MAX_MESSAGE_BYTES);
  if (!tp_posix_write (pipe, &header, sizeof header)
      || !tp_posix_write (pipe, bytes, size))
    _exit (1); /* nobody listens any more */
}

/* Handlers are the program's, and so is what it prints to. */
static void
leave_program (pid_t parent, const sigset_t *mask)
{
  const struct rlimit none = { 0, 0 };
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);

  tp_posix_die_with (parent);
  for (int number = 1; number < NSIG; number++)
    signal (number, SIG_DFL);
  signal (SIGINT, SIG_IGN); /* Ctrl-C is for the parent */
  signal (SIGXFSZ, SIG_IGN); /* a file that may not grow is an error */
  sigprocmask (SIG_SETMASK, mask, NULL);
  setrlimit (RLIMIT_CORE, &none);
  if (null < 0 || dup2 (null, STDOUT_FILENO) < 0
      || dup2 (null, STDERR_FILENO) < 0)
    _exit (1);
}

G_GNUC_NORETURN static void
run_child (const TpChildren *task, int pipe)
{
  GError *error = NULL;

  if (!task->work (pipe, task->data, &error))
    tp_children_send (pipe, REFUSAL, error->message, strlen (error->message));
  _exit (0);
}

/* ---- the parent's side ---------------------------------------------------- */

/* However the call is left. */
static void
watch_clear (Watch *watch)
{
  for (int i = 0; i < watch->n; i++)
    {
      Child *child = &watch->children[i];

      if (child->pipe >= 0)
        close (child->pipe);
      if (child->process > 0)
        {
          kill (child->process, SIGKILL);
          tp_posix_wait (child->process);
        }
      tp_array_unref (child->bytes);
    }
  g_free (watch->children);
  g_free (watch->refusal);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watch, watch_clear)

/* With no handler of the program run in the child. */
static gboolean
make_child (Watch *watch)
{
  Child *child = &watch->children[watch->n];
  pid_t parent = getpid ();
  sigset_t all, before;
  int ends[2], reason;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return FALSE;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  child->process = fork ();
  reason = errno;
  if (child->process == 0)
    {
      leave_program (parent, &before);
      run_child (watch->task, ends[1]);
    }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  close (ends[1]);
  child->pipe = ends[0];
  if (child->process < 0)
    close (ends[0]);
  else
    watch->n++;
  errno = reason;
  return child->process >= 0;
}

static void
take_message (Watch *watch, Child *child, const Header *header)
{
  g_autoptr (TpArray) bytes = g_steal_pointer (&child->bytes);

  memmove (bytes->data, bytes->data + sizeof *header, header->size);
  tp_array_set_size (bytes, header->size);
  if (header->number != REFUSAL)
    watch->task->receive (watch->task->data, header->number, bytes);
  else if (watch->refusal == NULL)
    watch->refusal = g_strndup (bytes->data, bytes->len);
}

/* Reads to the end of one message at the most. */
static void
listen_to (Watch *watch, Child *child)
{
  Header header = { 0 };
  gsize wanted = sizeof header;
  guint had;
  ssize_t n;

  if (child->bytes == NULL)
    child->bytes = tp_array_new (1);
  had = child->bytes->len;
  if (had >= sizeof header)
    {
      memcpy (&header, child->bytes->data, sizeof header);
      wanted += MIN (header.size, MAX_MESSAGE_BYTES);
    }
  tp_array_set_size (child->bytes, wanted);
  n = read (child->pipe, child->bytes->data + had, wanted - had);
  tp_array_set_size (child->bytes, had + MAX (n, 0));
  if (n == 0 || (n < 0 && errno != EINTR))
    {
      close (child->pipe);
      child->pipe = -1;
    }
  else if (child->bytes->len >= sizeof header)
    {
      memcpy (&header, child->bytes->data, sizeof header);
      if (child->bytes->len == sizeof header + header.size)
        take_message (watch, child, &header);
    }
}

static void
bury (Watch *watch, Child *child)
{
  int status = tp_posix_wait (child->process);

  child->process = 0;
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    watch->has_died = TRUE;
}

/* AddressSanitizer's allocator keeps locks that other threads held at a fork (up to
 * GCC 13): such a child never speaks again, and its work is done without it. */
static int
get_silence_ms (const TpChildren *task)
{
#ifdef __SANITIZE_ADDRESS__
  return MIN (task->silence_ms, 20000);
#else
  return task->silence_ms;
#endif
}

/* FALSE: they have nothing to say. */
static gboolean
listen (Watch *watch)
{
  g_autofree struct pollfd *polled = g_new0 (struct pollfd, watch->n + 1);
  int n_open = watch->n, n_ready;

  while (n_open > 0)
    {
      n_open = 0;
      for (int i = 0; i < watch->n; i++)
        {
          polled[i] = (struct pollfd){ watch->children[i].pipe, POLLIN, 0 };
          n_open += polled[i].fd >= 0;
        }
      if (n_open == 0)
        break;
      n_ready = poll (polled, watch->n, get_silence_ms (watch->task));
      if (n_ready == 0)
        return FALSE;
      if (n_ready > 0)
        for (int i = 0; i < watch->n; i++)
          if (polled[i].fd >= 0 && polled[i].revents != 0)
            listen_to (watch, &watch->children[i]);
    }
  for (int i = 0; i < watch->n; i++)
    bury (watch, &watch->children[i]);
  return TRUE;
}

/* Without one there is none; with fewer than wanted they do the work. */
static TpChildrenEnd
fail_to_begin (GError **error)
{
  gboolean is_memory = errno == ENOMEM;

  g_set_error (error, TPLAN_ERROR,
               is_memory ? TPLAN_ERROR_MEMORY : TPLAN_ERROR_FAILED,
               "no child process: %s", g_strerror (errno));
  return is_memory ? TP_CHILDREN_DIED : TP_CHILDREN_IMPOSSIBLE;
}

TpChildrenEnd
tp_children_run (const TpChildren *task, GError **error)
{
  g_auto (Watch) watch = { .task = task };
  gboolean is_made = TRUE;

#ifdef __SANITIZE_THREAD__ /* its allocator keeps locks that others held at a fork */
  is_made = FALSE;
  errno = ENOSYS;
#endif
  watch.children = tp_new0 (Child, task->n_children + 1);
  for (int i = 0; i < task->n_children && is_made; i++)
    is_made = make_child (&watch);
  if (watch.n == 0)
    return fail_to_begin (error);
  if (!listen (&watch))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "child processes were silent for %d s",
                   get_silence_ms (task) / 1000);
      return TP_CHILDREN_IMPOSSIBLE;
    }
  if (watch.refusal == NULL && !watch.has_died)
    return TP_CHILDREN_DONE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE, "%s",
               watch.refusal != NULL ? watch.refusal
                                     : "a child process ended early");
  return watch.refusal != NULL ? TP_CHILDREN_REFUSED : TP_CHILDREN_DIED;
}
