/* walk.c: see walk.h. */
#include "config.h"

#include "tests/onnx/walk.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "runtime/devices.h"
#include "runtime/device.h"

#define TIME_LIMIT_S 600      /* of one test */

/* At the head of the shared memory. */
typedef struct
{
  gint next;                  /* case to be tried next */
  OnnxResult results[];
} Shared;

static Shared *
get_shared (const OnnxWalk *walk)
{
  return (Shared *) (void *) ((char *) walk->results
                              - offsetof (Shared, results));
}

static gsize
get_size (const OnnxWalk *walk)
{
  return sizeof (Shared) + (walk->cases->len + 1) * sizeof (OnnxResult);
}

/* ---- children --------------------------------------------------------------- */

/* Children do not return from main(), where leaks would be looked for; looking
 * after every test takes several times as long as the tests. */
static void
leave (OnnxResult *last)
{
#ifdef __SANITIZE_ADDRESS__
  if (last != NULL && __lsan_do_recoverable_leak_check () != 0)
    onnx_result_set (last, ONNX_FAILED,
                     "this test or one before it leaks: see stderr");
#endif
  _exit (0);
}

static void
work (OnnxWalk *walk)
{
  Shared *shared = get_shared (walk);
  const struct rlimit none = { 0, 0 };
  OnnxResult *result = NULL;

  setrlimit (RLIMIT_CORE, &none);
  for (;;)
    {
      int i = g_atomic_int_add (&shared->next, 1);

      if (i >= (int) walk->cases->len)
        leave (result);
      result = &walk->results[i];
      result->pid = getpid ();
      result->outcome = ONNX_RUNNING;
      alarm (TIME_LIMIT_S);
      onnx_attempt (walk->cases->pdata[i], walk->device, result);
    }
}

static gboolean
start_worker (OnnxWalk *walk)
{
  pid_t pid = fork ();

  if (pid == 0)
    work (walk);
  return pid > 0;
}

static void
note_crash (OnnxWalk *walk, pid_t pid, int status)
{
  for (guint i = 0; i < walk->cases->len; i++)
    if (walk->results[i].outcome == ONNX_RUNNING
        && walk->results[i].pid == pid)
      onnx_result_set (&walk->results[i], ONNX_CRASHED, "%s %d",
                       WIFSIGNALED (status) ? g_strsignal (WTERMSIG (status))
                                            : "exit status",
                       WIFSIGNALED (status) ? WTERMSIG (status)
                                            : WEXITSTATUS (status));
}

OnnxWalk *
onnx_walk_new (const char *device, GPtrArray *cases, int n_workers)
{
  OnnxWalk *walk = g_new0 (OnnxWalk, 1);
  int n_running = 0, status;
  Shared *shared;
  pid_t pid;

  walk->device = device;
  walk->cases = cases;
  shared = mmap (NULL, get_size (walk), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert (shared != MAP_FAILED);
  walk->results = shared->results;
  for (int i = 0; i < n_workers; i++)
    n_running += start_worker (walk);
  while (n_running > 0 && (pid = wait (&status)) > 0)
    {
      n_running--;
      if (status == 0)
        continue;
      note_crash (walk, pid, status);
      n_running += start_worker (walk);
    }
  return walk;
}

void
onnx_walk_free (OnnxWalk *walk)
{
  munmap (get_shared (walk), get_size (walk));
  g_free (walk);
}

int
onnx_walk_count (const OnnxWalk *walk, OnnxOutcome outcome)
{
  int n = 0;

  for (guint i = 0; i < walk->cases->len; i++)
    n += walk->results[i].outcome == outcome;
  return n;
}

/* Drivers start threads, and a process with threads must not fork: a child asks. */
char *
onnx_walk_find_obstacle (const char *name)
{
  char *shared = mmap (NULL, ONNX_REASON_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char *reason;
  pid_t pid;

  g_assert (shared != MAP_FAILED);
  pid = fork ();
  if (pid == 0)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpDevice) device = tp_device_open (name, NULL, &error);

      if (device == NULL)
        g_strlcpy (shared, error->message, ONNX_REASON_BYTES);
      _exit (0);
    }
  waitpid (pid, NULL, 0);
  reason = *shared != 0 ? g_strdup (shared) : NULL;
  munmap (shared, ONNX_REASON_BYTES);
  return reason;
}
