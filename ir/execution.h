/* execution.h: a placement spelled out: what a run does in which order, which
 * tensors have bytes on which device, for how long, and where in its arena.
 *
 * Data only. A session makes buffers and launches of it one to one, so does the
 * chain of kernels that calibration times, and what a plan says of memory is
 * read off it: what is foretold is what is taken. (How the elements of one
 * tensor lie is another matter: that is strides, see pass-layout.c.) */
#ifndef TP_IR_EXECUTION_H
#define TP_IR_EXECUTION_H

#include "ir/array.h"
#include "ir/units.h"

#define TP_ARENA_ALIGN 4096   /* of what has a place in an arena */

/* The bytes of a tensor, and of all views of it, on one device, or where two work in
 * the same memory on both. */
typedef struct
{
  int tensor;                 /* the root: no view */
  int device;                 /* in whose arena they are: of two, not the host */
  gboolean is_constant;       /* read through a view: written once, before any
                               * run, and in no arena */
  int first, last;            /* actions that write it first and use it last, or,
                               * by a schedule, begin before that use ends */
  gint64 size_bytes;          /* at least 1 */
  gint64 offset;              /* in the arena of the device */
} TpStorage;

typedef enum
{
  TP_DO_LAUNCH,               /* a unit */
  TP_DO_MOVE,                 /* storage to storage of another device; to itself:
                               * what the one has written the other may read */
  TP_DO_FEED,                 /* input of the graph to storage */
  TP_DO_FETCH,                /* storage to output of the graph */
  TP_DO_PASS,                 /* input that is an output */
  TP_DO_EMIT,                 /* constant that is an output */
} TpActionKind;

typedef struct
{
  TpActionKind kind;
  int unit;                   /* LAUNCH; else -1 */
  int tensor;                 /* what is copied; LAUNCH: -1 */
  int src, dst;               /* storages; -1: none */
  int from, to;               /* where those are: devices, or host memory as
                               * TpExecution has it */
  int input, output;          /* positions in the graph; -1: none */
  gint64 size_bytes;
  gint64 start_ns, end_ns;    /* by a schedule; else 0 */
} TpAction;

/* Of one device. */
typedef struct
{
  gint64 arena_bytes;         /* G_MAXINT64: cannot be counted */
  gint64 bound_bytes;         /* the most alive at once: no arena is smaller */
  gint64 weight_bytes;        /* constants read there, as they are: no kernel has
                               * packed them yet; outside the arena */
} TpMemory;

typedef struct
{
  const TpGraph *graph;       /* (borrowed) */
  int n_devices;
  int host;                   /* as in TpPlaced */
  TpUnits *units;
  int n_actions;
  TpAction *actions;          /* feeds first, then every unit, followed by the
                               * moves and fetches of what it made; or as a
                               * schedule has them (ir/plan-schedule.h) */
  int n_storages;
  TpStorage *storages;
  TpMemory *memory;           /* per device */
  int *roots;                 /* per tensor: whose bytes it has */
  int *storage_of;            /* [root * n_devices + device]; -1: none */
  TpArray *all_actions, *all_storages; /* where those above are; without the first
                               * they are counted only, and @actions is NULL */
} TpExecution;

/**
 * tp_execution_new:
 *
 * A tensor needed on another device is moved once, right after it is made, and
 * lives from the action that writes it to the last that reads it; a constant that
 * is streamed is moved right before it is read, in every run. Between the host and
 * a device that is mapped it has one storage, and is not copied. All inputs are
 * fed before anything runs: they live from the start.
 * TPLAN_ERROR_INPUT: groups that no graph has, or that hide a tensor from those
 * who read it.
 */
TpExecution *tp_execution_new (const TpGraph *graph, const TpPlaced *placed,
                               GError **error);
/* For placements of @graph on @n_devices; none is spelled out yet. */
TpExecution *tp_execution_new_empty (const TpGraph *graph, int n_devices);
/* Spells out @placed where the one before was, which is no more, also after an
 * error. Arenas are not laid out: arena_bytes is 0. @scratch is reset. */
gboolean tp_execution_set (TpExecution *execution, const TpPlaced *placed,
                           TpScratch *scratch, GError **error);
/* Gives what is on @device its places in the arena. @scratch is reset. */
void tp_execution_lay_out (TpExecution *execution, int device,
                           TpScratch *scratch);
/* What a run of @placed takes, for each device; with less memory than it takes to
 * spell it out. Errors as above. */
gboolean tp_execution_measure (const TpGraph *graph, const TpPlaced *placed,
                               TpMemory *out_memory, GError **error);
void tp_execution_free (TpExecution *execution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpExecution, tp_execution_free)

/* The storage of @tensor on @device; -1: none. */
static inline int
tp_execution_find_storage (const TpExecution *execution, int tensor, int device)
{
  return execution->storage_of[(gsize) execution->roots[tensor]
                                   * execution->n_devices
                               + device];
}

#endif
