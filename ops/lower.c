/* lower.c: one node, or a group of them, to a program of nests: a chain, or chains
 * that end at a node that joins what they make. Such are lowered each for itself;
 * then each is composed with the nest that would have copied what it makes to its
 * place. */
#include "config.h"

#include "ops/lower.h"

#include "ir/guard.h"
#include "nest/nest-check.h"
#include "nest/nest-fuse.h"
#include "ops/lower-chain.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <string.h>

/* ---- operands ---------------------------------------------------------- */

static void
renumber_accesses (TpLowered *lowered, const int *number)
{
  for (int i = 0; i < lowered->n_nests; i++)
    {
      TpNest *nest = lowered->nests[i];

      for (int k = 0; k < nest->n_loads; k++)
        nest->loads[k].operand = number[nest->loads[k].operand];
      nest->store.operand = number[nest->store.operand];
    }
}

/* Which operands are outputs of @node: the place in it plus 1, else 0. */
static int *
find_outputs (const TpLowered *lowered, const TpNode *node)
{
  int *output = tp_new0 (int, lowered->n_operands);

  for (int i = 0; i < lowered->n_operands; i++)
    for (int k = 0; k < node->n_outputs; k++)
      if (lowered->operands[i].tensor >= 0
          && lowered->operands[i].tensor == node->outputs[k])
        output[i] = k + 1;
  return output;
}

/* Numbers the operands that are the @output-th of the node, in the order of
 * first use, loads before stores. */
static void
number_operands_of (const TpLowered *lowered, const int *outputs, int output,
                    int *number, int *n)
{
  for (int is_store = 0; is_store < 2; is_store++)
    for (int i = 0; i < lowered->n_nests; i++)
      {
        const TpNest *nest = lowered->nests[i];
        int n_accesses = is_store ? 1 : nest->n_loads;

        for (int k = 0; k < n_accesses; k++)
          {
            int operand =
                is_store ? nest->store.operand : nest->loads[k].operand;

            if (outputs[operand] == output && number[operand] < 0)
              number[operand] = (*n)++;
          }
      }
}

/* Numbers operands in the order of first use, the outputs of @node last, and
 * drops those that fusion made disappear. */
static void
number_operands (TpLowered *lowered, const TpNode *node)
{
  g_autofree int *outputs = find_outputs (lowered, node);
  g_autofree int *number = tp_new (int, lowered->n_operands);
  g_autofree TpOperand *operands = tp_memdup (
      lowered->operands, lowered->n_operands * sizeof lowered->operands[0]);
  int n_operands = lowered->n_operands;
  int n = 0;

  memset (number, -1, n_operands * sizeof number[0]);
  for (int i = 0; i <= node->n_outputs; i++)
    number_operands_of (lowered, outputs, i, number, &n);
  renumber_accesses (lowered, number);
  for (int i = 0; i < n_operands; i++)
    if (number[i] >= 0)
      {
        lowered->operands[number[i]] = operands[i];
        lowered->operands[number[i]].is_output = outputs[i] > 0;
      }
  lowered->n_operands = n;
}

/* ---- joins ------------------------------------------------------------- */

/* Chains that @nodes has before the one at @join, which joins what they make. */
typedef struct
{
  const TpGraph *graph;
  const int *nodes;
  int n_nodes;
  int join;
  int *part;                  /* of @n_part nodes: a chain */
  int n_part;
} Join;

/* Where the node that joins others before it is among @nodes; -1: there is none. */
static int
find_join (const TpGraph *graph, const int *nodes, int n_nodes)
{
  int i = n_nodes - 1;

  while (i > 0 && !tp_node_has_flag (&graph->nodes[nodes[i]], TP_OP_JOINS))
    i--;
  return i > 0 ? i : -1;
}

/* Where the maker of @tensor is among those before the join; -1: it is not. */
static int
find_maker (const Join *join, int tensor)
{
  int producer = tensor < 0 ? -1 : join->graph->tensors[tensor].producer;

  for (int i = 0; i < join->join && producer >= 0; i++)
    if (join->nodes[i] == producer)
      return i;
  return -1;
}

static int
find_maker_before (const Join *join, int at)
{
  const TpNode *node = &join->graph->nodes[join->nodes[at]];
  int last = -1;

  for (int i = 0; i < node->n_inputs; i++)
    last = MAX (last, find_maker (join, node->inputs[i]));
  return last;
}

/* The chain that makes @tensor, and the join behind it. None: the part is empty. */
static void
collect_part (Join *join, int tensor)
{
  int first = join->n_nodes;

  for (int at = find_maker (join, tensor); at >= 0 && first > 1;
       at = find_maker_before (join, at))
    join->part[--first] = join->nodes[at];
  join->n_part = join->n_nodes - first;
  memmove (join->part, join->part + first, join->n_part * sizeof (int));
  join->part[join->n_part] = join->nodes[join->join];
}

