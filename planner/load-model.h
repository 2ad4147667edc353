/* load-model.h: how long each engine is busy in one run: every device with its
 * kernels, and every link with its copies, each direction by itself.
 *
 * Engines are numbered: devices, then the way to each from host memory, then the way
 * back from each. Devices that are the same silicon as the host share one engine with
 * their copies, which its processors make: the first. */
#ifndef TP_PLANNER_LOAD_MODEL_H
#define TP_PLANNER_LOAD_MODEL_H

#include "planner/problem.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned), without weights */
  int n_engines;
  gint64 *kernels;            /* [op * n_devices + device]: as tp_problem_node_cost ()
                               * has it */
  gint64 *copies;             /* [tensor * 2 * n_devices + device]: to there from
                               * host memory; and after these from there */
  int *group_of;              /* [op]: -1: none */
  guint *seen_tensors, *seen_groups; /* [index]: the turn in which it was */
  guint turn;
  gint64 n_met;               /* tensors that moves looked at */
  guint8 *to;                 /* [op]: where what is moved goes */
} TpLoadModel;

/* What is moved at once. */
typedef struct
{
  const int *ops;
  int n_ops;
} TpLoadPiece;

void tp_load_model_init (TpLoadModel *model, const TpProblem *problem);
void tp_load_model_clear (TpLoadModel *model);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLoadModel, tp_load_model_clear)

/* What every engine carries: [engine]. */
void tp_load_model_sum (TpLoadModel *model, const guint8 *devices,
                        gint64 *out_loads);
/* Moves @piece to @device, and @loads with them; FALSE: one may not be there, and
 * nothing has changed. The same on the other device takes it back, if all were
 * there. */
gboolean tp_load_model_move (TpLoadModel *model, guint8 *devices,
                             gint64 *loads, TpLoadPiece piece, int device);
/* Likewise each op of it to its device in @to: [op of @piece]. */
gboolean tp_load_model_put (TpLoadModel *model, guint8 *devices, gint64 *loads,
                            TpLoadPiece piece, const guint8 *to);
int tp_load_model_find_busiest (const TpLoadModel *model,
                                const gint64 *loads);

#endif
