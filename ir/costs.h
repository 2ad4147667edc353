/* costs.h: what the planner knows of a machine: times, and what they draw and cost.
 *
 * Made by calib (measured) or from machine profiles (estimated), read by the
 * planner, so that neither knows the other.
 *
 * Every copy goes through host memory, where the caller's arrays are too: that is
 * how sessions move tensors. So two figures for each tensor and device say what
 * it costs from anywhere to anywhere; a table of pairs would say the same in the
 * square of the room. */
#ifndef TP_IR_COSTS_H
#define TP_IR_COSTS_H

#include "ir/digest.h"
#include "ir/graph.h"
#include "ir/rates.h"
#include "ir/scratch.h"

#define TP_COST_NONE G_MAXINT64 /* this device cannot */
#define TP_COSTS_HOST (-1)      /* as an end of a copy: host memory */
/* Why a group is none where only a graph says what it costs, and of other devices. */
#define TP_COSTS_CLAIMED_ELSEWHERE "the graph gives no cost of these ops as one here"
/* Why a group cannot be fused where the graph gives the cost of a node of it. */
#define TP_COSTS_GIVEN_IN_GROUP "the graph gives the cost of an op of it"

typedef struct
{
  gint64 time_ns;             /* TP_COST_NONE: not on this device */
  gint64 spread_ns;           /* half of the 95 % interval */
  gint64 measured_ns : 63;    /* before time_ns was drawn to what others of its
                               * kind have; 0: it is as it was */
  guint64 is_estimated : 1;   /* from the roofline, not measured */
  union                       /* interned */
  {
    const char *reason;       /* of TP_COST_NONE: why not, or NULL */
    const char *schedule;     /* of others: what was measured, for tp_program_new ();
                               * NULL: estimated, or not known */
  };
} TpCost;

/* What a spread is of the standard deviation. */
#define TP_COST_SPREADS 1.96

/* What is wrong with all kernels of a device at once, as far as whole plans
 * told; parts of logs are in billionths. */
#define TP_COST_BILLION 1e9

typedef struct
{
  gint64 *factors;            /* [device]: by which times were multiplied, in
                               * billionths */
  gint64 *n_wholes;           /* [device]: that told of it */
  gint64 *covariances;        /* [device * n_devices + device]: of what logs of
                               * times are wrong by together, for all that */
  gint64 run_variance;        /* of the log of a time, from process to process */
  gint64 until_us;            /* when the last of them was measured; 0: none */
} TpCostErrors;

/* Nodes that may be run as one kernel when all are on one device. */
typedef struct
{
  int n_nodes;
  const int *nodes;           /* topological order; the first is the anchor */
  gboolean is_claimed;        /* that they may be is what the graph says, and no rule:
                               * no kernel is made of them here, they are run op by op */
  gboolean is_second;         /* of a family: by the second reading of the rules
                               * (planner/fuse.h) */
} TpGroup;

typedef struct
{
  int n_groups;
  TpGroup *groups;
  TpScratch nodes;            /* of all groups */
} TpGroups;

typedef struct TpCosts
{
  int ref_count;
  int n_devices;
  char **devices;             /* "cpu", "opencl:0", "sim:..." */
  gint64 *memory_bytes;       /* [device]: what it has; 0: not known */
  char **pools;               /* [device]: the memory it has it from, by a name that
                               * those have in common who share it (ir/pools.h);
                               * NULL: its own */
  int host;                   /* the device that works in host memory: what is in
                               * the one is in the other; TP_COSTS_HOST: none */
  gboolean *is_mapped;        /* (nullable) [device]: the host works in its memory,
                               * too: what passes from op to op between the two is
                               * handed over; inputs and outputs are copied */
  char *digest;               /* hex SHA-256 of every figure used */
  int n_nodes;
  TpCost *nodes;              /* [node * n_devices + device] */
  int n_groups;
  TpCost *groups;             /* [group * n_devices + device]: fused, whole */
  int n_tensors;
  TpCost *feeds;              /* [tensor * n_devices + device]: from host
                               * memory to the device; the host's are unused */
  TpCost *fetches;            /* likewise: from the device to host memory */
  gint64 *latencies_ns;       /* [device]: what a copy to it takes however small it
                               * is; [n_devices + device]: from it; 0: not known. No
                               * figure of these costs */
  int *unit_rows;             /* (nullable) [node, then group]: which row of @nodes is
                               * its own, where they share them: @groups has none */
  int *copy_rows;             /* (nullable) [tensor]: which row of both is its own,
                               * where tensors share them; NULL: that of its
                               * number */
  int *kernels;               /* (nullable) [node, then group]: where equal, a
                               * device's figures are one measurement, and
                               * wrong together; 0: of its own. 1 to the
                               * number of rows */
  TpCostErrors *errors;       /* (nullable): no device is real, or nothing is
                               * known of them */
  TpRate *rates;              /* (nullable) [device]: as stated, or measured */
  TpDrawn *drawn;             /* (nullable) [device]: what is known for rates: no
                               * figure of these costs */
  int *speeds;                /* (nullable) [engine * 3 * n_devices + other]: how
                               * fast each is while the other works, if that is
                               * known (ir/interference.h) */
  gboolean is_simulated;      /* any device: by who fills in its figures */
  gboolean is_same_silicon;   /* all devices are the processors of the host, under
                               * other names */
  gboolean has_own_processors; /* likewise, but with enough threads left out that
                               * each device has processors of its own */
} TpCosts;

