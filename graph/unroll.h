/* unroll.h: ops that are gone once shapes are inferred: those that compute a body
 * again and again (Loop, Scan), and those of sequences and of what may be absent.
 *
 * When shapes are inferred, op after op, it is known how often a body is computed if
 * it ever is before a run: each round gets ops of its own, of shapes of its own.
 * A sequence is a list of tensors from then on, and what is absent is no tensor. */
#ifndef TP_GRAPH_UNROLL_H
#define TP_GRAPH_UNROLL_H

#include "graph/graph-draft.h"
#include "ir/array.h"
#include "ir/map.h"

/* What a tensor stands for that is none. */
typedef struct
{
  TpArray *items;             /* (owned) int: tensors; may be of longer lists, too */
  guint n;                    /* of these */
  gboolean is_none;           /* an optional without a value */
} TpList;

typedef struct
{
  TpDraft *draft;
  const TpNode *node;         /* that is being taken apart */
  gpointer user;
  /* Infers @node, which is already part of the graph, and may change it. */
  gboolean (*infer) (gpointer user, TpNode *node, GError **error);
  TpArray *made;              /* TpNode: what stands for the ops that are gone */
  gint64 n_made;              /* so far, those that were folded too */
  int n_tensors;              /* that there were before */
  int *tensors;               /* [tensor]: what each of a body is in the round that is
                               * being made; -1: nothing */
  int *branches;              /* [branch]: likewise */
  TpMap *lists;               /* 1 + tensor -> TpList* */
} TpUnroll;

void tp_unroll_init (TpUnroll *self, TpDraft *draft);
void tp_unroll_clear (TpUnroll *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpUnroll, tp_unroll_clear)

/* Puts what was made behind the ops that it stands for: of node i that from
 * @starts[i] on, up to @starts[i + 1]. */
void tp_unroll_merge (TpUnroll *self, const guint *starts);

/* ---- for what knows the ops ------------------------------------------------- */

/* "op 'name' (Type): ...", codes TPLAN_ERROR_INPUT and TPLAN_ERROR_UNSUPPORTED. */
gboolean tp_unroll_fail (const TpUnroll *self, GError **error,
                         const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean tp_unroll_refuse (const TpUnroll *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Whether there may be @n ops more, which are @what of the node; counts
 * them. */
gboolean tp_unroll_take (TpUnroll *self, gint64 n,
                         const char *what, GError **error);

/* NULL: @tensor (-1: left out) is one. */
const TpList *tp_unroll_find_list (const TpUnroll *self, int tensor);
/* What @tensor stands for from now on: the first @n of @items, whoever else has
 * them. */
void tp_unroll_set_list (TpUnroll *self, int tensor, TpArray *items, guint n);
void tp_unroll_set_none (TpUnroll *self, int tensor);
/* What a tensor of a body is in the round that is being made; others are themselves. */
static inline int
tp_unroll_map (const TpUnroll *self, int tensor)
{
  return tensor >= 0 && tensor < self->n_tensors ? self->tensors[tensor]
                                                 : tensor;
}

#endif
