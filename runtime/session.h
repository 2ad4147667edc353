/* session.h: a plan made ready to run, and runs of it. */
#ifndef TP_RUNTIME_SESSION_H
#define TP_RUNTIME_SESSION_H

#include "ir/plan.h"
#include "runtime/device.h"
#include "runtime/engines.h"

typedef struct TpSession TpSession;

/* One step as run: a unit, or a transfer. */
typedef struct
{
  int node;                   /* first node of the unit; -1: transfer */
  int tensor;                 /* transfer; else -1 */
  int from;                   /* transfer: where it was, or TP_COSTS_HOST */
  int device;                 /* transfer: destination, or TP_COSTS_HOST */
  gint64 predicted_ns;
  gint64 measured_ns;         /* of the last profiled run; 0: never */
  /* Where engines work at once, from the start of a run; else, or where the
   * schedule does not say, -1. */
  gint64 planned_ns;          /* when it was to begin */
  gint64 begin_ns;            /* when it began, in that profiled run */
  gint64 planned_feed_ns;     /* of a transfer by way of the host, from there */
  gint64 feed_begin_ns;       /* likewise */
  gint64 feed_ns;             /* how much of measured_ns that was; 0: none */
} TpSessionStep;

/**
 * tp_session_new:
 *
 * Opens the devices of @plan, compiles every unit, packs constants, lays out one
 * arena per device and binds every launch. Keeps refs on @graph and @plan.
 * TPLAN_ERROR_DEVICE, _MEMORY, _UNSUPPORTED (a node that cannot be lowered).
 */
TpSession *tp_session_new (TpGraph *graph, TpPlan *plan,
                           const TpDeviceOptions *options, GError **error);
/* The same with memory for @n_slots runs that are under way at a time; weights and
 * code are there once. TPLAN_ERROR_UNSUPPORTED also: several, on simulated
 * devices, or of a graph with state. */
TpSession *tp_session_new_in_flight (TpGraph *graph, TpPlan *plan, int n_slots,
                                     const TpDeviceOptions *options,
                                     GError **error);
/* Before the first run: runs of @session use the engines one at a time with those of
 * all others that share @engines, which are for as many devices, numbered alike.
 * Those of simulated devices, which have clocks of their own, share nothing. */
void tp_session_share (TpSession *session, TpEngines *engines);
void tp_session_free (TpSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSession, tp_session_free)

/* @inputs, @outputs: host arrays, row-major, in the order of the graph, each of
 * the tensor's size_bytes. Allocates nothing, decides nothing. Not while runs are
 * in flight. Engines work at once where the plan has a schedule. */
gboolean tp_session_run (TpSession *session, const void *const *inputs,
                         void *const *outputs, GError **error);
/* The same in slot @slot. Thread: any, while no other run has that slot. */
gboolean tp_session_run_in_slot (TpSession *session, int slot,
                                 const void *const *inputs,
                                 void *const *outputs, GError **error);
/* As tp_session_run (), waiting after every step and filling measured_ns. */
gboolean tp_session_run_profiled (TpSession *session, const void *const *inputs,
                                  void *const *outputs, GError **error);
const TpSessionStep *tp_session_get_steps (const TpSession *session, int *out_n);
/* Device @device of its plan, open; NULL: nothing runs there. */
const TpDeviceInfo *tp_session_get_info (const TpSession *session, int device);
/* What a session takes on one device of its plan. */
typedef struct
{
  gint64 arena_bytes;         /* tensors of a run: what the plan foretold, for each
                               * that can be in flight */
  gint64 weight_bytes;        /* constants as kernels want them, packed or not;
                               * those read in place in the model's file take
                               * none */
  gint64 workspace_bytes;     /* scratch of kernels, shared by all */
} TpSessionMemory;

void tp_session_get_memory (const TpSession *session, int device,
                            TpSessionMemory *out_memory);
/* Nanoseconds the run took that ended last: wall clock, or the virtual clock when
 * any device is simulated. */
gint64 tp_session_get_time_ns (const TpSession *session);

#endif