/* All 0, but factors, which are 1. */
TpCostErrors *tp_cost_errors_new (int n_devices);
void tp_cost_errors_free (TpCostErrors *errors);

TpGroups *tp_groups_new (void);
void tp_groups_free (TpGroups *groups);
void tp_groups_add (TpGroups *groups, const int *nodes, int n_nodes);
void tp_groups_add_copy (TpGroups *groups, const TpGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpGroups, tp_groups_free)

/* All costs TP_COST_NONE, transfers 0, the host is device 0. */
TpCosts *tp_costs_new (int n_devices, const char *const *devices,
                       const TpGraph *graph, const TpGroups *groups);
/* The same of a graph that is not there yet. */
typedef struct
{
  int n_nodes, n_groups, n_tensors;
} TpCostRows;
TpCosts *tp_costs_new_sized (int n_devices, const char *const *devices,
                             const TpCostRows *rows);
TpCosts *tp_costs_ref (TpCosts *costs);
void tp_costs_unref (TpCosts *costs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCosts, tp_costs_unref)

static inline TpCost *
tp_costs_node (const TpCosts *costs, int node, int device)
{
  int row = costs->unit_rows == NULL ? node : costs->unit_rows[node];

  g_assert (node >= 0 && node < costs->n_nodes);
  g_assert (device >= 0 && device < costs->n_devices);
  return &costs->nodes[(gsize) row * costs->n_devices + device];
}

static inline TpCost *
tp_costs_group (const TpCosts *costs, int group, int device)
{
  g_assert (group >= 0 && group < costs->n_groups);
  g_assert (device >= 0 && device < costs->n_devices);
  return costs->unit_rows == NULL
             ? &costs->groups[(gsize) group * costs->n_devices + device]
             : &costs->nodes[(gsize) costs->unit_rows[costs->n_nodes + group]
                                 * costs->n_devices
                             + device];
}

/* Where the row of @tensor begins, in both tables of copies. */
static inline gsize
tp_costs_get_copy (const TpCosts *costs, int tensor)
{
  g_assert (tensor >= 0 && tensor < costs->n_tensors);
  return (gsize) (costs->copy_rows == NULL ? tensor : costs->copy_rows[tensor])
         * costs->n_devices;
}

static inline TpCost *
tp_costs_feed (const TpCosts *costs, int tensor, int device)
{
  g_assert (device >= 0 && device < costs->n_devices);
  return &costs->feeds[tp_costs_get_copy (costs, tensor) + device];
}

static inline TpCost *
tp_costs_fetch (const TpCosts *costs, int tensor, int device)
{
  g_assert (device >= 0 && device < costs->n_devices);
  return &costs->fetches[tp_costs_get_copy (costs, tensor) + device];
}

/* Any of the four. */
typedef TpCost *(*TpCostsGet) (const TpCosts *costs, int row, int device);
/* Keeps rows of copies that are equal once, if that are most of them: figures of
 * copies are not to be changed any more. */
void tp_costs_share_copies (TpCosts *costs);
/* What @graph itself says of @device: spreads of the times that it gives, groups
 * whose ops can all be there, and copies. */
void tp_costs_take_given (TpCosts *costs, const TpGraph *graph,
                          const TpGroups *groups, int device);
/* What @graph gives of @group on @device, or NULL. */
const TpNodeCost *tp_costs_find_given (const TpGraph *graph,
                                       const TpGroup *group,
                                       const char *device);
/* Whether kernels and copies of all devices are the work of the same processors,
 * which do one thing at a time. */
gboolean tp_costs_is_one_engine (const TpCosts *costs);
/* Those that count: none slow each other that are one. (nullable) */
const int *tp_costs_get_speeds (const TpCosts *costs);
/* Marks @device as mapped where that is asked for: @costs->is_mapped is there. Only the
 * first is: what passes between two that are would be copied. FALSE: it is not. */
gboolean tp_costs_map (TpCosts *costs, int device);
gboolean tp_costs_is_mapped (const TpCosts *costs, int device);
gboolean tp_costs_has_mapped (const TpCosts *costs);
/* How many standard deviations a plan with more copies must be better by. */
int tp_costs_get_tie_sds (const TpCosts *costs);
/* One copy of @tensor; @from, @to: devices, or TP_COSTS_HOST. */
TpCost tp_costs_copy (const TpCosts *costs, int tensor, int from, int to);
/* What node @row, or group @row - n_nodes, is the measurement of; 0: its own. */
int tp_costs_get_kernel (const TpCosts *costs, int row);
/* Of every figure there is now: (transfer full). */
char *tp_costs_compute_digest (const TpCosts *costs);
/* Computes @costs->digest once all figures are in. */
void tp_costs_seal (TpCosts *costs);

#endif
