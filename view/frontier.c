/* frontier.c: see frontier.h. */
#include "config.h"

#include "view/frontier.h"

#include "ir/foreign-text.h"

#define WIDTH 720
#define KEY_WIDTH 110         /* more, where there are colours */
#define KEY_LEFT 706
#define HEIGHT 480
#define LEFT 110              /* of the plot */
#define RIGHT 680
#define TOP 60
#define BOTTOM 410
#define N_MARKS 5             /* of each axis */

typedef struct
{
  const TpFrontier *frontier;
  GString *svg;
  double x0, x1, y0, y1;      /* at the ends */
  double z0, z1;
} Plot;

/* With some room beyond the outermost; about a single one as much as it is. */
static void
find_range (const double *values, int n, double *out_low, double *out_high)
{
  double low = values[0], high = values[0], room;

  for (int i = 1; i < n; i++)
    {
      low = MIN (low, values[i]);
      high = MAX (high, values[i]);
    }
  room = high > low ? (high - low) / 10 : high > 0 ? high / 10 : 1;
  *out_low = MAX (low - room, 0);
  *out_high = high + room;
}

static double
place_x (const Plot *plot, double x)
{
  return LEFT + (RIGHT - LEFT) * (x - plot->x0) / (plot->x1 - plot->x0);
}

static double
place_y (const Plot *plot, double y)
{
  return BOTTOM + (TOP - BOTTOM) * (y - plot->y0) / (plot->y1 - plot->y0);
}

/* With two digits behind its point, whatever the locale. */
static void
add_number (GString *svg, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (svg, g_ascii_formatd (text, sizeof text, "%.2f", value));
}

static void
add_text (const Plot *plot, double x, double y, const char *how,
          const char *text)
{
  g_autofree char *clean = tp_foreign_text_clean (text);
  g_autofree char *escaped = g_markup_escape_text (clean, -1);

  g_string_append (plot->svg, "<text x=\"");
  add_number (plot->svg, x);
  g_string_append (plot->svg, "\" y=\"");
  add_number (plot->svg, y);
  g_string_append_printf (plot->svg, "\" %s>%s</text>\n", how, escaped);
}

static void
add_marks (const Plot *plot)
{
  const TpFrontier *frontier = plot->frontier;

  for (int i = 0; i < N_MARKS; i++)
    {
      double part = (double) i / (N_MARKS - 1);
      double x = plot->x0 + part * (plot->x1 - plot->x0);
      double y = plot->y0 + part * (plot->y1 - plot->y0);
      g_autofree char *at_x = frontier->format_x (x);
      g_autofree char *at_y = frontier->format_y (y);

      g_string_append_printf (plot->svg, "<path class=\"grid\" d=\"M%d ",
                              LEFT);
      add_number (plot->svg, place_y (plot, y));
      g_string_append_printf (plot->svg, "H%d\"/>\n", RIGHT);
      add_text (plot, place_x (plot, x), BOTTOM + 18,
                "text-anchor=\"middle\"", at_x);
      add_text (plot, LEFT - 8, place_y (plot, y) + 4, "text-anchor=\"end\"",
                at_y);
    }
  add_text (plot, (LEFT + RIGHT) / 2.0, BOTTOM + 44, "text-anchor=\"middle\"",
            frontier->x_name);
  add_text (plot, LEFT - 60, TOP - 14, "", frontier->y_name);
}

/* From blue, of little, to red; the caller frees. */
static char *
make_colour (double part)
{
  return g_strdup_printf ("#%02x%02x%02x", (int) (30 + 170 * part), 30,
                          (int) (200 - 170 * part));
}

static char *
find_colour (const Plot *plot, int index)
{
  const TpFrontier *frontier = plot->frontier;

  if (frontier->z_name == NULL)
    return g_strdup ("#c81e1e");
  return make_colour ((frontier->z[index] - plot->z0)
                      / (plot->z1 - plot->z0));
}

/* What the colours stand for. */
static void
add_key (const Plot *plot)
{
  const TpFrontier *frontier = plot->frontier;
  int height = (BOTTOM - TOP) / N_MARKS;

  for (int i = 0; i < N_MARKS; i++)
    {
      double part = (double) i / (N_MARKS - 1);
      g_autofree char *colour = make_colour (part);
      g_autofree char *value
          = frontier->format_z (plot->z0 + part * (plot->z1 - plot->z0));
      int y = BOTTOM - (i + 1) * height;

      g_string_append_printf (
          plot->svg, "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"%d\" "
          "fill=\"%s\"/>\n", KEY_LEFT, y, height, colour);
      add_text (plot, KEY_LEFT + 24, y + height / 2.0 + 4, "", value);
    }
  add_text (plot, KEY_LEFT + 110, TOP - 14, "text-anchor=\"end\"",
            frontier->z_name);
}

