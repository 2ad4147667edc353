/* explained.h: ops of a plan, and in words why they are where they are. */
#ifndef TP_CLI_EXPLAINED_H
#define TP_CLI_EXPLAINED_H

#include "cli/cli.h"
#include "ir/graph.h"
#include "ir/plan.h"

/* One op of a plan, with what the figures say about it. All borrowed. */
typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpPlacement *placement;
  int node;
  int device;
  int group;                  /* in effect; -1: none */
  gint64 transfer_ns;         /* copies made for this op */
  double share;               /* of the times of all ops of the plan */
} TpExplained;

/* The cheapest plan has it elsewhere, by less than noise. */
gboolean tp_explained_is_tie (const TpExplained *it);
/* What holds an op by a tie is noise, no margin. */
gboolean tp_explained_has_margin (const TpExplained *it);
/* The first op of its group; NULL: it is in none. */
const char *tp_explained_get_group (const TpExplained *it);

/* @ops: TpExplained, of @plan: a line for each, no longer than 100 characters if that can
 * be, and what the reasons mean that stand there. */
void tp_explained_print (const TpCli *cli, const TpPlan *plan,
                         const GArray *ops);
/* One op, with all there is to say of it. */
void tp_explained_print_one (const TpCli *cli, const TpExplained *it);

#endif
