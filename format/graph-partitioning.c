/* graph-partitioning.c: see graph-partitioning.h.
 *
 * Nodes have times on a CPU and on an accelerator ("FPGA", of whatever kind), bytes
 * there, and a colour: nodes of one colour are on one device. Every node makes one
 * tensor, whose copy costs the same both ways: what its edges say. Times are in
 * milliseconds. */
#include "config.h"

#include "format/graph-partitioning.h"

#include "graph/graph-expand.h"
#include "ir/array.h"
#include "ir/name-hash.h"
#include "ir/pointers.h"

#include <math.h>
#include <string.h>

#define NS_PER_UNIT 1e6
#define MAX_NUMBER 0x1p60

typedef struct
{
  int from, to;
} Edge;

/* Of one node. */
typedef struct
{
  char *id;                   /* what its tensor is called */
  const char *name;           /* (nullable): the document's */
  gint64 cpu_ns, fpga_ns, size_bytes;
  gboolean is_supported, is_backward;
  char *colour;               /* (nullable) */
  gint64 copy_ns, copy_bytes; /* -1: no edge begins here */
} Node;

typedef struct
{
  const TpGraphJson *reader;
  TpArray *nodes;             /* Node */
  TpArray *edges;             /* Edge, by what they lead to */
  TpMap *ids;                 /* char* -> index + 1 */
} Graph;

static Node *
get_node (const Graph *graph, int index)
{
  return &tp_array_index (graph->nodes, Node, index);
}

static void
graph_clear (Graph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      g_free (get_node (graph, (int) i)->id);
      g_free (get_node (graph, (int) i)->colour);
    }
  tp_array_unref (graph->nodes);
  tp_array_unref (graph->edges);
  tp_map_free (graph->ids);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Graph, graph_clear)

/* ---- reading ------------------------------------------------------------ */

/* Absent: *out as it is, or an error when that is below 0. */
static gboolean
read_amount (TpJsonPlace place, const char *key, double unit, gint64 *out,
             GError **error)
{
  double value = -1;

  if (!tp_json_get_number (place, key, *out < 0, &value, error))
    return FALSE;
  if (json_object_get (place.json, key) == NULL)
    return TRUE;
  if (!(value >= 0 && value * unit <= MAX_NUMBER))
    {
      tp_json_set_error (place, key, error, "must be a number from 0 to %g",
                         MAX_NUMBER / unit);
      return FALSE;
    }
  *out = llround (value * unit);
  return TRUE;
}

/* true, false, or a number: whether it is not 0. */
static gboolean
read_truth (const json_t *json, const char *key, gboolean fallback)
{
  const json_t *value = json_object_get (json, key);

  if (value == NULL)
    return fallback;
  return json_is_number (value) ? json_number_value (value) != 0
                                : json_is_true (value);
}

static char *
dup_integer (const json_t *json, const char *key)
{
  const json_t *value = json_object_get (json, key);

  return json_is_integer (value)
             ? g_strdup_printf ("%" JSON_INTEGER_FORMAT,
                                json_integer_value (value))
             : NULL;
}

