/* worker.c: see worker.h. */
#include "config.h"

#include "calib/worker.h"

#include "include/tplan.h"
#include "ir/clock.h"
#include "ir/keeper.h"
#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 50
#define GRACE_US (400 * 1000)         /* to send what there is */
#define MESSAGE_BYTES_MAX (1 << 20)

/* @sum tells it from what a driver writes into a file that is not its own. */
typedef struct
{
  int kind;
  guint32 n_bytes;
  guint32 sum;                /* of the rest and the payload */
} Header;

void (*tp_worker_hook) (TpPhase phase, int device, int key) = NULL;

/* ---- the child's side --------------------------------------------------- */

/* Ends the process when nobody listens any more. */
static void
tell (int file, const void *bytes, gsize n)
{
  if (!tp_posix_write (file, bytes, n))
    _exit (1);
}

/* FNV-1a; @key is the pair's secret. */
static guint32
add_up (guint32 key, const Header *header, const void *payload)
{
  const guint8 *bytes = payload;
  guint32 sum = (key ^ (guint32) header->kind) * 16777619u;

  sum = (sum ^ header->n_bytes) * 16777619u;
  for (guint32 i = 0; i < header->n_bytes; i++)
    sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

void
tp_channel_send (TpChannel *channel, int kind, GVariant *payload)
{
  g_autoptr (GVariant) boxed = g_variant_ref_sink (g_variant_new_variant (
      payload));
  Header header = { kind, g_variant_get_size (boxed), 0 };

  header.sum = add_up (channel->key, &header, g_variant_get_data (boxed));
  tell (channel->pipe, &header, sizeof header);
  tell (channel->pipe, g_variant_get_data (boxed), header.n_bytes);
}

void
tp_channel_beat (TpChannel *channel, TpPhase phase, int device, int key)
{
  channel->beat->phase = phase;
  channel->beat->device = device;
  channel->beat->key = key;
  g_atomic_int_inc (&channel->beat->beat);
  if (tp_worker_hook != NULL)
    tp_worker_hook (phase, device, key);
}

gboolean
tp_channel_must_stop (const TpChannel *channel)
{
  return g_atomic_int_get (&channel->beat->stop) != 0;
}

G_GNUC_NORETURN static void
run_child (const TpWorker *worker, TpChannel channel)
{
  const struct rlimit none = { 0, 0 };

  /* leaves to its parent what ends all of a group, or that would be taken for a
   * crash of the kernel under way, and litters no core files */
  tp_posix_close_others (channel.pipe);
  signal (SIGINT, SIG_IGN);
  signal (SIGTERM, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  for (int number = 1; number < NSIG; number++)
    if (number == SIGSEGV || number == SIGABRT || number == SIGBUS
        || number == SIGILL || number == SIGFPE)
      signal (number, SIG_DFL);
  setrlimit (RLIMIT_CORE, &none);
  worker->work (&channel, worker->data);
  g_atomic_int_set (&channel.beat->is_done, 1);
  _exit (0);
}

/* ---- the parent's side -------------------------------------------------- */

typedef struct
{
  const TpWorker *worker;
  pid_t child;
  int pipe;
  guint32 key;
  gboolean is_spoilt;         /* what came is not the child's */
  TpBeat *beat;
  GByteArray *inbox;
  TpClockWatch silence;       /* since it last beat */
  int last_beat;
  gint64 stop_us;             /* when it was told to stop; 0: not yet */
} Watch;

static gboolean
take_message (Watch *watch, gboolean *out_taken, GError **error)
{
  Header header;
  g_autoptr (GVariant) boxed = NULL;
  g_autoptr (GVariant) payload = NULL;
  guint8 *bytes;
  const guint8 *payload_data;

  *out_taken = FALSE;
  if (watch->inbox->len < sizeof header)
    return TRUE;
  memcpy (&header, watch->inbox->data, sizeof header);
  watch->is_spoilt = header.n_bytes > MESSAGE_BYTES_MAX;
  if (watch->is_spoilt || watch->inbox->len < sizeof header + header.n_bytes)
    return TRUE;
  payload_data = watch->inbox->data + sizeof header;
  watch->is_spoilt = add_up (watch->key, &header, payload_data) != header.sum;
  if (watch->is_spoilt)
    return TRUE;
  bytes = g_memdup2 (payload_data, header.n_bytes);
  boxed = g_variant_ref_sink (g_variant_new_from_data (
      G_VARIANT_TYPE_VARIANT, bytes, header.n_bytes, FALSE, g_free, bytes));
  payload = g_variant_get_variant (boxed);
  g_byte_array_remove_range (watch->inbox, 0, sizeof header + header.n_bytes);
  *out_taken = TRUE;
  return watch->worker->receive (header.kind, payload, watch->worker->data,
                                 error);
}

/* *out_open: FALSE at the end of the pipe. */
static gboolean
read_messages (Watch *watch, gboolean *out_open, GError **error)
{
  guint8 bytes[4096];
  gssize n = read (watch->pipe, bytes, sizeof bytes);
  gboolean taken = TRUE;

  *out_open = n > 0 || (n < 0 && errno == EINTR);
  if (n > 0)
    g_byte_array_append (watch->inbox, bytes, n);
  while (taken)
    if (!take_message (watch, &taken, error))
      return FALSE;
  return TRUE;
}

static void
ask_to_stop (Watch *watch, gint64 now_us)
{
  const TpWorker *worker = watch->worker;
  gboolean is_late = worker->deadline_us != 0 && now_us > worker->deadline_us;
  gboolean is_cancelled = worker->cancelled != NULL
                          && g_atomic_int_get (worker->cancelled) != 0;

  if (watch->stop_us == 0 && (is_late || is_cancelled))
    {
      watch->stop_us = now_us;
      g_atomic_int_set (&watch->beat->stop, 1);
    }
}

/* Whether the child must be ended now; fills @end if so. */
static gboolean
is_overdue (Watch *watch, gint64 now_us, TpWorkerEnd *end)
{
  int beat = g_atomic_int_get (&watch->beat->beat);

  if (beat != watch->last_beat)
    {
      watch->last_beat = beat;
      tp_clock_watch_start (&watch->silence);
    }
  if (watch->stop_us != 0 && now_us - watch->stop_us > GRACE_US)
    end->outcome = TP_OUTCOME_STOPPED;
  else if (tp_clock_watch_look (&watch->silence) > 1000 * watch->worker->hang_us)
    end->outcome = TP_OUTCOME_HUNG;
  else
    return FALSE;
  return TRUE;
}

static void
bury (Watch *watch, gboolean is_open, TpWorkerEnd *end)
{
  int status = 0;

  if (is_open)
    tp_keeper_end (watch->child);
  else
    status = tp_posix_wait (watch->child);

  end->beat = *watch->beat;
  end->is_spoilt = watch->is_spoilt;
  if (end->outcome != TP_OUTCOME_DONE)
    return;
  if (end->is_spoilt)
    end->outcome = TP_OUTCOME_CRASHED;
  else if (WIFSIGNALED (status))
    {
      end->outcome = TP_OUTCOME_CRASHED;
      end->signal = WTERMSIG (status);
    }
  else if (WEXITSTATUS (status) != 0 || !end->beat.is_done)
    end->outcome = TP_OUTCOME_CRASHED;
  else if (watch->stop_us != 0)
    end->outcome = TP_OUTCOME_STOPPED;
}

static gboolean
watch_child (Watch *watch, TpWorkerEnd *end, GError **error)
{
  gboolean is_open = TRUE, is_good = TRUE;

  while (is_open && is_good && !watch->is_spoilt)
    {
      struct pollfd events = { watch->pipe, POLLIN, 0 };
      int n = poll (&events, 1, TICK_MS);
      gint64 now_us = g_get_monotonic_time ();

      if (n > 0)
        is_good = read_messages (watch, &is_open, error);
      ask_to_stop (watch, now_us);
      if (is_overdue (watch, now_us, end))
        break;
    }
  bury (watch, is_open, end);
  return is_good;
}

static gboolean
fail_to_start (GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "cannot start the measuring process: %s", g_strerror (errno));
  return FALSE;
}

gboolean
tp_worker_run (const TpWorker *worker, TpWorkerEnd *out_end, GError **error)
{
  Watch watch = { .worker = worker };
  TpWorkerEnd end = { .outcome = TP_OUTCOME_DONE };
  gboolean is_good;
  int ends[2] = { -1, -1 };

  watch.beat = mmap (NULL, sizeof (TpBeat), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (watch.beat == MAP_FAILED)
    return fail_to_start (error);
  watch.beat->device = watch.beat->key = -1;
  watch.key = g_random_int ();
  tp_clock_watch_start (&watch.silence);
  if (pipe2 (ends, O_CLOEXEC) != 0 || (watch.child = tp_keeper_fork ()) < 0)
    {
      fail_to_start (error);
      munmap (watch.beat, sizeof (TpBeat));
      for (int i = 0; i < 2 && ends[i] >= 0; i++)
        close (ends[i]);
      return FALSE;
    }
  if (watch.child == 0)
    {
      close (ends[0]);
      run_child (worker, (TpChannel){ ends[1], watch.key, watch.beat });
    }
  close (ends[1]);
  watch.pipe = ends[0];
  watch.inbox = g_byte_array_new ();
  is_good = watch_child (&watch, &end, error);
  g_byte_array_unref (watch.inbox);
  close (watch.pipe);
  munmap (watch.beat, sizeof (TpBeat));
  *out_end = end;
  return is_good;
}

char *
tp_worker_end_describe (const TpWorkerEnd *end, gint64 hang_us)
{
  if (end->outcome == TP_OUTCOME_HUNG)
    return g_strdup_printf ("did not end within %" G_GINT64_FORMAT " s",
                            (hang_us + 999999) / 1000000);
  if (end->is_spoilt)
    return g_strdup ("wrote into files that are not its own");
  if (end->outcome == TP_OUTCOME_CRASHED && end->signal != 0)
    return tp_posix_describe_signal (end->signal);
  if (end->outcome == TP_OUTCOME_CRASHED)
    return g_strdup ("ended the process");
  return g_strdup ("was stopped");
}
