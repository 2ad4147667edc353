/* session-private.h: what the files of the session share. */
#ifndef TP_RUNTIME_SESSION_PRIVATE_H
#define TP_RUNTIME_SESSION_PRIVATE_H

#include "ir/array.h"
#include "runtime/arena.h"
#include "runtime/ledger.h"
#include "runtime/session.h"

typedef struct
{
  TpLowered *lowered;         /* NULL: the device runs nodes */
  const char *schedule;       /* (nullable) of the plan */
  int index;                  /* among the units of its device */
  int writes_on;              /* the device that is mapped and has its outputs; -1:
                               * none but its own */
} TpSessionUnit;

/* An input or output of the graph whose bytes can be those of the caller. */
typedef struct
{
  int storage;
  int input, output;          /* positions in the graph; -1: it is the other */
  gint64 size_bytes;
  int alignment;
} TpSessionLoan;

/* A constant that was computed, until units have what they want of it. */
typedef struct
{
  TpRecipe *recipe;           /* NULL: it could not be had */
  int output;
  int last_unit;              /* that reads it; -1: none does */
} TpSessionRecipe;

/* What stays from run to run. */
typedef struct
{
  int tensor;
  int storage;                /* of it */
  int next;                   /* storage of its next value; -1: it has none */
  gboolean is_in_place;       /* both are one */
} TpSessionState;

typedef struct
{
  TpDevice *device;           /* NULL: nothing runs there */
  TpDeviceInfo info;
  TpCode *code;
  int n_per_run;              /* launches of a run, once followed */
  gboolean is_working;        /* of one that is mapped: nobody has waited since it was
                               * given something to do */
} TpSessionDevice;

/* What a run needs for itself while it is under way. */
typedef struct
{
  TpArena *arenas;            /* per device */
  TpBuf **bufs;               /* per storage of the execution; constants among
                               * them are those of the first slot */
  TpLaunch **launches;        /* per unit */
  void *staging;              /* between two devices with memory of their own;
                               * of a session with a schedule two for each device
                               * that is moved from, so that one is filled while
                               * the other is emptied */
  gint64 time_ns;             /* of the last run */
  gint at;                    /* action of the run; their number: at its end; -1:
                               * there is no run. Read by other threads */
} TpSessionSlot;

struct TpSession
{
  TpGraph *graph;
  TpPlan *plan;
  TpExecution *execution;     /* what a run does; the rest makes it real */
  TpSessionDevice *devices;
  gboolean is_simulated;
  gboolean is_apart;          /* nothing is mapped, though the plan may have it so */
  TpSessionUnit *units;       /* of the execution */
  int n_slots;                /* runs that can be under way at a time */
  TpSessionSlot *slots;
  int *step_of;               /* per action of it: what the caller sees of it;
                               * -1: nothing */
  TpArray *steps;              /* TpSessionStep */
  gint64 staging_bytes;       /* of one move by way of the host; 0: there is none */
  TpArray *loans;             /* TpSessionLoan */
  TpArray *states;            /* TpSessionState */
  TpArray *recipes;           /* TpSessionRecipe; those that are held */
  gint64 held_bytes;          /* of their values, in host memory */
  gint64 start_bytes;         /* the most that they and what the session has there took
                               * at a time; 0: there are none */
  void *passage;              /* (nullable): for states that are copied */
  void **emitted;             /* [output]: value of a constant, or NULL */
  gint n_runs;                /* that have ended, or actions with several slots;
                               * read by other threads */
  gboolean is_followed;       /* see session-progress.h */
  gint last_slot;             /* of the run that ended last; atomic */
  struct TpSessionFlight *flight; /* NULL: there is one slot */
  struct TpSessionOverlap *overlap; /* NULL: a run does one thing after the other */
  TpLedger *ledger;           /* (nullable): of all that share memory with it */
  TpLedgerEntry entry;        /* there */
};

static inline TpSessionDevice *
tp_session_get_device (const TpSession *session, int storage)
{
  return &session->devices[session->execution->storages[storage].device];
}

/* Whether the host works in it, though another device has it. */
static inline gboolean
tp_session_is_mapped (const TpSession *session, int storage)
{
  return tp_session_get_device (session, storage)->info.is_mapped;
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
