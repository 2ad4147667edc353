/* drawing.c: reduces a plan to vertices and edges. Linear in the graph. */
#include "config.h"

#include "view/drawing.h"

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

/* One vertex for each op, or for each run of ops of one device. */
static void
add_ops (Sketch *sketch, gboolean is_grouped)
{
  int last = -1;

  for (int i = 0; i < sketch->graph->n_nodes; i++)
    {
      const TpPlacement *placement = &sketch->plan->placements[i];
      TpVertex vertex = { i, 0, -1, placement->device,
                          is_grouped ? -1 : sketch->group_of_node[i], 0 };
      TpVertex *here;

      if (last < 0 || !is_grouped
          || g_array_index (sketch->drawing->vertices, TpVertex, last).device
                 != vertex.device)
        last = add_vertex (sketch, &vertex);
      here = &g_array_index (sketch->drawing->vertices, TpVertex, last);
      here->n_nodes++;
      here->time_ns += placement->time_ns;
      sketch->vertex_of_node[i] = last;
    }
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

/* Draws tensor @tensor from one vertex to another; its copy is charged to the
 * first edge that needs it. */
static void
add_edge (Sketch *sketch, int tensor, int from, int to)
{
  const TpVertex *vertices = (const TpVertex *) sketch->drawing->vertices->data;
  int device = vertices[to].device;
  guint64 key = pair_key (tensor, device);
  TpTransfer *transfer;
  TpEdge *edge;

  if (from == to)
    return;
  edge = find_edge (sketch, from, to);
  edge->n_tensors++;
  if (vertices[from].device == device)
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
  int host = tp_plan_get_host (sketch->plan);
  TpVertex end = { -1, 0, index, host, -1, 0 };
  int from;

  if (tensor->producer < 0 && !tensor->is_input)
    return;
  from = tensor->producer >= 0 ? sketch->vertex_of_node[tensor->producer]
                               : add_vertex (sketch, &end);
  for (int i = 0; i < tensor->n_consumers; i++)
    add_edge (sketch, index, from,
              sketch->vertex_of_node[tensor->consumers[i]]);
  if (tensor->is_output)
    add_edge (sketch, index, from, add_vertex (sketch, &end));
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

TpDrawing *
tp_drawing_new (const TpPlan *plan, const TpGraph *graph, int max_nodes)
{
  TpDrawing *drawing = g_new0 (TpDrawing, 1);
  g_autofree int *vertex_of_node = g_new (int, graph->n_nodes + 1);
  g_autofree int *group_of_node = tp_plan_map_groups (plan, graph);
  g_autoptr (GHashTable) edges
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) transfers
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Sketch sketch = { plan,          graph, drawing,  vertex_of_node,
                    group_of_node, edges, transfers };

  g_assert (plan->n_placements == graph->n_nodes);
  drawing->vertices = g_array_new (FALSE, FALSE, sizeof (TpVertex));
  drawing->edges = g_array_new (FALSE, FALSE, sizeof (TpEdge));
  index_transfers (&sketch);
  add_ops (&sketch, graph->n_nodes > max_nodes);
  for (int i = 0; i < graph->n_tensors; i++)
    add_tensor (&sketch, i);
  g_array_sort (drawing->edges, edge_compare);
  return drawing;
}
