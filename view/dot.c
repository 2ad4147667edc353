/* dot.c: a drawing as DOT text, through libcgraph.
 *
 * Devices differ in colour and in shape, so that the picture survives a
 * black-and-white printer; what crosses devices is red and says what it costs. */
#include "config.h"

#include "view/dot.h"

#include "ir/foreign-text.h"
#include "view/drawing.h"

#include <cgraph.h>
#include <stdio.h>
#include <string.h>

/* Looks of device 0, 1, ...; further ones start again. */
static const struct
{
  const char *shape, *fill, *line;
} looks[] = {
  { "box", "#e3effb", "#2f6fb3" },
  { "octagon", "#fdebd3", "#c26a11" },
  { "hexagon", "#e4f4e2", "#3c8a37" },
  { "parallelogram", "#f1e6f7", "#7d459c" },
};

#define CUT_COLOUR "#c81e1e"
#define PLAIN_COLOUR "#7a8590"
#define FONT "Helvetica"

static void
set (void *object, const char *name, const char *value)
{
  agsafeset (object, (char *) name, (char *) value, (char *) "");
}

/* Sets an attribute to HTML-like text, which Graphviz keeps apart from plain. */
static void
set_html (Agraph_t *graph, void *object, const char *name, const char *value)
{
  char *html = agstrdup_html (graph, (char *) value);

  agsafeset (object, (char *) name, html, (char *) "");
  agstrfree (graph, html);
}

static char *
format_time (gint64 time_ns)
{
  double t = time_ns;

  if (t < 1e3)
    return g_strdup_printf ("%.0f ns", t);
  if (t < 1e6)
    return g_strdup_printf ("%.*f µs", t < 1e4 ? 2 : t < 1e5 ? 1 : 0, t / 1e3);
  if (t < 1e9)
    return g_strdup_printf ("%.*f ms", t < 1e7 ? 2 : t < 1e8 ? 1 : 0, t / 1e6);
  return g_strdup_printf ("%.2f s", t / 1e9);
}

static char *
format_bytes (gint64 size_bytes)
{
  double n = size_bytes;

  if (n < 1024)
    return g_strdup_printf ("%.0f B", n);
  if (n < 1024 * 1024)
    return g_strdup_printf ("%.1f KiB", n / 1024);
  if (n < 1024.0 * 1024 * 1024)
    return g_strdup_printf ("%.1f MiB", n / 1024 / 1024);
  return g_strdup_printf ("%.2f GiB", n / 1024 / 1024 / 1024);
}

static char *
format_shape (const TpTensor *tensor)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < tensor->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? "×" : "",
                            tensor->dims[i]);
  return g_string_free (text, FALSE);
}

/* Text from a graph, cut to a length people read, safe inside HTML-like
 * labels. */
static char *
escape (const char *text)
{
  g_autofree char *valid = tp_foreign_text_clean (text);
  g_autofree char *shortened = NULL;

  if (g_utf8_strlen (valid, -1) <= 40)
    return g_markup_escape_text (valid, -1);
  shortened = g_utf8_substring (valid, 0, 39);
  g_autofree char *marked = g_strconcat (shortened, "…", NULL);
  return g_markup_escape_text (marked, -1);
}

static char *
op_label (const TpGraph *graph, const TpVertex *vertex)
{
  const TpNode *node = &graph->nodes[vertex->first_node];
  g_autofree char *name = escape (node->name);
  g_autofree char *type = escape (node->type);
  g_autofree char *time = format_time (vertex->time_ns);
  g_autofree char *shape = node->n_outputs > 0 && node->outputs[0] >= 0
                               ? format_shape (&graph->tensors[node->outputs[0]])
                               : g_strdup ("");

  if (vertex->n_nodes > 1)
    return g_strdup_printf ("<b>%d ops</b><br/><font point-size=\"9\">from %s"
                            "<br/>%s</font>",
                            vertex->n_nodes, name, time);
  return g_strdup_printf ("<b>%s</b><br/><font point-size=\"9\">%s<br/>%s%s%s"
                          "</font>",
                          type, name, shape, vertex->time_ns > 0 ? " · " : "",
                          vertex->time_ns > 0 ? time : "");
}

