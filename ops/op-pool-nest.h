/* op-pool-nest.h: nests of what is made of each window of an image. */
#ifndef TP_OPS_OP_POOL_NEST_H
#define TP_OPS_OP_POOL_NEST_H

#include "ops/op-util.h"
#include "ops/op-window.h"

/* A window, or one side of it. */
typedef struct
{
  TpWindow window;
  TpWindowAxes axes;
} TpPool;

/* The result of a nest, whose load 0 runs over the window of @pool. */
typedef int (*TpPoolResult) (TpLowering *lowering, const TpPool *pool);

typedef struct
{
  TpPoolResult result;
  int halves;                 /* so many times less elements are worth a nest for each
                               * side; 0: that would be something else */
  gboolean is_exact;          /* in the type of the input */
} TpPoolRule;

/* Of one nest, or, where windows are large, of one for each side, with scratch
 * between. */
gboolean tp_pool_lower (TpLowering *lowering, const TpPoolRule *rule,
                        GError **error);

#endif
