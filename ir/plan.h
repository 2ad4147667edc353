/* plan.h: a placement, what it costs, and the proof that none is cheaper, or none
 * by more than the figures' noise.
 *
 * Data only: loading a bad one can give a bad plan, never a memory error. */
#ifndef TP_IR_PLAN_H
#define TP_IR_PLAN_H

#include "ir/costs.h"
#include "ir/cut-vertex.h"
#include "ir/load-proof.h"
#include "ir/memory-proof.h"
#include "ir/micro-batches.h"
#include "ir/rate-proof.h"
#include "ir/share-proof.h"
#include "ir/span-proof.h"

/* Figures above are refused when a plan is read, so that sums of a few never
 * overflow. */
#define TP_PLAN_MAX_NUMBER (G_GINT64_CONSTANT (1) << 62)

/* Kind of the certificate of a plan that limits of memory made dearer. */
#define TP_PLAN_MEMORY_TREE "memory-tree"
#define TP_PLAN_MAX_EXACT 1000 /* ops: of so few, margins by one cut are exact */
#define TP_PLAN_HOST "host" /* host memory, where it is no device's */

typedef struct
{
  int tensor;
  int from, to;               /* devices, or TP_COSTS_HOST */
  gint64 size_bytes;
  gint64 time_ns;
} TpTransfer;

typedef struct
{
  int node;
  int device;
  int cheapest;               /* device it has in the cheapest plan: another one
                               * only where a tie was broken */
  gboolean is_margin_least;   /* the margin is at least that: more is not known */
  gint64 time_ns;             /* predicted; 0 for all but the first of a group */
  gint64 spread_ns;
  gint64 margin_ns;           /* how far its cost must move to flip the plan;
                               * -1: not asked for or pinned */
  char *schedule;             /* (nullable) of the kernels that were measured;
                               * of a group, the first has it for all */
} TpPlacement;

/* How the figures of a plan were looked up, so that they can be looked up
 * again. */
typedef struct
{
  int n_threads;              /* of devices that have them; 0: their choice */
  gboolean is_exact;          /* as measured, noise and all */
  gboolean trusts_estimates;
  gboolean is_relaxed;        /* kernels with larger errors counted */
  char **facts;               /* (nullable) [device]: what a measurement depends
                               * on there; "": of a simulated one, nothing */
  char *machine;              /* (nullable) whose figures these are, if not of the
                               * machine it was made on: it runs there alone */
} TpPlanOrigin;

typedef struct
{
  int ref_count;
  char *graph_path;           /* as given to optimize */
  char *graph_name;
  char *graph_digest;
  char *costs_digest;
  TpDims *dims;               /* char* -> gint64*; may be NULL */
  char **pins;                /* (nullable) "GLOB=DEVICE" from the command line,
                               * applied to the prepared graph */
  char **ties;                /* (nullable) "OUTPUT=INPUT": outputs that are states, as
                               * when the graph was read */
  char **numbers;             /* (nullable) "NAME=1,2,3": inputs bound to values then */
  char **cut;                 /* (nullable) "NAME,...": outputs chosen then */
  char **no_pass;             /* (nullable) passes left out when the graph was
                               * prepared */
  TpMicroBatches micro_batches; /* that the batch is run in, see
                               * graph/graph-batch.h */
  char **streamed;            /* (nullable) constants that host memory alone keeps:
                               * they are sent to who reads them in every run, see
                               * graph/graph-stream.h */
  char *streamed_from;        /* (nullable) the device of host memory: they come
                               * from there; set with @streamed */
  char **no_fuse;             /* (nullable) fusion rules left out */
  TpPlanOrigin origin;
  char *objective;            /* "time", "throughput", ... */
  int n_devices;
  char **devices;
  gboolean is_simulated;
  int n_placements;           /* one per node of the prepared graph */
  TpPlacement *placements;
  TpGroups *groups;           /* in effect: all members on one device */
  int n_transfers;
  TpTransfer *transfers;
  gint64 cost_ns;
  gint64 cost_low_ns, cost_high_ns; /* between which a run is with 90 %; -1: not
                               * worked out */
  gint64 bound_ns;            /* what the cheapest plan costs */
  gint64 tie_price_ns;        /* with this on every copy no plan is cheaper than
                               * this one, which costs more than @bound_ns by
                               * less than noise; 0: it is the cheapest */
  int best_single;            /* device, or -1: no single device can */
  gint64 best_single_ns;
  int n_estimated;            /* ops whose time is an estimate */
  gint64 *peak_bytes;         /* per device: of the arena, all tensors but
                               * constants; NULL: not counted */
  gint64 *weight_bytes;       /* per device: constants read there, not packed */
  gint64 *memory_limits;      /* (nullable): [row] (ir/pools.h), of both together;
                               * 0: none */
  gint64 *memory_reserves;    /* (nullable): [row]: what kernels may take above a
                               * limit; 0: none, as there is where no limit is */
  TpCosts *costs;             /* the figures used: lets `check` and `explain`
                               * work from the plan and the graph alone */
  TpGroups *all_groups;       /* the groups offered to the planner */
  gint64 constant_ns;         /* fusion gains taken before the cut: cost =
                               * cut - constant */
  char *certificate;          /* kind of the proof: "min-cut", whose are the
                               * flows */
  int n_flows;
  gint64 *flows;              /* [arc] of the cut, in the order of
                               * docs/plan-format.md; one device has none */
  gint64 *tie_flows;          /* [arc]: with the price of the tie on every copy;
                               * NULL: there is none, or of more devices than two */
  TpMemoryProof *memory_proof; /* (nullable): that nothing which fits costs less
                               * than it says; @flows are of all, whatever they
                               * take, and "cheapest" is theirs. Of more than
                               * two devices: peaks and sweeps, no bounds */
  TpShareProof *share_proof;  /* (nullable): of three devices and more: that
                               * nothing costs less than @bound_ns, and nothing
                               * which fits than its @room says */
  TpLoadProof *load_proof;    /* (nullable): of the busiest engine: that none
                               * carries less than it says; @flows and "cheapest"
                               * are those of the plan cheapest by @cost_ns */
  TpRateProof *rate_proof;    /* (nullable): of energy and price: that no plan
                               * takes less; the rest likewise */
  TpSpanProof *span_proof;    /* (nullable): the schedule of a run whose engines
                               * work at once; what the busiest engine carries
                               * is in @load_proof */
} TpPlan;

