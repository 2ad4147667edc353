/* outline.c: see outline.h. */
#include "config.h"

#include "ir/outline.h"

#include "ir/guard.h"
#include "ir/op.h"

#include <string.h>

#define N_LATELY 64           /* forms, a power of two */

gboolean
tp_node_is_stream (const TpNode *node)
{
  return node->op != NULL && (node->op->flags & TP_OP_STREAMS) != 0;
}

gboolean
tp_node_is_view (const TpNode *node)
{
  return node->op != NULL && node->op->kind == TP_OP_VIEW
         && !tp_node_is_stream (node) && node->n_inputs > 0
         && node->inputs[0] >= 0 && node->n_outputs > 0
         && node->outputs[0] >= 0;
}

int
tp_graph_find_streamed (const TpGraph *graph, int tensor)
{
  int maker = graph->tensors[tensor].producer;

  return maker >= 0 && tp_node_is_stream (&graph->nodes[maker])
             ? graph->nodes[maker].inputs[0]
             : -1;
}

/* What is kept: one block, which is freed as such. */
typedef struct
{
  TpOutline outline;          /* first */
  TpTensorOutline *tensors;
  TpNodeOutline *nodes;
  int *numbers;               /* of inputs and outputs: those that are free */
  /* tensors and nodes, and the numbers, come behind */
} Block;

static gsize
count_numbers (const TpGraph *graph)
{
  gsize n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += (gsize) graph->nodes[i].n_inputs + (gsize) graph->nodes[i].n_outputs;
  return n;
}

static Block *
block_new (const TpGraph *graph)
{
  gsize tensors_bytes = (gsize) graph->n_tensors * sizeof (TpTensorOutline);
  gsize nodes_bytes = (gsize) graph->n_nodes * sizeof (TpNodeOutline);
  gsize numbers_bytes = count_numbers (graph) * sizeof (int);
  Block *block = tp_alloc (1, sizeof *block + tensors_bytes + nodes_bytes
                                  + numbers_bytes);

  block->tensors = (TpTensorOutline *) (block + 1);
  block->nodes = (TpNodeOutline *) (block->tensors + graph->n_tensors);
  block->numbers = (int *) (block->nodes + graph->n_nodes);
  block->outline = (TpOutline){ .tensors = block->tensors,
                                .nodes = block->nodes,
                                .gives_times = graph->n_groups > 0 };
  return block;
}

/* ---- forms --------------------------------------------------------------- */

static gboolean
are_of_one_form (const TpTensor *a, const TpTensor *b)
{
  gsize n = (gsize) a->rank * sizeof a->dims[0];

  return a->dtype == b->dtype && a->rank == b->rank
         && memcmp (a->dims, b->dims, n) == 0
         && memcmp (a->strides, b->strides, n) == 0;
}

static guint
hash_form (const TpTensor *tensor)
{
  guint64 sum = (guint64) tensor->dtype;

  for (int i = 0; i < tensor->rank; i++)
    sum = (sum ^ (guint64) tensor->dims[i])
          * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (sum >> 32) % N_LATELY;
}

/* The last one that was met at its place, where that is of its form; or itself. */
static int
find_form (const TpGraph *graph, int index, int *lately)
{
  int *met = &lately[hash_form (&graph->tensors[index])];

  if (*met < 0
      || !are_of_one_form (&graph->tensors[*met], &graph->tensors[index]))
    *met = index;
  return *met;
}

/* ---- all ----------------------------------------------------------------- */

static void
fill_tensors (Block *block, const TpGraph *graph)
{
  int lately[N_LATELY];

  memset (lately, -1, sizeof lately);
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *it = &graph->tensors[i];

      block->tensors[i] = (TpTensorOutline){
        .producer = it->producer,
        .n_readers = it->n_consumers,
        .readers = it->consumers,
        .size_bytes = it->size_bytes,
        .form = find_form (graph, i, lately),
        .dtype = it->dtype,
        .is_constant = tp_tensor_is_constant (it),
        .is_resident = tp_tensor_is_resident (it),
        .is_state = it->state > 0,
        .is_output = it->is_output != 0,
      };
      block->outline.gives_copies |= it->n_copies > 0;
    }
}

static const int *
add_numbers (Block *block, const int *numbers, int n)
{
  int *own = block->numbers;

  for (int i = 0; i < n; i++)
    own[i] = numbers[i];
  block->numbers += n;
  return own;
}

static void
fill_nodes (Block *block, const TpGraph *graph)
{
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *it = &graph->nodes[i];

      block->nodes[i] = (TpNodeOutline){
        .inputs = add_numbers (block, it->inputs, it->n_inputs),
        .outputs = add_numbers (block, it->outputs, it->n_outputs),
        .op = it->op,
        .n_inputs = it->n_inputs,
        .n_outputs = it->n_outputs,
        .opset = it->opset,
        .kind = it->op == NULL ? TP_OP_OPAQUE : it->op->kind,
        .has_attrs = it->n_attrs > 0,
        .has_small_sums = it->has_small_sums != 0,
        .is_pinned = it->pins != NULL,
        .is_view = tp_node_is_view (it),
        .is_stream = tp_node_is_stream (it),
      };
      block->outline.gives_times |= it->n_costs > 0;
    }
}

const TpOutline *
tp_graph_get_outline (const TpGraph *graph)
{
  TpOutline **kept = &((TpGraph *) graph)->outline;
  TpOutline *outline = g_atomic_pointer_get (kept);
  g_autofree Block *block = NULL;

  if (outline != NULL)
    return outline;
  block = block_new (graph);
  fill_tensors (block, graph);
  fill_nodes (block, graph);
  if (!g_atomic_pointer_compare_and_exchange (kept, NULL, &block->outline))
    return g_atomic_pointer_get (kept);
  return &((Block *) g_steal_pointer (&block))->outline;
}
