/* worker.h: work in a child process that may crash or hang.
 *
 * The child is forked, not executed anew: it has the graph already. It says what
 * it is about to do on a shared page, and what it found through a pipe. The
 * parent has no device open, so that forking is safe and a driver's end is only
 * the child's. It has none of the parent's files, and leaves no process behind. */
#ifndef TP_CALIB_WORKER_H
#define TP_CALIB_WORKER_H

#include <glib.h>

typedef enum
{
  TP_PHASE_OPEN,              /* opening device @device */
  TP_PHASE_COMPILE,           /* compiling units @key and on of @device */
  TP_PHASE_RUN,               /* running unit @key of @device */
} TpPhase;

/* What the child is at; on the shared page. */
typedef struct
{
  volatile gint beat;         /* counts up while there is life */
  volatile gint phase;        /* TpPhase */
  volatile gint device, key;  /* -1: none in particular */
  volatile gint stop;         /* set by the parent: end soon, send all */
  volatile gint is_done;      /* came to its end: a driver may end the process
                               * with any status */
} TpBeat;

typedef struct
{
  int pipe;
  guint32 key;
  TpBeat *beat;
} TpChannel;

typedef enum
{
  TP_OUTCOME_DONE,
  TP_OUTCOME_CRASHED,         /* what was under way is in beat */
  TP_OUTCOME_HUNG,
  TP_OUTCOME_STOPPED,         /* cancelled, or past the deadline */
} TpOutcome;

typedef struct
{
  void (*work) (TpChannel *channel, gpointer data);       /* in the child */
  /* In the parent. @payload is in normal form. FALSE stops the child. */
  gboolean (*receive) (int kind, GVariant *payload, gpointer data,
                       GError **error);
  gpointer data;
  gint64 deadline_us;         /* monotonic; 0: none */
  gint64 hang_us;             /* without a beat */
  const volatile gint *cancelled;     /* (nullable) */
} TpWorker;

typedef struct
{
  TpOutcome outcome;
  int signal;                 /* CRASHED: 0 when it exited by itself */
  gboolean is_spoilt;         /* CRASHED: something else wrote into the pipe */
  TpBeat beat;
} TpWorkerEnd;

/* Returns once the child is gone. FALSE: could not be started, or receive()
 * failed. */
gboolean tp_worker_run (const TpWorker *worker, TpWorkerEnd *out_end,
                        GError **error);
/* "crashed (signal 11)", "did not end within 60 s". */
char *tp_worker_end_describe (const TpWorkerEnd *end, gint64 hang_us);

/* In the child. */
void tp_channel_send (TpChannel *channel, int kind, GVariant *payload);
void tp_channel_beat (TpChannel *channel, TpPhase phase, int device, int key);
gboolean tp_channel_must_stop (const TpChannel *channel);

/* Tests make a unit crash or hang here; called in the child before each unit is
 * compiled or run. */
extern void (*tp_worker_hook) (TpPhase phase, int device, int key);

#endif
