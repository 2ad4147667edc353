/* reference-integer.c: the references of ops, which compute in double, on
 * integers that a double does not hold.
 *
 * Arithmetic has map_integer(), sums and the like reference_integer(); sums of
 * products and what compares are for reference-parts.c. What only moves elements gets
 * tickets in their place, which no integer looks like; those that come out say which
 * element it was, and all else is a number that the op made itself. */
#include "config.h"

#include "ops/reference-integer.h"

#include "ir/guard.h"
#include "ir/region.h"
#include "nest/nest-expr.h"
#include "ops/op-util.h"
#include "ops/reference-parts.h"

#include <math.h>
#include <string.h>

#define MARK 0.375 /* the fraction of a ticket: exact beside any count */

/* An image that is resized smoothly does not only move. */
gboolean
tp_reference_moves (const TpNode *node)
{
  const char *mode = tp_node_get_string (node, "mode", "nearest");

  return node->op->moves != 0 && strstr (mode, "linear") == NULL
         && strstr (mode, "cubic") == NULL;
}

static gboolean
moves_input (const TpNode *node, int i)
{
  if (!tp_reference_moves (node))
    return FALSE;
  return node->op->moves == TP_MOVES_ALL
         || (i < 32 && (node->op->moves & TP_MOVES (i)) != 0);
}

/* As kernels store it: integers wrap to the width, truth values are 0 and 1. */
static gint64
store_double (TpDtype dtype, double value)
{
  if (tp_dtype_get (dtype)->class == TP_CLASS_BOOL)
    return value != 0.0;
  return tp_dtype_wrap (dtype, tp_real_to_integer (value));
}

/* The element that @ticket stands for; the inputs are numbered through. */
static gint64
redeem (const TpNode *node, const TpRefTensor *const *inputs, gint64 ticket)
{
  for (int i = 0; i < node->n_inputs; i++)
    {
      if (inputs[i] == NULL || !moves_input (node, i))
        continue;
      if (ticket < inputs[i]->count)
        return inputs[i]->integers[ticket];
      ticket -= inputs[i]->count;
    }
  g_assert_not_reached ();
}

static void
take_results (const TpNode *node, const TpRefTensor *const *inputs,
              TpRefTensor *output)
{
  gboolean has_tickets = tp_reference_moves (node);

  for (gint64 i = 0; i < output->count; i++)
    {
      double value = output->data[i];
      gboolean is_ticket = value - floor (value) == MARK;

      output->integers[i]
          = has_tickets && is_ticket
                ? redeem (node, inputs, (gint64) value)
                : store_double (output->dtype, value);
    }
}

/* Tickets are no integers, so the type says that. */
static TpDtype
shown_dtype (const TpNode *node, TpDtype dtype)
{
  return tp_reference_moves (node) ? TPLAN_DTYPE_FLOAT64 : dtype;
}

/* What the reference is to see of each input. */
static void
show_inputs (const TpNode *node, const TpRefTensor *const *inputs,
             TpRegion *doubles, TpRefTensor *shown)
{
  gint64 n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    {
      gboolean is_moved = moves_input (node, i);

      if (inputs[i] == NULL)
        continue;
      shown[i] = *inputs[i];
      if (inputs[i]->integers == NULL)
        continue;
      shown[i].data = tp_reference_get_doubles (doubles, inputs[i]->count);
      shown[i].dtype = shown_dtype (node, inputs[i]->dtype);
      for (gint64 k = 0; k < inputs[i]->count; k++)
        shown[i].data[k] = is_moved ? (double) n++ + MARK
                                    : (double) inputs[i]->integers[k];
    }
}

static gboolean
all_are_integers (const TpNode *node, const TpRefTensor *const *inputs)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (inputs[i] != NULL && inputs[i]->integers == NULL)
      return FALSE;
  return TRUE;
}

static void
run_with_doubles (const TpNode *node, const TpRefTensor *const *given,
                  TpRegion *doubles, TpRefTensor *outputs)
{
  g_autofree TpDtype *dtypes = tp_new0 (TpDtype, node->n_outputs + 1);

  for (int i = 0; i < node->n_outputs; i++)
    {
      dtypes[i] = outputs[i].dtype;
      if (outputs[i].integers == NULL)
        continue;
      outputs[i].dtype = shown_dtype (node, dtypes[i]);
      outputs[i].data = tp_reference_get_doubles (doubles, outputs[i].count);
    }
  node->op->reference (node, given, outputs);
  for (int i = 0; i < node->n_outputs; i++)
    outputs[i].dtype = dtypes[i];
}

static void
run_on_doubles (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  g_autoptr (TpRegion) doubles = tp_region_new (TP_REGION_NO_BUDGET);
  g_autofree TpRefTensor *shown = tp_new0 (TpRefTensor, node->n_inputs + 1);
  g_autofree const TpRefTensor **given
      = tp_new0 (const TpRefTensor *, node->n_inputs + 1);

  show_inputs (node, inputs, doubles, shown);
  for (int i = 0; i < node->n_inputs; i++)
    given[i] = inputs[i] != NULL ? &shown[i] : NULL;
  run_with_doubles (node, given, doubles, outputs);
  for (int i = 0; i < node->n_outputs; i++)
    if (outputs[i].integers != NULL)
      {
        take_results (node, inputs, &outputs[i]);
        outputs[i].data = NULL;
      }
}

void
tp_reference_run (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  gboolean is_integer
      = outputs[0].integers != NULL && all_are_integers (node, inputs);

  if ((node->op->flags & TP_OP_OF_BITS) != 0)
    node->op->reference (node, inputs, outputs);
  else if (node->op->map_integer != NULL && is_integer)
    tp_reference_map_integers (node, inputs, outputs);
  else if (node->op->reference_integer != NULL && is_integer)
    node->op->reference_integer (node, inputs, outputs);
  else if (is_integer && tp_reference_has_products (node))
    tp_reference_run_products (node, inputs, &outputs[0]);
  else if (node->op->ranks != TP_RANKS_NONE && inputs[0]->integers != NULL)
    tp_reference_run_ranks (node, inputs, outputs);
  else
    run_on_doubles (node, inputs, outputs);
}
