/* pass-integer.c: products and convolutions of small integers by a constant whose sums are
 * small are marked, so that a device that is fast at float32 alone may make them of it. */
#include "config.h"

#include "graph/pass.h"
#include "graph/small-sums.h"

static gboolean
mark_products (TpDraft *draft, GError **error)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);

      node->has_small_sums = tp_draft_has_small_sums (draft, node);
    }
  return TRUE;
}

const TpPass tp_pass_integer = {
  .name = "integer",
  .summary = "products of small integers that float32 holds are told",
  .concerns = tp_node_multiplies_integers,
  .run = mark_products,
};
