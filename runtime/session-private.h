/* session-private.h: what the files of the session share. */
#ifndef TP_RUNTIME_SESSION_PRIVATE_H
#define TP_RUNTIME_SESSION_PRIVATE_H

#include "ir/array.h"
#include "runtime/arena.h"
#include "runtime/session.h"

typedef struct
{
  TpLowered *lowered;         /* NULL: the device runs nodes */
  const char *schedule;       /* (nullable) of the plan */
  int index;                  /* among the units of its device */
  TpLaunch *launch;
} TpSessionUnit;

typedef struct
{
  TpDevice *device;           /* NULL: nothing runs there */
  TpDeviceInfo info;
  TpCode *code;
  TpArena arena;
  int n_per_run;              /* launches of a run, once followed */
} TpSessionDevice;

struct TpSession
{
  TpGraph *graph;
  TpPlan *plan;
  TpExecution *execution;     /* what a run does; the rest makes it real */
  TpSessionDevice *devices;
  gboolean is_simulated;
  TpSessionUnit *units;       /* of the execution */
  TpBuf **bufs;               /* per storage of the execution */
  int *step_of;               /* per action of it: what the caller sees of it;
                               * -1: nothing */
  TpArray *steps;              /* TpSessionStep */
  void *staging;              /* between two devices with memory of their own */
  void **emitted;             /* [output]: value of a constant, or NULL */
  gint64 time_ns;
  gint at;                    /* action of the run; their number: at its end; -1:
                               * there is no run. Read by other threads */
  gint n_runs;                /* that have ended; likewise */
  gboolean is_followed;       /* see session-progress.h */
};

static inline TpSessionDevice *
tp_session_get_device (const TpSession *session, int storage)
{
  return &session->devices[session->execution->storages[storage].device];
}

/* For tests: called before (@is_before) and after every action of a run. */
typedef struct
{
  gboolean (*call) (TpSession *session, int action, gboolean is_before,
                    gpointer data, GError **error);
  gpointer data;
} TpSessionWatch;

gboolean tp_session_run_watched (TpSession *session, const void *const *inputs,
                                 void *const *outputs, TpSessionWatch watch,
                                 GError **error);

#endif