/* What the operands of @part are called in @lowered. */
static int *
import_operands (TpLowered *lowered, const TpLowered *part)
{
  g_autofree int *number = tp_new (int, part->n_operands + 1);

  for (int i = 0; i < part->n_operands; i++)
    {
      const TpOperand *operand = &part->operands[i];
      int k = operand->tensor < 0 ? lowered->n_operands : 0;

      while (k < lowered->n_operands
             && lowered->operands[k].tensor != operand->tensor)
        k++;
      number[i] = k < lowered->n_operands
                      ? k
                      : tp_lowered_add_operand (lowered, operand);
    }
  return g_steal_pointer (&number);
}

static gboolean
nest_reads (const TpNest *nest, int operand)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].operand == operand)
      return TRUE;
  return FALSE;
}

/* The one nest of @lowered that reads @operand, which is no more one of it. */
static TpNest *
take_reader (TpLowered *lowered, int operand)
{
  TpNest *nest = NULL;
  int i = 0;

  while (i < lowered->n_nests && !nest_reads (lowered->nests[i], operand))
    i++;
  if (i == lowered->n_nests)
    return NULL;
  nest = lowered->nests[i];
  lowered->n_nests--;
  memmove (lowered->nests + i, lowered->nests + i + 1,
           (lowered->n_nests - i) * sizeof lowered->nests[0]);
  return nest;
}

/* The nests of @part, which write @operand, to where the nest that reads it does. */
static gboolean
compose_part (TpLowered *lowered, TpLowered *part, int operand)
{
  g_autoptr (TpNest) copy = take_reader (lowered, operand);

  for (int i = 0; i < part->n_nests && copy != NULL; i++)
    {
      TpNest *nest = part->nests[i];
      TpNest *fused = nest->store.operand == operand
                          ? tp_nest_fuse (nest, copy, operand)
                          : tp_nest_copy (nest);

      if (fused == NULL)
        return FALSE;
      tp_lowered_take_nest (lowered, fused);
    }
  return copy != NULL;
}

static gboolean
add_part (TpLowered *lowered, const Join *join, GError **error)
{
  const TpGraph *graph = join->graph;
  const TpNode *node = &graph->nodes[join->nodes[join->join]];
  const TpNode *last = &graph->nodes[join->part[join->n_part - 1]];
  g_autoptr (TpLowered) part = tp_lowered_new ();
  g_autofree int *number = NULL;

  /* with the join itself: who else reads what is made of it? */
  if (!tp_lower_check_chain (graph, join->part, join->n_part + 1, error)
      || !tp_lower_chain (part, graph, join->part, join->n_part, error))
    return FALSE;
  if (part->n_iterations > 1)
    return tp_op_refuse (node, error,
                         "a recurrence cannot be fused with op '%s'",
                         last->name);
  number = import_operands (lowered, part);
  renumber_accesses (part, number);
  return compose_part (lowered, part,
                       tp_lowered_get_tensor (lowered, graph,
                                              last->outputs[0]))
         || tp_op_refuse (node, error,
                          "does not line up with op '%s' for one kernel",
                          last->name);
}

/* All parts that nodes of the group make; those of others stay copies. */
static gboolean
add_parts (TpLowered *lowered, Join *join, GError **error)
{
  const TpNode *node = &join->graph->nodes[join->nodes[join->join]];
  int n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    {
      collect_part (join, node->inputs[i]);
      if (join->n_part > 0 && !add_part (lowered, join, error))
        return FALSE;
      n += join->n_part;
    }
  return n == join->join
         || tp_op_refuse (node, error,
                          "not all ops before it are chains that make a part "
                          "of its output");
}

/* What comes after the join is elementwise: it is in all that writes parts. */
static gboolean
lower_group (TpLowered *lowered, const TpGraph *graph, const int *nodes,
             int n_nodes, GError **error)
{
  int at = find_join (graph, nodes, n_nodes);
  g_autofree int *part = NULL;
  Join join = { graph, nodes, n_nodes, at, NULL, 0 };

  if (at < 0)
    return tp_lower_chain (lowered, graph, nodes, n_nodes, error);
  part = tp_new (int, n_nodes + 1);
  join.part = part;
  return tp_lower_chain (lowered, graph, nodes + at, n_nodes - at, error)
         && add_parts (lowered, &join, error);
}

static TpLowered *
lower_view (const TpGraph *graph, const TpNode *node)
{
  TpLowered *lowered = tp_lowered_new ();

  tp_lowered_get_tensor (lowered, graph, node->inputs[0]);
  tp_lowered_get_tensor (lowered, graph, node->outputs[0]);
  lowered->operands[1].is_output = TRUE;
  return lowered;
}

TpLowered *
tp_lower_nodes (const TpGraph *graph, const int *nodes, int n_nodes,
                GError **error)
{
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  const TpNode *first = &graph->nodes[nodes[0]];

  if (first->op != NULL && first->op->kind == TP_OP_VIEW && n_nodes == 1)
    return lower_view (graph, first);
  if (!lower_group (lowered, graph, nodes, n_nodes, error))
    return NULL;
  number_operands (lowered, &graph->nodes[nodes[n_nodes - 1]]);
  if (!tp_lowered_check (lowered, error))
    return NULL;
  return g_steal_pointer (&lowered);
}
