/* op.c: finding an op by name. */
#include "config.h"

#include "ops/op.h"

#include "ir/op.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TP_OP(op) extern const TpOp op;
#include "ops/ops.def"
#undef TP_OP

#define TP_OP(op) &op,
static const TpOp *ops[] = {
#include "ops/ops.def"
};
#undef TP_OP

static int
op_compare (const void *a, const void *b)
{
  const TpOp *const *first = a;
  const TpOp *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

static int
op_compare_name (const void *name, const void *op)
{
  return strcmp (name, (*(const TpOp *const *)op)->name);
}

static void
sort_ops (void)
{
  qsort (ops, G_N_ELEMENTS (ops), sizeof ops[0], op_compare);
}

const TpOp *const *
tp_op_list (int *out_n)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, sort_ops);
  *out_n = G_N_ELEMENTS (ops);
  return ops;
}

const TpOp *
tp_op_find (const char *name)
{
  int n = 0;
  const TpOp *const *list = tp_op_list (&n);
  const TpOp *const *found =
      bsearch (name, list, n, sizeof list[0], op_compare_name);

  return found == NULL ? NULL : *found;
}

gboolean
tp_node_has_flag (const TpNode *node, TpOpFlags flag)
{
  return node->op != NULL && (node->op->flags & flag) != 0;
}
