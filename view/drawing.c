/* drawing.c: reduces a plan to vertices and edges. Linear in the graph. */
#include "config.h"

#include "view/drawing.h"

#include "ir/name-hash.h"
#include "view/blocks.h"

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  TpDrawing *drawing;
  int *vertex_of_node;
  const int *group_of_node;
  GHashTable *edges;          /* from << 32 | to -> index + 1 */
  GHashTable *transfers;      /* tensor << 32 | device -> TpTransfer */
} Sketch;

void
tp_drawing_free (TpDrawing *drawing)
{
  g_array_unref (drawing->vertices);
  g_array_unref (drawing->edges);
  g_free (drawing);
}

static guint64
pair_key (int high, int low)
{
  return (guint64) (guint32) high << 32 | (guint32) low;
}

static guint64 *
pair_dup (int high, int low)
{
  guint64 *key = g_new (guint64, 1);

  *key = pair_key (high, low);
  return key;
}

static int
add_vertex (Sketch *sketch, const TpVertex *vertex)
{
  g_array_append_vals (sketch->drawing->vertices, vertex, 1);
  return sketch->drawing->vertices->len - 1;
}

/* Sets where most of the time of @vertex goes, and how much there is. */
static void
sum_up (const Sketch *sketch, TpVertex *vertex)
{
  const TpPlan *plan = sketch->plan;
  g_autofree gint64 *time_ns = g_new0 (gint64, plan->n_devices + 1);

  vertex->device = plan->placements[vertex->first_node].device;
  for (int i = vertex->first_node; i < vertex->first_node + vertex->n_nodes;
       i++)
    {
      const TpPlacement *placement = &plan->placements[i];

      vertex->time_ns += placement->time_ns;
      time_ns[placement->device] += placement->time_ns;
      vertex->is_mixed |= placement->device != vertex->device;
    }
  for (int i = 0; i < plan->n_devices; i++)
    if (time_ns[i] > time_ns[vertex->device])
      vertex->device = i;
}

static void
add_block (Sketch *sketch, const TpBlock *block)
{
  gboolean is_op = block->n_nodes == 1;
  TpVertex vertex = { .first_node = block->first,
                      .n_nodes = block->n_nodes,
                      .n_repeats = block->n_repeats,
                      .tensor = -1,
                      .group = is_op ? sketch->group_of_node[block->first]
                                     : -1 };
  int index;

  sum_up (sketch, &vertex);
  index = add_vertex (sketch, &vertex);
  for (int i = 0; i < block->n_nodes; i++)
    sketch->vertex_of_node[block->first + i] = index;
}

static TpEdge *
find_edge (Sketch *sketch, int from, int to)
{
  guint64 key = pair_key (from, to);
  gpointer index = g_hash_table_lookup (sketch->edges, &key);
  TpEdge edge = { from, to, 0, FALSE, 0, 0 };

  if (index == NULL)
    {
      g_array_append_val (sketch->drawing->edges, edge);
      index = GINT_TO_POINTER ((int) sketch->drawing->edges->len);
      g_hash_table_insert (sketch->edges, pair_dup (from, to), index);
    }
  return &g_array_index (sketch->drawing->edges, TpEdge,
                         GPOINTER_TO_INT (index) - 1);
}

/* A tensor on its way from one device to another. */
typedef struct
{
  int tensor;
  int from, to;               /* devices */
} Passage;

/* Draws it from one vertex to another; its copy is charged to the first edge that
 * needs it. */
static void
add_edge (Sketch *sketch, const Passage *passage, int from, int to)
{
  guint64 key = pair_key (passage->tensor, passage->to);
  TpTransfer *transfer;
  TpEdge *edge;

  if (from == to)
    return;
  edge = find_edge (sketch, from, to);
  edge->n_tensors++;
  if (passage->from == passage->to)
    return;
  edge->is_cut = TRUE;
  transfer = g_hash_table_lookup (sketch->transfers, &key);
  if (transfer == NULL)
    return;
  edge->size_bytes += transfer->size_bytes;
  edge->time_ns += transfer->time_ns;
  g_hash_table_remove (sketch->transfers, &key);
}

