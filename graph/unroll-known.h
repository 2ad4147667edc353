/* unroll-known.h: what has to be known before a run: how often a body is computed,
 * which element of a sequence is meant. */
#ifndef TP_GRAPH_UNROLL_KNOWN_H
#define TP_GRAPH_UNROLL_KNOWN_H

#include "graph/unroll.h"

/* The one value of @tensor, which is the @what of the node. Where it is not known,
 * TPLAN_ERROR_UNSUPPORTED says which inputs it hangs on. */
gboolean tp_unroll_get_int (const TpUnroll *self, int tensor,
                            const char *what, gint64 *out_value,
                            GError **error);
/* The same of bool. */
gboolean tp_unroll_get_bool (const TpUnroll *self, int tensor,
                             const char *what, gboolean *out_value,
                             GError **error);
/* All values of @tensor, (transfer full); NULL: not known, as above. */
gint64 *tp_unroll_get_ints (const TpUnroll *self, int tensor,
                            const char *what, GError **error);
/* Fails unless @tensor is one, with a shape. */
gboolean tp_unroll_check_tensor (const TpUnroll *self, int tensor, const char *what, GError **error);
/* Fails unless its values are known, as above. */
gboolean tp_unroll_check_known (const TpUnroll *self, int tensor, const char *what, GError **error);
/* Of one whose values are known, all of them; g_free (). */
double *tp_unroll_dup_values (const TpUnroll *self, int tensor);
/* The list that @tensor is, (nullable): fails unless it is one. */
const TpList *tp_unroll_get_list (const TpUnroll *self, int tensor, const char *what, GError **error);

#endif
