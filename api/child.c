/* child.c: a question whose answer may take the process along, asked in a child.
 *
 * The answer is left on pages that both have, as a library may close every file of
 * the process, or write into it, and go on. Only one that was finished counts: it
 * may end the process with any status. */
#include "config.h"

#include "api/child.h"

#include "include/tplan.h"
#include "ir/clock.h"
#include "ir/keeper.h"
#include "ir/posix.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX (1 << 20)
#define TICK_MIN_US 100
#define TICK_MAX_US 2000
#define BURIAL_US G_USEC_PER_SEC /* what is stuck in the system has answered */

typedef struct
{
  volatile gint is_whole;
  char text[ANSWER_BYTES_MAX];
} Answer;

static gint64 deadline_us = 10 * G_USEC_PER_SEC;

void
tp_child_set_deadline (gint64 time_ns)
{
  deadline_us = MAX (time_ns / 1000, 1);
}

typedef struct
{
  void (*work) (gpointer data, GString *out);
  gpointer data;
  gboolean has_files;         /* those of this process */
  gint64 limit_us;
} Question;

G_GNUC_NORETURN static void
answer (Answer *page, const Question *question)
{
  const struct rlimit none = { 0, 0 };
  g_autoptr (GString) out = g_string_new (NULL);

  if (!question->has_files)
    tp_posix_close_others (-1);

  setrlimit (RLIMIT_CORE, &none);
  signal (SIGPIPE, SIG_DFL);
  dup2 (STDERR_FILENO, STDOUT_FILENO);
  question->work (question->data, out);
  if (out->len >= sizeof page->text)
    _exit (1);
  memcpy (page->text, out->str, out->len + 1);
  g_atomic_int_set (&page->is_whole, 1);
  _exit (0);
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

/* Whether it has ended within @limit_us, or in a moment after its answer. */
static gboolean
wait_for_end (pid_t keeper, const Answer *page, gint64 limit_us,
              int *out_status)
{
  gulong tick_us = TICK_MIN_US;
  gboolean is_answered = FALSE;
  Patience patience;

  patience_start (&patience, limit_us);
  while (waitpid (keeper, out_status, WNOHANG) == 0)
    {
      if (!is_answered && g_atomic_int_get (&page->is_whole))
        {
          is_answered = TRUE;
          patience_start (&patience, BURIAL_US);
        }
      if (patience_is_over (&patience))
        return FALSE;
      g_usleep (tick_us);
      tick_us = MIN (tick_us + tick_us / 8, TICK_MAX_US);
    }
  return TRUE;
}

static void
fail (gboolean is_ended, int status, gint64 limit_us, GError **error)
{
  g_autofree char *signal = tp_posix_describe_signal (WTERMSIG (status));

  if (!is_ended)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                 "did not answer within %g s",
                 (double) limit_us / G_USEC_PER_SEC);
  else if (WIFSIGNALED (status))
    g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE, signal);
  else
    g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                         "ended the process");
}

static char *
watch (pid_t keeper, const Answer *page, gint64 limit_us, GError **error)
{
  int status = 0;
  gboolean is_ended = wait_for_end (keeper, page, limit_us, &status);
  gboolean is_good = !is_ended || status == 0;

  if (!is_ended)
    tp_keeper_end (keeper);
  if (g_atomic_int_get (&page->is_whole) && is_good)
    return g_strndup (page->text, sizeof page->text - 1);
  fail (is_ended, status, limit_us, error);
  return NULL;
}

static char *
ask (const Question *question, GError **error)
{
  Answer *page = mmap (NULL, sizeof *page, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t keeper = -1;
  char *text = NULL;

  fflush (NULL);
  if (page != MAP_FAILED)
    keeper = tp_keeper_fork ();
  if (keeper == 0)
    answer (page, question);
  if (keeper < 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                 "could not be asked: %s", g_strerror (errno));
  else
    text = watch (keeper, page, question->limit_us, error);
  if (page != MAP_FAILED)
    munmap (page, sizeof *page);
  return text;
}

char *
tp_child_ask_within (void (*work) (gpointer data, GString *out),
                     gpointer data, gint64 time_ns, GError **error)
{
  const Question question = { work, data, TRUE, MAX (time_ns / 1000, 1) };

  return ask (&question, error);
}

char *
tp_child_ask (void (*work) (gpointer data, GString *out), gpointer data,
              GError **error)
{
  const Question question = { work, data, FALSE, deadline_us };

  return ask (&question, error);
}
