/* precedence.h: the processors, as far as the system gives them, while timing. */
#ifndef TP_CALIB_PRECEDENCE_H
#define TP_CALIB_PRECEDENCE_H

#include <glib.h>
#include <sys/types.h>

#define TP_WARDS_MAX 64

/* What is timed must neither wait for other work nor for a processor that had
 * gone to sleep. So while it is timed, all threads of this process go before the
 * others (SCHED_RR for who may, else nice -20, else as they are), and wards spin
 * on the processors, behind those threads but ahead of all other work (SCHED_RR;
 * else SCHED_IDLE: they only keep the processors awake). */
typedef struct
{
  pid_t wards[TP_WARDS_MAX];
  int n_wards;
  gint *is_on;                /* they spin; shared with them, atomic */
  gboolean is_real_time;      /* SCHED_RR may be had */
  gboolean is_nice;           /* nice -20 was had instead */
  int nice_before;            /* what it was */
} TpPrecedence;

/* Starts the wards, asleep, for @n_threads processors of those allowed, at
 * least two if there are. Only while this process has one thread. */
void tp_precedence_init (TpPrecedence *self, int n_threads);
/* Threads started in between inherit it. */
void tp_precedence_take (TpPrecedence *self);
void tp_precedence_leave (TpPrecedence *self);
/* Ends the wards; they end with this process in any case. */
void tp_precedence_clear (TpPrecedence *self);

#endif