static char *
end_label (const TpGraph *graph, const TpVertex *vertex)
{
  const TpTensor *tensor = &graph->tensors[vertex->tensor];
  g_autofree char *name = escape (tensor->name);
  g_autofree char *shape = format_shape (tensor);

  return g_strdup_printf ("<i>%s</i><br/><font point-size=\"9\">%s</font>",
                          name, shape);
}

static Agnode_t *
draw_vertex (Agraph_t *root, Agraph_t *parent, const TpGraph *graph,
             const TpVertex *vertex, int index)
{
  gboolean is_op = vertex->first_node >= 0;
  gsize look = MAX (vertex->device, 0) % G_N_ELEMENTS (looks);
  g_autofree char *id = g_strdup_printf ("v%d", index);
  g_autofree char *label
      = is_op ? op_label (graph, vertex) : end_label (graph, vertex);
  Agnode_t *node = agnode (parent, id, TRUE);

  set_html (root, node, "label", label);
  set (node, "shape", is_op ? looks[look].shape : "plaintext");
  set (node, "style", "filled");
  set (node, "fillcolor", is_op ? looks[look].fill : "#ffffff00");
  set (node, "color", looks[look].line);
  return node;
}

/* The cluster of a fused group, made when its first member is drawn. */
static Agraph_t *
find_cluster (Agraph_t *root, int group, int device)
{
  g_autofree char *id = g_strdup_printf ("cluster_g%d", group);
  Agraph_t *cluster = agsubg (root, id, FALSE);

  if (cluster != NULL)
    return cluster;
  cluster = agsubg (root, id, TRUE);
  set (cluster, "style", "rounded,dashed");
  set (cluster, "color", looks[device % G_N_ELEMENTS (looks)].line);
  set (cluster, "label", "fused");
  set (cluster, "labeljust", "r");
  set (cluster, "fontsize", "8");
  set (cluster, "fontcolor", PLAIN_COLOUR);
  set (cluster, "margin", "6");
  return cluster;
}

static void
draw_edge (Agraph_t *root, Agnode_t *from, Agnode_t *to, const TpEdge *edge)
{
  Agedge_t *drawn = agedge (root, from, to, NULL, TRUE);
  g_autofree char *bytes = format_bytes (edge->size_bytes);
  g_autofree char *time = format_time (edge->time_ns);
  g_autofree char *label = g_strdup_printf (" %s\\n %s", bytes, time);

  set (drawn, "color", edge->is_cut ? CUT_COLOUR : PLAIN_COLOUR);
  if (!edge->is_cut)
    return;
  set (drawn, "penwidth", "2");
  if (edge->size_bytes > 0)
    set (drawn, "label", label);
  else
    set (drawn, "style", "dashed");
}

/* ---- legend -------------------------------------------------------------- */

static void
legend_row (GString *text, const char *what, const char *value)
{
  g_string_append_printf (text,
                          "<tr><td align=\"left\">%s</td>"
                          "<td align=\"right\">%s</td></tr>",
                          what, value);
}

static void
legend_time (GString *text, const char *what, gint64 time_ns)
{
  g_autofree char *value = format_time (time_ns);

  legend_row (text, what, value);
}

static void
legend_device (GString *text, const TpPlan *plan, int device)
{
  gsize look = device % G_N_ELEMENTS (looks);
  g_autofree char *name = escape (plan->devices[device]);
  g_autofree char *time = NULL;
  gint64 time_ns = 0;
  int n_ops = 0;

  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].device == device)
      {
        n_ops++;
        time_ns += plan->placements[i].time_ns;
      }
  time = format_time (time_ns);
  g_string_append_printf (
      text,
      "<tr><td align=\"left\" bgcolor=\"%s\"><font color=\"%s\"><b>%s</b> "
      "(%s)</font></td><td align=\"right\">%d ops, %s</td></tr>",
      looks[look].fill, looks[look].line, name, looks[look].shape, n_ops, time);
}

static void
legend_transfers (GString *text, const TpPlan *plan)
{
  gint64 size_bytes = 0, time_ns = 0;
  g_autofree char *bytes = NULL;
  g_autofree char *time = NULL;
  g_autofree char *value = NULL;

  for (int i = 0; i < plan->n_transfers; i++)
    {
      size_bytes += plan->transfers[i].size_bytes;
      time_ns += plan->transfers[i].time_ns;
    }
  bytes = format_bytes (size_bytes);
  time = format_time (time_ns);
  value = g_strdup_printf ("%d, %s, %s", plan->n_transfers, bytes, time);
  legend_row (text, "<font color=\"" CUT_COLOUR "\">transfers</font>", value);
}

