/* precedence.c: see precedence.h.
 *
 * A higher nice value is not enough in company: a thread that wakes up still waits
 * until the slice of whoever runs is over, some milliseconds, and a pool or a
 * driver wakes its threads up for every kernel. Real-time threads need not wait.
 * The system keeps a share of each second for the others (5 % by default); what
 * that disturbs is seen in the samples. Where it does not, nothing real-time is
 * asked for: a driver that hangs would take the machine along.
 *
 * A processor that is idle is put to sleep, and in a virtual machine is given
 * away: waking it takes up to 50 us, or 1 us where it was about to be used. Which
 * of the two a kernel gets is chance, and in the middle of a network it is
 * neither. */
#include "config.h"

#include "calib/precedence.h"

#include "ir/posix.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PRIORITY_WARDS 1
#define PRIORITY_OURS 2
#define NICE_OURS -20         /* others get a hundredth beside it */
#define SETTLE_US 1000

/* ---- wards -------------------------------------------------------------- */

static void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#else
  __asm__ volatile ("" ::: "memory");
#endif
}

/* Not told by signals: who goes on with a stopped group of processes, as a shell
 * does, sends SIGCONT to all of it. */
G_GNUC_NORETURN static void
obey (gint *is_on)
{
  for (;;)
    if (g_atomic_int_get (is_on))
      relax ();
    else
      syscall (SYS_futex, is_on, FUTEX_WAIT, FALSE, NULL, NULL, 0);
}

G_GNUC_NORETURN static void
run_ward (const TpPrecedence *self, int processor, pid_t parent)
{
  const struct sched_param real_time = { .sched_priority = PRIORITY_WARDS };
  const struct sched_param none = { .sched_priority = 0 };
  cpu_set_t mask;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (1);
  close_range (3, ~0U, 0); /* the pipe ends with its owner */
  CPU_ZERO (&mask);
  CPU_SET (processor, &mask);
  if (sched_setaffinity (0, sizeof mask, &mask) != 0
      || (self->is_real_time ? sched_setscheduler (0, SCHED_RR, &real_time)
                             : sched_setscheduler (0, SCHED_IDLE, &none))
             != 0)
    _exit (1);
  obey (self->is_on);
}

static void
turn_wards (TpPrecedence *self, gboolean is_on)
{
  if (self->n_wards == 0)
    return;
  g_atomic_int_set (self->is_on, is_on);
  syscall (SYS_futex, self->is_on, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Whether SCHED_RR may be had, and leaves others a share. */
static gboolean
may_be_real_time (void)
{
  const struct sched_param param = { .sched_priority = PRIORITY_OURS };
  const struct sched_param none = { .sched_priority = 0 };
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/sched_rt_runtime_us", &text,
                            NULL, NULL)
      || strtol (text, NULL, 10) < 0
      || sched_setscheduler (0, SCHED_RR, &param) != 0)
    return FALSE;
  return sched_setscheduler (0, SCHED_OTHER, &none) == 0;
}

void
tp_precedence_init (TpPrecedence *self, int n_threads)
{
  pid_t parent = getpid (), ward;
  cpu_set_t mask;
  int most = MIN (MAX (n_threads, 2), TP_WARDS_MAX);

  memset (self, 0, sizeof *self);
  self->is_real_time = may_be_real_time ();
  self->nice_before = getpriority (PRIO_PROCESS, 0);
  self->is_on = mmap (NULL, sizeof *self->is_on, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (self->is_on == MAP_FAILED)
    self->is_on = NULL;
  if (self->is_on == NULL || sched_getaffinity (0, sizeof mask, &mask) != 0)
    return;
  for (int i = 0; i < CPU_SETSIZE && self->n_wards < most; i++)
    if (CPU_ISSET (i, &mask))
      {
        ward = fork ();
        if (ward < 0)
          return; /* does without */
        if (ward == 0)
          run_ward (self, i, parent);
        self->wards[self->n_wards++] = ward;
      }
}

void
tp_precedence_clear (TpPrecedence *self)
{
  for (int i = 0; i < self->n_wards; i++)
    {
      kill (self->wards[i], SIGKILL);
      tp_posix_wait (self->wards[i]);
    }
  self->n_wards = 0;
  if (self->is_on != NULL)
    munmap (self->is_on, sizeof *self->is_on);
  self->is_on = NULL;
}

/* ---- our own threads ---------------------------------------------------- */

/* @nice: where it is a matter of that. */
typedef void (*Setter) (pid_t thread, gboolean is_first, int nice);

static void
for_all_threads (Setter set, gboolean is_first, int nice)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    set ((pid_t) strtol (name, NULL, 10), is_first, nice);
}

static void
set_real_time (pid_t thread, gboolean is_first, G_GNUC_UNUSED int nice)
{
  const struct sched_param param
      = { .sched_priority = is_first ? PRIORITY_OURS : 0 };

  sched_setscheduler (thread, is_first ? SCHED_RR : SCHED_OTHER, &param);
}

static void
set_nice (pid_t thread, G_GNUC_UNUSED gboolean is_first, int nice)
{
  setpriority (PRIO_PROCESS, thread, nice);
}

/* Where the kernel shares processors out among sessions first, nice values count
 * within one only: a session of our own is given the same. */
static void
set_session_nice (void)
{
  const char text[] = G_STRINGIFY (NICE_OURS);
  int file;

  setsid ();
  file = open ("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  tp_posix_write (file, text, strlen (text));
  close (file);
}

void
tp_precedence_take (TpPrecedence *self)
{
  if (self->is_real_time)
    for_all_threads (set_real_time, TRUE, 0);
  else
    self->is_nice = setpriority (PRIO_PROCESS, 0, NICE_OURS) == 0;
  if (self->is_nice)
    {
      set_session_nice ();
      for_all_threads (set_nice, TRUE, NICE_OURS);
    }
  turn_wards (self, TRUE);
  g_usleep (SETTLE_US);
}

void
tp_precedence_leave (TpPrecedence *self)
{
  turn_wards (self, FALSE);
  if (self->is_real_time || self->is_nice)
    for_all_threads (self->is_real_time ? set_real_time : set_nice, FALSE,
                     self->nice_before);
}
