/* frontier.h: points of which none is better in both ways, as SVG. */
#ifndef TP_VIEW_FRONTIER_H
#define TP_VIEW_FRONTIER_H

#include <glib.h>

/* Both axes are straight, and begin where the points do: little is what matters. A third
 * thing is in colours. */
typedef struct
{
  const char *title;
  const char *x_name, *y_name;
  int n;                      /* at least 1 */
  const double *x, *y;
  char *(*format_x) (double value); /* of marks; g_free () */
  char *(*format_y) (double value);
  const char *z_name;         /* (nullable): there is none */
  const double *z;
  char *(*format_z) (double value);
  int n_lines;                /* with it: between two points each */
  const int *lines;           /* [2 * n_lines]; without it: from each to the next */
} TpFrontier;

/* Text of strangers is made fit to be shown. The caller frees. */
char *tp_view_frontier_to_svg (const TpFrontier *frontier);

#endif