static char *
legend_text (const TpPlan *plan)
{
  GString *text = g_string_new ("<table border=\"1\" cellborder=\"0\" "
                                "color=\"" PLAIN_COLOUR "\" cellspacing=\"1\" "
                                "cellpadding=\"3\">");
  g_autofree char *name = escape (plan->graph_name);
  g_autofree char *groups = g_strdup_printf (
      "%d", plan->groups != NULL ? plan->groups->n_groups : 0);

  g_string_append_printf (text, "<tr><td colspan=\"2\"><b>%s</b>%s</td></tr>",
                          name, plan->is_simulated ? " — simulated" : "");
  for (int i = 0; i < plan->n_devices; i++)
    legend_device (text, plan, i);
  legend_transfers (text, plan);
  legend_row (text, "fused groups", groups);
  legend_time (text, "predicted time", plan->cost_ns);
  legend_time (text, "proved lower bound", plan->bound_ns);
  if (plan->best_single >= 0)
    {
      g_autofree char *device = escape (plan->devices[plan->best_single]);
      g_autofree char *what = g_strdup_printf ("all on %s", device);

      legend_time (text, what, plan->best_single_ns);
    }
  g_string_append (text, "</table>");
  return g_string_free (text, FALSE);
}

/* ---- the whole ----------------------------------------------------------- */

static Agraph_t *
open_graph (const TpPlan *plan)
{
  Agraph_t *root = agopen ((char *) "plan", Agdirected, NULL);
  g_autofree char *legend = legend_text (plan);
  Agnode_t *node;

  agattr (root, AGNODE, (char *) "fontname", (char *) FONT);
  agattr (root, AGNODE, (char *) "fontsize", (char *) "11");
  agattr (root, AGNODE, (char *) "margin", (char *) "0.12,0.05");
  agattr (root, AGEDGE, (char *) "fontname", (char *) FONT);
  agattr (root, AGEDGE, (char *) "fontsize", (char *) "9");
  agattr (root, AGEDGE, (char *) "fontcolor", (char *) CUT_COLOUR);
  agattr (root, AGEDGE, (char *) "arrowsize", (char *) "0.7");
  agattr (root, AGRAPH, (char *) "fontname", (char *) FONT);
  set (root, "rankdir", "TB");
  set (root, "nodesep", "0.3");
  set (root, "ranksep", "0.3");
  node = agnode (root, (char *) "legend", TRUE);
  set (node, "shape", "plaintext");
  set_html (root, node, "label", legend);
  return root;
}

static void
draw (Agraph_t *root, const TpDrawing *drawing, const TpGraph *graph)
{
  const TpVertex *vertices = (const TpVertex *) drawing->vertices->data;
  const TpEdge *edges = (const TpEdge *) drawing->edges->data;
  g_autofree Agnode_t **nodes = g_new (Agnode_t *, drawing->vertices->len + 1);

  for (guint i = 0; i < drawing->vertices->len; i++)
    {
      Agraph_t *parent
          = vertices[i].group < 0
                ? root
                : find_cluster (root, vertices[i].group, vertices[i].device);

      nodes[i] = draw_vertex (root, parent, graph, &vertices[i], i);
    }
  for (guint i = 0; i < drawing->edges->len; i++)
    draw_edge (root, nodes[edges[i].from], nodes[edges[i].to], &edges[i]);
}

char *
tp_view_to_dot (const TpPlan *plan, const TpGraph *graph, int max_nodes,
                GError **error)
{
  g_autoptr (TpDrawing) drawing = tp_drawing_new (plan, graph, max_nodes);
  Agraph_t *root = open_graph (plan);
  char *text = NULL, *copy = NULL;
  size_t size = 0;
  FILE *file = open_memstream (&text, &size);
  gboolean is_written;

  draw (root, drawing, graph);
  is_written = file != NULL && agwrite (root, file) == 0;
  is_written = file != NULL && fclose (file) == 0 && is_written;
  agclose (root);
  if (is_written)
    copy = g_strndup (text, size);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot write the drawing of '%s': out of memory",
                 plan->graph_name);
  free (text);
  return copy;
}
