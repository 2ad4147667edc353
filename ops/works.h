/* works.h: what the kernels of a graph have to do. */
#ifndef TP_OPS_WORKS_H
#define TP_OPS_WORKS_H

#include "ir/array.h"
#include "ir/costs.h"
#include "ir/graph.h"
#include "nest/nest.h"

typedef struct
{
  gboolean is_lowerable;
  TpWork work;                /* zero otherwise */
} TpNodeWork;

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;     /* (nullable) */
  TpArray *works;             /* TpNodeWork: one of those that are alike */
  int *rows;                  /* [node, then group]: which of them */
} TpWorks;

/* Borrows both; @groups: (nullable). */
TpWorks *tp_works_new (const TpGraph *graph, const TpGroups *groups);
void tp_works_free (TpWorks *works); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpWorks, tp_works_free)

/* Of node @row, or group @row - n_nodes. */
static inline const TpNodeWork *
tp_works_get (const TpWorks *works, int row)
{
  return &tp_array_index (works->works, TpNodeWork, works->rows[row]);
}

#endif
