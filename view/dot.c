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
  guint32 pale, deep;         /* red, green, blue: of no time, of most of it */
} looks[] = {
  { "box", "#e3effb", "#2f6fb3", 0xf4f8fd, 0x8fbdea },
  { "octagon", "#fdebd3", "#a85608", 0xfef8ef, 0xf7b65f },
  { "hexagon", "#e4f4e2", "#2f7a2a", 0xf5fbf4, 0x93d28c },
  { "parallelogram", "#f1e6f7", "#7d459c", 0xfaf6fc, 0xcfa5e4 },
};

#define CUT_COLOUR "#c81e1e"
#define PLAIN_COLOUR "#66717c"
/* Whatever is there: the first two where they are installed. */
#define FONT "Helvetica,Arial,sans-serif"

/* A screen of 1600 x 1200, in inches; and what fits it at full size. */
#define SHEET "16.6,12.4"
#define SHEET_LEVELS 16
#define SHEET_NODES 80
#define SHEET_EDGES 140

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

/* "Conv, Relu, Add": types of one repetition, the frequent ones, in order of
 * their first. */
static char *
list_types (const TpGraph *graph, const TpVertex *vertex)
{
  int n = vertex->n_nodes / vertex->n_repeats, n_types = 0;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *text = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    {
      const char *type = graph->nodes[vertex->first_node + i].type;
      g_autofree char *escaped = NULL;

      if (!g_hash_table_add (seen, (gpointer) type) || n_types++ >= 4)
        continue;
      escaped = escape (type);
      g_string_append_printf (text, "%s%s", n_types == 1 ? "" : ", ", escaped);
    }
  if (n_types > 4)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

/* Of the whole plan, unless that is less than a hundredth. */
static char *
format_share (const TpPlan *plan, gint64 time_ns)
{
  double share
      = plan->cost_ns > 0 ? (double) time_ns / (double) plan->cost_ns : 0;

  return share < 0.01 ? g_strdup ("")
                      : g_strdup_printf (" · %.0f %%", 100 * share);
}

static char *
block_label (const TpPlan *plan, const TpGraph *graph, const TpVertex *vertex)
{
  g_autofree char *name = escape (graph->nodes[vertex->first_node].name);
  g_autofree char *time = format_time (vertex->time_ns);
  g_autofree char *share = format_share (plan, vertex->time_ns);
  g_autofree char *types = list_types (graph, vertex);
  g_autofree char *count
      = vertex->n_repeats > 1
            ? g_strdup_printf ("%d × %d ops", vertex->n_repeats,
                               vertex->n_nodes / vertex->n_repeats)
            : g_strdup_printf ("%d ops", vertex->n_nodes);

  return g_strdup_printf ("<b>%s</b>&#160;%s<br/><font point-size=\"10\">from %s · "
                          "%s%s</font>",
                          count, types, name, time, share);
}

static char *
op_label (const TpPlan *plan, const TpGraph *graph, const TpVertex *vertex)
{
  const TpNode *node = &graph->nodes[vertex->first_node];
  g_autofree char *name = escape (node->name);
  g_autofree char *type = escape (node->type);
  g_autofree char *time = format_time (vertex->time_ns);
  g_autofree char *share = format_share (plan, vertex->time_ns);
  g_autofree char *shape = node->n_outputs > 0 && node->outputs[0] >= 0
                               ? format_shape (&graph->tensors[node->outputs[0]])
                               : g_strdup ("");

  return g_strdup_printf ("<b>%s</b>&#160;%s<br/><font point-size=\"10\">%s%s%s%s"
                          "</font>",
                          type, name, shape, vertex->time_ns > 0 ? " · " : "",
                          vertex->time_ns > 0 ? time : "", share);
}

static char *
end_label (const TpGraph *graph, const TpVertex *vertex)
{
  const TpTensor *tensor = &graph->tensors[vertex->tensor];
  g_autofree char *name = escape (tensor->name);
  g_autofree char *shape = format_shape (tensor);

  return g_strdup_printf ("<i>%s</i><br/><font point-size=\"10\">%s</font>",
                          name, shape);
}

/* ---- colours ------------------------------------------------------------- */

/* Between @pale and @deep, @share of the way. */
static char *
mix (guint32 pale, guint32 deep, double share)
{
  guint32 mixed = 0;

  for (int shift = 0; shift <= 16; shift += 8)
    {
      int from = pale >> shift & 0xff, to = deep >> shift & 0xff;

      mixed |= (guint32) (from + share * (to - from) + 0.5) << shift;
    }
  return g_strdup_printf ("#%06x", mixed);
}

/* The part of the block that each device has, as a list of stripes. */
static char *
list_stripes (const TpPlan *plan, const TpVertex *vertex, double depth)
{
  GString *text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    {
      gsize look = d % G_N_ELEMENTS (looks);
      g_autofree char *colour = mix (looks[look].pale, looks[look].deep, depth);
      int n = 0;

      for (int i = 0; i < vertex->n_nodes; i++)
        n += plan->placements[vertex->first_node + i].device == d;
      if (n > 0)
        g_string_append_printf (text, "%s%s;%d.%06d", text->len ? ":" : "",
                                colour, n / vertex->n_nodes,
                                (int) (1e6 * (n % vertex->n_nodes)
                                       / vertex->n_nodes));
    }
  return g_string_free (text, FALSE);
}

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  Agraph_t *root;
  gint64 longest_ns;          /* of the vertices */
} Picture;