/* Through @n points: @list, or, if that is NULL, all in their order. */
static void
add_line (const Plot *plot, const int *list, int n)
{
  const TpFrontier *frontier = plot->frontier;

  g_string_append (plot->svg, "<path class=\"line\" d=\"");
  for (int i = 0; i < n; i++)
    {
      int point = list == NULL ? i : list[i];

      g_string_append_c (plot->svg, i == 0 ? 'M' : 'L');
      add_number (plot->svg, place_x (plot, frontier->x[point]));
      g_string_append_c (plot->svg, ' ');
      add_number (plot->svg, place_y (plot, frontier->y[point]));
    }
  g_string_append (plot->svg, "\"/>\n");
}

/* The least that any mean of plans could be; of three things, the edges of that. */
static void
add_lines (const Plot *plot)
{
  const TpFrontier *frontier = plot->frontier;

  if (frontier->z_name == NULL)
    add_line (plot, NULL, frontier->n);
  for (int i = 0; i < frontier->n_lines; i++)
    add_line (plot, frontier->lines + 2 * i, 2);
}

static void
add_point (const Plot *plot, int index)
{
  const TpFrontier *frontier = plot->frontier;
  g_autofree char *colour = find_colour (plot, index);

  g_string_append_printf (plot->svg, "<circle r=\"%d\" fill=\"%s\" cx=\"",
                          frontier->z_name == NULL ? 4 : 6, colour);
  add_number (plot->svg, place_x (plot, frontier->x[index]));
  g_string_append (plot->svg, "\" cy=\"");
  add_number (plot->svg, place_y (plot, frontier->y[index]));
  g_string_append (plot->svg, "\"/>\n");
}

/* Those of three things lie in no line: every other number is below. */
static void
add_label (const Plot *plot, int index)
{
  const TpFrontier *frontier = plot->frontier;
  g_autofree char *colour = find_colour (plot, index);
  g_autofree char *fill = g_strdup_printf ("fill=\"%s\"", colour);
  g_autofree char *number = g_strdup_printf ("%d", index + 1);
  gboolean is_below = frontier->z_name != NULL && index % 2 == 1;

  add_text (plot, place_x (plot, frontier->x[index]) + 8,
            place_y (plot, frontier->y[index]) + (is_below ? 16 : -6), fill,
            number);
}

static void
add_points (const Plot *plot)
{
  for (int i = 0; i < plot->frontier->n; i++)
    add_point (plot, i);
  for (int i = 0; i < plot->frontier->n; i++)
    add_label (plot, i);
}

static void
begin_svg (const Plot *plot)
{
  gboolean has_key = plot->frontier->z_name != NULL;
  int width = WIDTH + (has_key ? KEY_WIDTH : 0);

  g_string_append_printf (
      plot->svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
      "width=\"%d\" height=\"%d\" font-family=\"Helvetica,Arial,sans-serif\" "
      "font-size=\"13\">\n"
      "<style>.grid { stroke: #d8dce0; } .line { fill: none; stroke: %s; "
      "stroke-dasharray: 6 3; }</style>\n"
      "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
      width, HEIGHT, width, HEIGHT, has_key ? "#a0a4a8" : "#c81e1e", width,
      HEIGHT);
  add_text (plot, LEFT - 60, 26, "font-size=\"16\"", plot->frontier->title);
}

char *
tp_view_frontier_to_svg (const TpFrontier *frontier)
{
  Plot plot = { .frontier = frontier, .svg = g_string_new (NULL) };

  begin_svg (&plot);
  find_range (frontier->x, frontier->n, &plot.x0, &plot.x1);
  find_range (frontier->y, frontier->n, &plot.y0, &plot.y1);
  if (frontier->z_name != NULL)
    find_range (frontier->z, frontier->n, &plot.z0, &plot.z1);
  add_marks (&plot);
  if (frontier->z_name != NULL)
    add_key (&plot);
  add_lines (&plot);
  add_points (&plot);
  g_string_append (plot.svg, "</svg>\n");
  return g_string_free (plot.svg, FALSE);
}
