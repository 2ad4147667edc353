/* chart.h: lines with their error bands, as SVG. */
#ifndef TP_VIEW_CHART_H
#define TP_VIEW_CHART_H

#include <glib.h>

typedef struct
{
  const char *name;
  const double *y;            /* by x; 0 or less: no point there */
  const double *low, *high;   /* (nullable) of the band, likewise */
} TpChartLine;

/* Both axes are logarithmic: times over sizes. */
typedef struct
{
  const char *title;
  const char *x_name;
  int n;
  const double *x;            /* rising, above 0 */
  int n_lines;
  const TpChartLine *lines;
  char *(*format) (gint64 y); /* what is at the marks of the y axis; g_free () */
} TpChart;

/* Text of strangers is made fit to be shown. The caller frees. */
char *tp_view_chart_to_svg (const TpChart *chart);

#endif
