/* session-private.h: what the files of the session share. */
#ifndef TP_RUNTIME_SESSION_PRIVATE_H
#define TP_RUNTIME_SESSION_PRIVATE_H

#include "runtime/session.h"

/* The bytes of a tensor, and of all views of it, on one device. */
typedef struct
{
  int tensor;                 /* the root: no view */
  int device;
  gboolean is_constant;       /* written once, when the session is made */
  int first, last;            /* actions that write it first and use it last;
                               * first is -1 until one writes it */
  gint64 offset;              /* in the arena of the device */
  TpBuf *buf;
} TpStorage;

typedef enum
{
  TP_DO_LAUNCH,               /* a unit */
  TP_DO_MOVE,                 /* storage to storage of another device */
  TP_DO_FEED,                 /* input of the graph to storage */
  TP_DO_FETCH,                /* storage to output of the graph */
  TP_DO_PASS,                 /* input that is an output */
  TP_DO_EMIT,                 /* constant that is an output */
} TpActionKind;

typedef struct
{
  TpActionKind kind;
  int unit;                   /* LAUNCH */
  int src, dst;               /* storages; -1: none */
  int input, output;          /* positions in the graph; -1: none */
  gint64 size_bytes;
  int step;                   /* what the caller sees of it; -1: nothing */
} TpAction;

typedef struct
{
  int device;
  int n_nodes;
  int *nodes;
  TpLowered *lowered;         /* NULL: the device runs nodes */
  int n_operands;
  int *tensors;               /* one per operand; -1: left out */
  gboolean *is_output;
  int index;                  /* among the units of its device */
  TpLaunch *launch;
} TpSessionUnit;

typedef struct
{
  TpDevice *device;           /* NULL: nothing runs there */
  TpDeviceInfo info;
  TpCode *code;
  TpBuf *arena;
  gint64 arena_bytes, bound_bytes;
} TpSessionDevice;

struct TpSession
{
  TpGraph *graph;
  TpPlan *plan;
  int n_devices;
  int host;                   /* device in whose memory the caller's arrays are,
                               * or TP_COSTS_HOST: none */
  TpSessionDevice *devices;
  gboolean is_simulated;
  int *roots;                 /* [tensor]: whose bytes it has */
  int *storage_of;            /* [tensor * n_devices + device]; -1: none */
  GArray *storages;           /* TpStorage */
  GArray *units;              /* TpSessionUnit, in the order they run */
  GArray *actions;            /* TpAction */
  GArray *steps;              /* TpSessionStep */
  void *staging;              /* between two devices with memory of their own */
  void **emitted;             /* [output]: value of a constant, or NULL */
  gint64 time_ns;
};

/* The stages of tp_session_new (), in this order. */
gboolean tp_session_open_devices (TpSession *session,
                                  const TpDeviceOptions *options,
                                  GError **error);
gboolean tp_session_make_units (TpSession *session, GError **error);
gboolean tp_session_make_actions (TpSession *session, GError **error);
gboolean tp_session_make_arenas (TpSession *session, GError **error);
gboolean tp_session_bind (TpSession *session, GError **error);

static inline TpStorage *
tp_session_get_storage (const TpSession *session, int storage)
{
  return &g_array_index (session->storages, TpStorage, storage);
}

static inline TpSessionUnit *
tp_session_get_unit (const TpSession *session, int unit)
{
  return &g_array_index (session->units, TpSessionUnit, unit);
}

/* For tests: called before (@is_before) and after every action of a run. */
typedef gboolean (*TpSessionWatch) (TpSession *session, int action,
                                    gboolean is_before, gpointer data,
                                    GError **error);
gboolean tp_session_run_watched (TpSession *session, const void *const *inputs,
                                 void *const *outputs, TpSessionWatch watch,
                                 gpointer data, GError **error);

#endif