static gboolean
add_id (Graph *graph, TpJsonPlace place, int index, GError **error)
{
  const char *id = get_node (graph, index)->id;

  if (id == NULL)
    tp_json_set_error (place, "id", error, "must be an integer");
  else if (tp_map_lookup (graph->ids, id) != NULL)
    tp_json_set_error (place, "id", error,
                       "another node has the id %s: number them anew", id);
  else
    {
      tp_map_insert (graph->ids, (char *) id, GINT_TO_POINTER (index + 1));
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_node (Graph *graph, TpJsonPlace place, GError **error)
{
  Node node = { .id = dup_integer (place.json, "id"), .cpu_ns = -1,
                .copy_ns = -1 };
  int index = (int) graph->nodes->len;
  Node *it;

  tp_array_append_val (graph->nodes, node);
  it = get_node (graph, index);
  it->name = json_string_value (json_object_get (place.json, "name"));
  it->colour = dup_integer (place.json, "colorClass");
  it->is_supported = read_truth (place.json, "supportedOnFpga", TRUE);
  it->is_backward = read_truth (place.json, "isBackwardNode", FALSE);
  it->fpga_ns = it->is_supported ? -1 : 0;
  return add_id (graph, place, index, error)
         && read_amount (place, "cpuLatency", NS_PER_UNIT, &it->cpu_ns, error)
         && read_amount (place, "fpgaLatency", NS_PER_UNIT, &it->fpga_ns,
                         error)
         && read_amount (place, "size", 1, &it->size_bytes, error);
}

/* -1: no node has that id. */
static int
find_end (const Graph *graph, TpJsonPlace place, const char *key,
          GError **error)
{
  g_autofree char *id = dup_integer (place.json, key);
  int index = id == NULL
                  ? 0
                  : GPOINTER_TO_INT (tp_map_lookup (graph->ids, id));

  if (index == 0)
    tp_json_set_error (place, key, error, "must be the id of a node");
  return index - 1;
}

static gboolean
read_edge (Graph *graph, TpJsonPlace place, GError **error)
{
  Edge edge = { find_end (graph, place, "sourceId", error), 0 };
  gint64 cost_ns = -1, bytes = 0;
  Node *from;

  if (edge.from < 0)
    return FALSE;
  edge.to = find_end (graph, place, "destId", error);
  if (edge.to < 0
      || !read_amount (place, "cost", NS_PER_UNIT, &cost_ns, error)
      || !read_amount (place, "size", 1, &bytes, error))
    return FALSE;
  from = get_node (graph, edge.from);
  if (from->copy_ns >= 0 && ABS (from->copy_ns - cost_ns) > 1)
    {
      tp_json_set_error (place, "cost", error,
                         "another edge of node %s costs %.6f: of one node "
                         "all must cost the same", from->id,
                         (double) from->copy_ns / NS_PER_UNIT);
      return FALSE;
    }
  from->copy_ns = MAX (from->copy_ns, cost_ns);
  from->copy_bytes = MAX (from->copy_bytes, bytes);
  tp_array_append_val (graph->edges, edge);
  return TRUE;
}

static gboolean
read_all (Graph *graph, const json_t *root, const char *key,
          gboolean (*read) (Graph *graph, TpJsonPlace place, GError **error),
          GError **error)
{
  json_t *list, *entry;
  size_t i;

  if (!tp_json_get_list (tp_graph_json_place (graph->reader, "", root), key,
                         TRUE, &list, error))
    return FALSE;
  json_array_foreach (list, i, entry)
    {
      g_autofree char *path = g_strdup_printf ("%s[%zu]", key, i);
      TpJsonPlace place = tp_graph_json_place (graph->reader, path, entry);

      if (!json_is_object (entry))
        {
          tp_json_set_error (place, NULL, error, "must be an object");
          return FALSE;
        }
      if (!read (graph, place, error))
        return FALSE;
    }
  return TRUE;
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;

  return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                        : (x->from > y->from) - (x->from < y->from);
}

/* ---- building ----------------------------------------------------------- */

/* What a node takes on a device is there from run to run. Returns its name. */
static char *
add_size (const Graph *graph, const Node *node, GError **error)
{
  g_autofree char *name = g_strconcat (node->id, ":size", NULL);
  const TpDimSpec dims[] = { { node->size_bytes, NULL } };
  const TpTensorSpec spec = { name, TPLAN_DTYPE_UINT8, 1, dims, name };

  return tp_graph_builder_add_state (graph->reader->builder, &spec, NULL,
                                     error)
             ? g_steal_pointer (&name)
             : NULL;
}

static gboolean
add_output (const Graph *graph, const Node *node, GError **error)
{
  TpGraphBuilder *builder = graph->reader->builder;
  const TpDimSpec dims[] = { { MAX (node->copy_bytes, 1), NULL } };
  const TpTensorSpec spec
      = { node->id, TPLAN_DTYPE_UINT8, 1, dims, node->id };
  gint64 copy_ns = MAX (node->copy_ns, 0);
  const TpGivenCopy copy = { TP_GIVEN_DEVICE_FPGA, copy_ns, copy_ns, 0, 0 };

  return tp_graph_builder_declare (builder, &spec, error)
         && tp_graph_builder_give_copies (builder, node->id, &copy, 1, error)
         && (node->copy_ns >= 0
             || tp_graph_builder_add_output (builder, node->id, node->id,
                                             error));
}

/* @inputs: what it reads. */
static gboolean
add_op (const Graph *graph, const Node *node, const TpPointers *inputs,
        GError **error)
{
  const TpNodeCost costs[]
      = { { TP_GIVEN_DEVICE_CPU, node->cpu_ns, 0 },
          { TP_GIVEN_DEVICE_FPGA, node->fpga_ns, 0 } };
  g_autofree char *name = node->name == NULL || *node->name == '\0'
                              ? g_strdup (node->id)
                              : g_strconcat (node->name, ":", node->id, NULL);
  const TpNode op = { .name = name,
                      .type = node->is_backward ? "Backward" : "Forward",
                      .place = name,
                      .n_costs = node->is_supported ? 2 : 1,
                      .costs = costs,
                      .colocation = node->colour };
  const char *outputs[] = { node->id };
  const TpNodeNames names
      = { (int) inputs->len, (const char *const *) inputs->pdata, 1, outputs };

  return tp_graph_builder_add_node (graph->reader->builder, &op, names, error)
         && add_output (graph, node, error);
}

/* Of the edges from *@next on, those that lead to @index. */
static gboolean
build_node (const Graph *graph, int index, guint *next, GError **error)
{
  const Node *node = get_node (graph, index);
  g_autoptr (TpPointers) inputs = tp_pointers_new (NULL);
  g_autofree char *size = NULL;
  int last = -1;

  for (; *next < graph->edges->len; ++*next)
    {
      const Edge *edge = &tp_array_index (graph->edges, Edge, *next);

      if (edge->to != index)
        break;
      if (edge->from != last)
        tp_pointers_add (inputs, get_node (graph, edge->from)->id);
      last = edge->from;
    }
  if (node->size_bytes > 0)
    {
      size = add_size (graph, node, error);
      if (size == NULL)
        return FALSE;
      tp_pointers_add (inputs, size);
    }
  return add_op (graph, node, inputs, error);
}

gboolean
tp_graph_is_partitioning (const json_t *root)
{
  return json_object_get (root, "format") == NULL
         && json_is_array (json_object_get (root, "nodes"))
         && json_is_array (json_object_get (root, "edges"));
}

gboolean
tp_graph_json_add_partitioning (const TpGraphJson *reader, const json_t *root,
                                GError **error)
{
  g_auto (Graph) graph = {
    .reader = reader,
    .nodes = tp_array_new (sizeof (Node)),
    .edges = tp_array_new (sizeof (Edge)),
    .ids = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL),
  };
  guint next = 0;

  if (!read_all (&graph, root, "nodes", read_node, error)
      || !read_all (&graph, root, "edges", read_edge, error))
    return FALSE;
  if (graph.edges->len > 0)
    qsort (graph.edges->data, graph.edges->len, sizeof (Edge), compare_edges);
  for (int i = 0; i < (int) graph.nodes->len; i++)
    if (!build_node (&graph, i, &next, error))
      return FALSE;
  return TRUE;
}