TpPlan *tp_plan_new (void);
/* All of @graph on @device, each op by itself, to be run: it foretells and proves
 * nothing. */
TpPlan *tp_plan_new_alone (const TpGraph *graph, const char *device);
TpPlan *tp_plan_ref (TpPlan *plan);
void tp_plan_unref (TpPlan *plan);
/* As in its costs; of a plan that has none, made by hand: device 0. */
int tp_plan_get_host (const TpPlan *plan);
/* What a run is foretold to take: until its schedule ends, or all it costs. */
gint64 tp_plan_get_run_ns (const TpPlan *plan);
/* Of placement @index, or transfer: as the schedule has it beside what else is at work,
 * or by itself. */
gint64 tp_plan_get_op_ns (const TpPlan *plan, int index);
gint64 tp_plan_get_transfer_ns (const TpPlan *plan, int index);
/* Whether anything is proved of those alone that keep to its limits of memory. */
gboolean tp_plan_has_fit_bound (const TpPlan *plan);
/* What none of those costs less than: the most that any proof says. */
gint64 tp_plan_get_fit_bound_ns (const TpPlan *plan);
/* Between what a run is with 90 %; FALSE: not known, and both are what it is foretold to
 * take. */
gboolean tp_plan_get_interval (const TpPlan *plan, gint64 *out_low_ns,
                               gint64 *out_high_ns);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPlan, tp_plan_unref)

/* Per node of @graph, which @plan places: the schedule of the unit that begins
 * with it, or NULL. Caller frees the list alone. */
const char **tp_plan_list_schedules (const TpPlan *plan,
                                     const TpGraph *graph);

/**
 * tp_graph_pin:
 * @pins: (nullable): strings "GLOB=DEVICE", NULL-terminated; the glob is matched
 *   with names of nodes; a later pin overrides an earlier one
 *
 * A graph equal to @graph but for the pins of the nodes matched.
 * TPLAN_ERROR_USAGE: a pin of another form, or one that matches no node.
 */
TpGraph *tp_graph_pin (TpGraph *graph, const char *const *pins,
                       GError **error);

/* [node]: the group in effect it is in, or -1. */
int *tp_plan_map_groups (const TpPlan *plan, const TpGraph *graph);
/* [node]: time of the copies made for it: by the first op, in order, that reads
 * a tensor where it is copied to; where none does, by the one who made it. */
gint64 *tp_plan_sum_transfers (const TpPlan *plan, const TpGraph *graph);

#endif
