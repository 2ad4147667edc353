/* chart.c: see chart.h. */
#include "config.h"

#include "view/chart.h"

#include "ir/foreign-text.h"

#include <math.h>

#define WIDTH 900
#define HEIGHT 480
#define LEFT 80               /* of the plot; the names of lines are right of it */
#define RIGHT 640
#define TOP 50
#define BOTTOM 420
#define LABEL 34              /* least between two marks of the x axis */

static const char *const colours[]
    = { "#c81e1e", "#2f6fb3", "#a85608", "#2f7a2a", "#7d459c", "#66717c" };

typedef struct
{
  const TpChart *chart;
  GString *svg;
  double x0, x1, y0, y1;      /* logarithms at the ends */
} Plot;

static double
place (double value, double from, double to, double start, double end)
{
  return start
         + (end - start) * (to > from ? (log (value) - from) / (to - from) : 0.5);
}

static double
place_x (const Plot *plot, double x)
{
  return place (x, plot->x0, plot->x1, LEFT, RIGHT);
}

static double
place_y (const Plot *plot, double y)
{
  return place (y, plot->y0, plot->y1, BOTTOM, TOP);
}

/* A number with two digits behind its point, whatever the locale. */
static void
add_number (GString *svg, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (svg, g_ascii_formatd (text, sizeof text, "%.2f", value));
}

static void
add_point (const Plot *plot, char command, double x, double y)
{
  g_string_append_c (plot->svg, command);
  add_number (plot->svg, place_x (plot, x));
  g_string_append_c (plot->svg, ' ');
  add_number (plot->svg, place_y (plot, y));
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
widen (Plot *plot, double y)
{
  if (!(y > 0) || !isfinite (y))
    return;
  plot->y0 = MIN (plot->y0, log (y));
  plot->y1 = MAX (plot->y1, log (y));
}

/* To whole powers of ten. */
static void
find_range (Plot *plot)
{
  const TpChart *chart = plot->chart;

  plot->x0 = log (chart->x[0]);
  plot->x1 = log (chart->x[chart->n - 1]);
  plot->y0 = INFINITY;
  plot->y1 = -INFINITY;
  for (int i = 0; i < chart->n_lines; i++)
    for (int k = 0; k < chart->n; k++)
      {
        const TpChartLine *line = &chart->lines[i];

        widen (plot, line->y[k]);
        if (line->low != NULL && line->y[k] > 0)
          widen (plot, line->low[k]);
        if (line->high != NULL && line->y[k] > 0)
          widen (plot, line->high[k]);
      }
  if (plot->y0 > plot->y1)
    plot->y0 = plot->y1 = 0;
  plot->y0 = floor (plot->y0 / M_LN10 + 1e-9) * M_LN10;
  plot->y1 = ceil (plot->y1 / M_LN10 - 1e-9) * M_LN10;
  if (plot->y0 >= plot->y1)
    plot->y1 = plot->y0 + M_LN10;
}

static void
add_grid (const Plot *plot)
{
  const TpChart *chart = plot->chart;
  double last = -INFINITY;

  for (double y = plot->y0; y < plot->y1 + 1e-6; y += M_LN10)
    {
      double value = exp (y);
      g_autofree char *text = chart->format ((gint64) llround (value));

      g_string_append (plot->svg, "<path class=\"grid\" d=\"");
      add_point (plot, 'M', chart->x[0], value);
      g_string_append_printf (plot->svg, "H%d\"/>\n", RIGHT);
      add_text (plot, LEFT - 8, place_y (plot, value) + 4,
                "text-anchor=\"end\"", text);
    }
  for (int i = 0; i < chart->n; i++)
    {
      double x = place_x (plot, chart->x[i]);
      g_autofree char *text = g_strdup_printf ("%.0f", chart->x[i]);

      if (x - last < LABEL)
        continue;
      last = x;
      add_text (plot, x, BOTTOM + 18, "text-anchor=\"middle\"", text);
    }
  add_text (plot, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "text-anchor=\"middle\"",
            chart->x_name);
}

/* There and back again. */
static void
add_band (const Plot *plot, const TpChartLine *line, const char *colour)
{
  char command = 'M';

  if (line->low == NULL || line->high == NULL)
    return;
  g_string_append_printf (plot->svg,
                          "<path fill=\"%s\" fill-opacity=\"0.18\" d=\"",
                          colour);
  for (int k = 0; k < plot->chart->n; k++)
    if (line->y[k] > 0 && line->low[k] > 0 && line->high[k] > 0)
      {
        add_point (plot, command, plot->chart->x[k], line->high[k]);
        command = 'L';
      }
  for (int k = plot->chart->n - 1; k >= 0 && command == 'L'; k--)
    if (line->y[k] > 0 && line->low[k] > 0 && line->high[k] > 0)
      add_point (plot, 'L', plot->chart->x[k], line->low[k]);
  g_string_append (plot->svg, command == 'L' ? "Z\"/>\n" : "\"/>\n");
}

static void
add_line (const Plot *plot, int index)
{
  const TpChartLine *line = &plot->chart->lines[index];
  const char *colour = colours[index % G_N_ELEMENTS (colours)];
  g_autofree char *how = g_strdup_printf ("fill=\"%s\"", colour);
  gboolean is_open = FALSE;

  add_band (plot, line, colour);
  g_string_append_printf (plot->svg,
                          "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                          "%sd=\"", colour,
                          index == 0 ? "" : "stroke-dasharray=\"6 3\" ");
  for (int k = 0; k < plot->chart->n; k++)
    {
      if (line->y[k] > 0)
        add_point (plot, is_open ? 'L' : 'M', plot->chart->x[k], line->y[k]);
      is_open = line->y[k] > 0;
    }
  g_string_append (plot->svg, "\"/>\n");
  add_text (plot, RIGHT + 16, TOP + 20.0 * index + 4, how, line->name);
}

char *
tp_view_chart_to_svg (const TpChart *chart)
{
  Plot plot = { .chart = chart, .svg = g_string_new (NULL) };

  g_string_append_printf (
      plot.svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
      "width=\"%d\" height=\"%d\" font-family=\"Helvetica,Arial,sans-serif\" "
      "font-size=\"13\">\n"
      "<style>.grid { stroke: #d8dce0; }</style>\n"
      "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
      WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
  add_text (&plot, LEFT, 26, "font-size=\"16\"", chart->title);
  if (chart->n > 0)
    {
      find_range (&plot);
      add_grid (&plot);
      for (int i = 0; i < chart->n_lines; i++)
        add_line (&plot, i);
    }
  g_string_append (plot.svg, "</svg>\n");
  return g_string_free (plot.svg, FALSE);
}
