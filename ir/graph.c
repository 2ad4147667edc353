/* graph.c: lifetime of graphs, and looking into nodes. */
#include "config.h"

#include "ir/graph.h"

#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/region.h"

#include <string.h>

gboolean
tp_tensor_is_row_major (const TpTensor *tensor)
{
  gint64 strides[TP_MAX_RANK];

  tp_dims_row_major (tensor->rank, tensor->dims, strides);
  for (int i = 0; i < tensor->rank; i++)
    if (tensor->dims[i] > 1 && tensor->strides[i] != strides[i])
      return FALSE;
  return TRUE;
}

TpGraph *
tp_graph_ref (TpGraph *graph)
{
  g_atomic_int_inc (&graph->ref_count);
  return graph;
}

void
tp_graph_unref (TpGraph *graph)
{
  if (!g_atomic_int_dec_and_test (&graph->ref_count))
    return;
  g_free (graph->digest);
  g_free (graph->outline);
  tp_array_unref (graph->tables[0]);
  tp_array_unref (graph->tables[1]);
  tp_region_free (graph->region); /* @graph lives in it */
}

gboolean
tp_node_is (const TpNode *node, const char *type)
{
  return node->type != NULL && strcmp (node->type, type) == 0;
}

gboolean
tp_node_is_told (const TpNode *node)
{
  return node->pins != NULL || node->n_costs > 0 || node->colocation != NULL
         || node->group != NULL;
}

const TpNodeCost *
tp_node_cost_find (const TpNodeCost *costs, int n, const char *device)
{
  for (int i = 0; i < n; i++)
    if (strcmp (costs[i].device, device) == 0)
      return &costs[i];
  return NULL;
}

const TpNodeCost *
tp_node_find_cost (const TpNode *node, const char *device)
{
  return tp_node_cost_find (node->costs, node->n_costs, device);
}

const TpGivenGroup *
tp_graph_find_group (const TpGraph *graph, const int *nodes, int n_nodes)
{
  int index = graph->group_of == NULL || n_nodes < 2
                  ? -1
                  : graph->group_of[nodes[0]];
  const TpGivenGroup *group = index < 0 ? NULL : &graph->groups[index];

  return group != NULL && group->n_nodes == n_nodes
                 && memcmp (group->nodes, nodes, n_nodes * sizeof (int)) == 0
             ? group
             : NULL;
}

const TpNodeCost *
tp_given_group_find_cost (const TpGivenGroup *group, const char *device)
{
  return tp_node_cost_find (group->figures->costs, group->figures->n_costs, device);
}

gboolean
tp_given_group_counts (const TpGivenGroup *group, const char *const *devices)
{
  for (int i = 0; devices[i] != NULL; i++)
    if (tp_given_group_find_cost (group, devices[i]) != NULL)
      return TRUE;
  return FALSE;
}

const TpAttr *
tp_node_find_attr (const TpNode *node, const char *name)
{
  for (int i = 0; i < node->n_attrs; i++)
    if (strcmp (node->attrs[i].name, name) == 0)
      return &node->attrs[i];
  return NULL;
}

gint64
tp_node_get_int (const TpNode *node, const char *name, gint64 fallback)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  return attr != NULL && attr->kind == TP_ATTR_INT ? attr->i : fallback;
}

double
tp_node_get_float (const TpNode *node, const char *name, double fallback)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  if (attr != NULL && attr->kind == TP_ATTR_INT)
    return attr->i;
  return attr != NULL && attr->kind == TP_ATTR_FLOAT ? attr->f : fallback;
}

const char *
tp_node_get_string (const TpNode *node, const char *name, const char *fallback)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  return attr != NULL && attr->kind == TP_ATTR_STRING ? attr->s : fallback;
}

const gint64 *
tp_node_get_ints (const TpNode *node, const char *name, int *out_n)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  *out_n = 0;
  if (attr == NULL || attr->kind != TP_ATTR_INTS)
    return NULL;
  *out_n = attr->n;
  return attr->ints;
}

const double *
tp_node_get_floats (const TpNode *node, const char *name, int *out_n)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  *out_n = 0;
  if (attr == NULL || attr->kind != TP_ATTR_FLOATS)
    return NULL;
  *out_n = attr->n;
  return attr->floats;
}

const char *const *
tp_node_get_strings (const TpNode *node, const char *name, int *out_n)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  *out_n = 0;
  if (attr == NULL || attr->kind != TP_ATTR_STRINGS)
    return NULL;
  *out_n = attr->n;
  return attr->strings;
}

char *
tp_graph_ask_op (const TpGraph *graph, const char *typed)
{
  g_autofree const char **known = tp_new (const char *, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    known[i] = graph->nodes[i].name;
  known[graph->n_nodes] = NULL;
  return tp_near_name_ask (typed, known);
}

int *
tp_graph_list_states (const TpGraph *graph, int *out_n)
{
  int *states = tp_new (int, graph->n_tensors + 1);

  *out_n = 0;
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state == 1 + i)
      states[(*out_n)++] = i;
  return states;
}