static void
add_tensor (Sketch *sketch, int index)
{
  const TpTensor *tensor = &sketch->graph->tensors[index];
  const TpPlacement *placements = sketch->plan->placements;
  int host = tp_plan_get_host (sketch->plan);
  TpVertex end = { .first_node = -1, .tensor = index, .n_repeats = 1,
                   .device = host, .group = -1 };
  Passage passage = { index, host, host };
  int from;

  if (tensor->producer < 0 && !tensor->is_input)
    return;
  if (tensor->producer >= 0)
    passage.from = placements[tensor->producer].device;
  from = tensor->producer >= 0 ? sketch->vertex_of_node[tensor->producer]
                               : add_vertex (sketch, &end);
  for (int i = 0; i < tensor->n_consumers; i++)
    {
      int to = tensor->consumers[i];

      passage.to = placements[to].device;
      add_edge (sketch, &passage, from, sketch->vertex_of_node[to]);
    }
  passage.to = host;
  if (tensor->is_output)
    add_edge (sketch, &passage, from, add_vertex (sketch, &end));
}

static int
edge_compare (gconstpointer a, gconstpointer b)
{
  const TpEdge *x = a, *y = b;

  return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static void
index_transfers (Sketch *sketch)
{
  const TpPlan *plan = sketch->plan;

  for (int i = 0; i < plan->n_transfers; i++)
    g_hash_table_insert (
        sketch->transfers,
        pair_dup (plan->transfers[i].tensor, plan->transfers[i].to),
        &plan->transfers[i]);
}

/* A copy takes a level, for what is written beside it. Edges go down, from inputs
 * to ops to outputs: their order is by where they begin, and inputs, which come
 * last in the list, have nothing above them. */
static void
find_levels (TpDrawing *drawing)
{
  TpVertex *vertices = (TpVertex *) (void *) drawing->vertices->data;

  for (int is_op = 0; is_op <= 1; is_op++)
    for (guint i = 0; i < drawing->edges->len; i++)
      {
        const TpEdge *edge = &g_array_index (drawing->edges, TpEdge, i);

        if ((vertices[edge->from].first_node >= 0) == is_op)
          vertices[edge->to].level
              = MAX (vertices[edge->to].level,
                     vertices[edge->from].level + 1 + (edge->size_bytes > 0));
      }
}

int
tp_drawing_count_levels (const TpDrawing *drawing)
{
  int n = 0;

  for (guint i = 0; i < drawing->vertices->len; i++)
    n = MAX (n, g_array_index (drawing->vertices, TpVertex, i).level + 1);
  return n;
}

TpDrawing *
tp_drawing_new (const TpPlan *plan, const TpGraph *graph, int max_vertices)
{
  TpDrawing *drawing = g_new0 (TpDrawing, 1);
  g_autofree int *vertex_of_node = g_new (int, graph->n_nodes + 1);
  g_autofree int *group_of_node = tp_plan_map_groups (plan, graph);
  g_autoptr (GArray) blocks = tp_blocks_new (plan, graph, max_vertices);
  g_autoptr (GHashTable) edges
      = g_hash_table_new_full (tp_pair_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) transfers
      = g_hash_table_new_full (tp_pair_hash, g_int64_equal, g_free, NULL);
  Sketch sketch = { plan,          graph, drawing,  vertex_of_node,
                    group_of_node, edges, transfers };

  g_assert (plan->n_placements == graph->n_nodes);
  drawing->vertices = g_array_new (FALSE, FALSE, sizeof (TpVertex));
  drawing->edges = g_array_new (FALSE, FALSE, sizeof (TpEdge));
  index_transfers (&sketch);
  for (guint i = 0; i < blocks->len; i++)
    add_block (&sketch, &g_array_index (blocks, TpBlock, i));
  for (int i = 0; i < graph->n_tensors; i++)
    add_tensor (&sketch, i);
  g_array_sort (drawing->edges, edge_compare);
  find_levels (drawing);
  return drawing;
}
