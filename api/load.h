/* load.h: how to read a model, as tplan.h has it and as the readers want it. */
#ifndef TP_API_LOAD_H
#define TP_API_LOAD_H

#include "format/load-options.h"
#include "graph/pass.h"
#include "include/tplan.h"
#include "ir/graph.h"
#include "ir/limit.h"

typedef struct
{
  TpLoadOptions options;      /* points into the rest: not to be copied */
  TpLimits limits;
  TpDims *dims;               /* (nullable) */
  TpDims *assumed;            /* (nullable) where they are to be */
  TpPassOptions passes;       /* borrows the names */
} TpLoad;

/* @options: (nullable), kept as long as @load. TPLAN_ERROR_USAGE: it names a limit
 * there is not, a value out of its range, or a pass that cannot be left out. */
gboolean tp_load_init (TpLoad *load, const TplanLoadOptions *options,
                       GError **error);
/* Whether @options (nullable) leave to a plan what it says of how its graph is read. */
gboolean tp_load_is_of_plan (const TplanLoadOptions *options);
/* Once a graph was read: what was assumed stands among the dimensions given. */
void tp_load_note_assumed (TpLoad *load);
void tp_load_clear (TpLoad *load);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLoad, tp_load_clear)

#endif