static void
colour_op (const Picture *self, const TpVertex *vertex, Agnode_t *node)
{
  gsize look = MAX (vertex->device, 0) % G_N_ELEMENTS (looks);
  double depth = self->longest_ns > 0
                     ? (double) vertex->time_ns / (double) self->longest_ns
                     : 0;
  g_autofree char *fill
      = vertex->is_mixed ? list_stripes (self->plan, vertex, depth)
                         : mix (looks[look].pale, looks[look].deep, depth);

  set (node, "shape", vertex->is_mixed ? "box" : looks[look].shape);
  set (node, "style", vertex->is_mixed ? "striped" : "filled");
  set (node, "fillcolor", fill);
  set (node, "color", looks[look].line);
  if (vertex->n_nodes > 1)
    set (node, "penwidth", "1.6");
}

static Agnode_t *
draw_vertex (const Picture *self, Agraph_t *parent, const TpVertex *vertex,
             int index)
{
  g_autofree char *id = g_strdup_printf ("v%d", index);
  g_autofree char *label
      = vertex->first_node < 0 ? end_label (self->graph, vertex)
        : vertex->n_nodes > 1  ? block_label (self->plan, self->graph, vertex)
                               : op_label (self->plan, self->graph, vertex);
  Agnode_t *node = agnode (parent, id, TRUE);

  set_html (self->root, node, "label", label);
  if (vertex->first_node < 0)
    set (node, "shape", "plaintext");
  else
    colour_op (self, vertex, node);
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
  set (cluster, "fontsize", "9");
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
      "<tr><td align=\"left\" bgcolor=\"%s\"><font color=\"%s\"><b>%s</b>&#160;"
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

/* What the plan is the least of, where that is not the sum of times. */
static void
legend_aim (GString *text, const TpPlan *plan)
{
  if (plan->span_proof != NULL)
    {
      legend_time (text, "when engines work at once", plan->span_proof->span_ns);
      legend_time (text, "of which the least is no less than",
                   plan->span_proof->bound_ns);
    }
  else if (plan->load_proof != NULL)
    {
      legend_time (text, "busiest engine, a run", plan->load_proof->load_ns);
      legend_time (text, "of which the least is no less than",
                   tp_load_proof_get_bound (plan->load_proof));
    }
  else if (tp_plan_get_fit_bound_ns (plan) > plan->bound_ns)
    legend_time (text, "of what fits the least is no less than",
                 tp_plan_get_fit_bound_ns (plan));
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
                          name, plan->is_simulated ? "&#160;— simulated" : "");
  for (int i = 0; i < plan->n_devices; i++)
    legend_device (text, plan, i);
  legend_transfers (text, plan);
  legend_row (text, "fused groups", groups);
  legend_row (text, "deeper colour", "more of the time");
  legend_time (text, "predicted time", plan->cost_ns);
  legend_time (text, "proved lower bound", plan->bound_ns);
  legend_aim (text, plan);
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
open_graph (const TpPlan *plan, gboolean is_fit)
{
  Agraph_t *root = agopen ((char *) "plan", Agdirected, NULL);
  g_autofree char *legend = legend_text (plan);
  Agnode_t *node;

  agattr (root, AGNODE, (char *) "fontname", (char *) FONT);
  agattr (root, AGNODE, (char *) "fontsize", (char *) "11");
  agattr (root, AGNODE, (char *) "margin", (char *) "0.12,0.05");
  agattr (root, AGEDGE, (char *) "fontname", (char *) FONT);
  agattr (root, AGEDGE, (char *) "fontsize", (char *) "10");
  agattr (root, AGEDGE, (char *) "fontcolor", (char *) CUT_COLOUR);
  agattr (root, AGEDGE, (char *) "arrowsize", (char *) "0.7");
  agattr (root, AGRAPH, (char *) "fontname", (char *) FONT);
  set (root, "rankdir", "TB");
  set (root, "nodesep", "0.25");
  set (root, "ranksep", "0.22");
  if (is_fit)
    set (root, "size", SHEET);
  node = agnode (root, (char *) "legend", TRUE);
  set (node, "shape", "plaintext");
  set_html (root, node, "label", legend);
  return root;
}

static void
draw (Picture *self, const TpDrawing *drawing)
{
  const TpVertex *vertices = (const TpVertex *) drawing->vertices->data;
  const TpEdge *edges = (const TpEdge *) drawing->edges->data;
  g_autofree Agnode_t **nodes = g_new (Agnode_t *, drawing->vertices->len + 1);

  for (guint i = 0; i < drawing->vertices->len; i++)
    self->longest_ns = MAX (self->longest_ns, vertices[i].time_ns);
  for (guint i = 0; i < drawing->vertices->len; i++)
    {
      Agraph_t *parent = vertices[i].group < 0
                             ? self->root
                             : find_cluster (self->root, vertices[i].group,
                                             vertices[i].device);

      nodes[i] = draw_vertex (self, parent, &vertices[i], i);
    }
  for (guint i = 0; i < drawing->edges->len; i++)
    draw_edge (self->root, nodes[edges[i].from], nodes[edges[i].to],
               &edges[i]);
}

/* Whether all is legible on one sheet. */
static gboolean
fits (const TpDrawing *drawing)
{
  return drawing->vertices->len <= SHEET_NODES
         && drawing->edges->len <= SHEET_EDGES
         && tp_drawing_count_levels (drawing) <= SHEET_LEVELS;
}

/* The whole graph where it fits, else in as many blocks as do. */
static TpDrawing *
make_fitting (const TpPlan *plan, const TpGraph *graph)
{
  for (int n = SHEET_NODES; ; n = n * 7 / 8)
    {
      g_autoptr (TpDrawing) drawing = tp_drawing_new (plan, graph, n);

      if (fits (drawing) || n <= 8)
        return g_steal_pointer (&drawing);
    }
}

char *
tp_view_to_dot (const TpPlan *plan, const TpGraph *graph, int max_nodes,
                GError **error)
{
  gboolean is_fit = max_nodes == TP_VIEW_FIT;
  g_autoptr (TpDrawing) drawing
      = is_fit ? make_fitting (plan, graph)
               : tp_drawing_new (plan, graph, max_nodes);
  Picture picture = { plan, graph, open_graph (plan, is_fit), 0 };
  char *text = NULL, *copy = NULL;
  size_t size = 0;
  FILE *file = open_memstream (&text, &size);
  gboolean is_written;

  draw (&picture, drawing);
  is_written = file != NULL && agwrite (picture.root, file) == 0;
  is_written = file != NULL && fclose (file) == 0 && is_written;
  agclose (picture.root);
  if (is_written)
    copy = g_strndup (text, size);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot write the drawing of '%s': out of memory",
                 plan->graph_name);
  free (text);
  return copy;
}
