/* boxes.c: boxes of lines, and links between them, through libcgraph. */
#include "config.h"

#include "view/boxes.h"

#include "include/tplan.h"
#include "ir/foreign-text.h"

#include <cgraph.h>
#include <stdio.h>
#include <string.h>

static const struct
{
  const char *fill, *line;
} looks[] = {
  { "#e3effb", "#2f6fb3" },
  { "#fdebd3", "#a85608" },
  { "#e4f4e2", "#2f7a2a" },
  { "#f1e6f7", "#7d459c" },
};
#define PLAIN_FILL "#f4f5f6"
#define PLAIN_LINE "#66717c"
#define FONT "Helvetica,Arial,sans-serif"
#define FONT_OF_COLUMNS "Courier New,Courier,monospace"

static void
set (void *object, const char *name, const char *value)
{
  agsafeset (object, (char *) name, (char *) value, (char *) "");
}

static char *
escape (const char *text)
{
  g_autofree char *clean = tp_foreign_text_clean (text);

  return g_markup_escape_text (clean, -1);
}

/* A table, for lines that stand left. */
static char *
make_label (const TpBox *box)
{
  GString *text = g_string_new ("<table border=\"0\" cellspacing=\"0\">");
  g_autofree char *title = escape (box->title);

  g_string_append_printf (text, "<tr><td align=\"left\"><b>%s</b></td></tr>",
                          title);
  for (int i = 0; box->lines[i] != NULL; i++)
    {
      g_autofree char *line = escape (box->lines[i]);

      g_string_append_printf (text, "<tr><td align=\"left\">%s</td></tr>",
                              *line == 0 ? " " : line);
    }
  g_string_append (text, "</table>");
  return g_string_free (text, FALSE);
}

static Agnode_t *
draw_box (Agraph_t *root, const TpBox *box, int index)
{
  g_autofree char *name = g_strdup_printf ("b%d", index);
  g_autofree char *label = make_label (box);
  gsize look = box->look < 0 ? 0 : (gsize) box->look % G_N_ELEMENTS (looks);
  Agnode_t *node = agnode (root, name, TRUE);
  char *html = agstrdup_html (root, label);

  agsafeset (node, (char *) "label", html, (char *) "");
  agstrfree (root, html);
  set (node, "shape", "box");
  set (node, "style", "filled");
  set (node, "fillcolor", box->look < 0 ? PLAIN_FILL : looks[look].fill);
  set (node, "color", box->look < 0 ? PLAIN_LINE : looks[look].line);
  return node;
}

/* Lines that stand left; a backslash is none of ours. */
static char *
make_link_label (const TpBoxLink *link)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; link->lines[i] != NULL; i++)
    {
      g_autofree char *clean = tp_foreign_text_clean (link->lines[i]);

      g_string_append (text, clean);
      g_string_append (text, "\n");
    }
  g_string_replace (text, "\\", "\\\\", 0);
  g_string_replace (text, "\n", "\\l", 0);
  return g_string_free (text, FALSE);
}

static void
draw_link (Agraph_t *root, Agnode_t *const *nodes, const TpBoxLink *link)
{
  g_autofree char *label = make_link_label (link);
  Agedge_t *edge
      = agedge (root, nodes[link->from], nodes[link->to], NULL, TRUE);

  set (edge, "label", label);
  set (edge, "color", PLAIN_LINE);
}

static gboolean
is_linked (const TpBoxes *boxes, int box)
{
  for (int i = 0; i < boxes->n_links; i++)
    if (boxes->links[i].from == box || boxes->links[i].to == box)
      return TRUE;
  return FALSE;
}

/* A box that nothing leads to stands beside those of links, not above the first. */
static void
hang_box (Agraph_t *root, const TpBoxes *boxes, Agnode_t *const *nodes, int i)
{
  if (!is_linked (boxes, i))
    set (agedge (root, nodes[0], nodes[i], NULL, TRUE), "style", "invis");
}

static Agraph_t *
draw (const TpBoxes *boxes)
{
  Agraph_t *root = agopen ((char *) "boxes", Agdirected, NULL);
  g_autofree Agnode_t **nodes = g_new0 (Agnode_t *, boxes->n_boxes + 1);

  agattr (root, AGNODE, (char *) "fontname", (char *) FONT);
  agattr (root, AGNODE, (char *) "fontsize", (char *) "11");
  agattr (root, AGEDGE, (char *) "fontname",
          (char *) FONT_OF_COLUMNS);
  agattr (root, AGEDGE, (char *) "fontsize", (char *) "9");
  set (root, "rankdir", "LR");
  set (root, "nodesep", "0.4");
  set (root, "ranksep", "1");
  for (int i = 0; i < boxes->n_boxes; i++)
    nodes[i] = draw_box (root, &boxes->boxes[i], i);
  for (int i = 0; i < boxes->n_links; i++)
    draw_link (root, nodes, &boxes->links[i]);
  for (int i = 1; i < boxes->n_boxes; i++)
    hang_box (root, boxes, nodes, i);
  return root;
}

char *
tp_view_boxes_to_dot (const TpBoxes *boxes, GError **error)
{
  Agraph_t *root = draw (boxes);
  char *text = NULL, *copy = NULL;
  size_t size = 0;
  FILE *file = open_memstream (&text, &size);
  gboolean is_written = file != NULL && agwrite (root, file) == 0;

  is_written = file != NULL && fclose (file) == 0 && is_written;
  agclose (root);
  if (is_written)
    copy = g_strndup (text, size);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot write the drawing: out of memory");
  free (text);
  return copy;
}
