/* hull-case.c: see hull-case.h. */
#include "config.h"

#include "hull-case.h"

#include <stdlib.h>

__extension__ typedef __int128 Wide;

/* Below it there is nothing. */
typedef struct
{
  Wide normal[3];
  Wide value;
} Plane;

int
tp_hull_case_compare (const void *a, const void *b)
{
  const TpHullPoint *one = a, *other = b;

  for (int i = 0; i < 3; i++)
    if (one->at[i] != other->at[i])
      return one->at[i] < other->at[i] ? -1 : 1;
  return 0;
}

double
tp_hull_case_weigh (const TpHullPoint *point, const double *worth)
{
  return worth[0] * (double) point->at[0] + worth[1] * (double) point->at[1]
         + worth[2] * (double) point->at[2];
}

/* Those that no other is as good as, each once, to the front; a corner is one of them. */
static int
drop_worse (TpHullPoint *points, int n)
{
  int n_kept = 0;

  qsort (points, (gsize) n, sizeof *points, tp_hull_case_compare);
  for (int i = 0; i < n; i++)
    {
      gboolean is_worse = FALSE;

      for (int k = 0; k < n_kept && !is_worse; k++)
        is_worse = points[k].at[0] <= points[i].at[0]
                   && points[k].at[1] <= points[i].at[1]
                   && points[k].at[2] <= points[i].at[2];
      if (!is_worse)
        points[n_kept++] = points[i];
    }
  return n_kept;
}

static Wide
weigh (const Plane *plane, const TpHullPoint *point)
{
  return plane->normal[0] * point->at[0] + plane->normal[1] * point->at[1]
         + plane->normal[2] * point->at[2];
}

/* Across both ways; FALSE: that is no plane, or one that rises along an axis. */
static gboolean
set_plane (const gint64 *u, const gint64 *v, const TpHullPoint *point,
           Plane *out)
{
  int sign = 0;

  for (int i = 0; i < 3; i++)
    {
      int k = (i + 1) % 3, l = (i + 2) % 3;
      Wide part = (Wide) u[k] * v[l] - (Wide) u[l] * v[k];
      int is = (part > 0) - (part < 0);

      if (is * sign < 0)
        return FALSE;
      sign = sign == 0 ? is : sign;
      out->normal[i] = part < 0 ? -part : part;
    }
  out->value = weigh (out, point);
  return sign != 0;
}

static gboolean
is_below_all (const Plane *plane, const TpHullPoint *points, int n)
{
  for (int i = 0; i < n; i++)
    if (weigh (plane, &points[i]) < plane->value)
      return FALSE;
  return TRUE;
}

/* From point @from to another, or, from @n on, along an axis. */
static void
set_way (const TpHullPoint *points, int n, int from, int to, gint64 *out)
{
  for (int i = 0; i < 3; i++)
    out[i] = to >= n ? to - n == i : points[to].at[i] - points[from].at[i];
}

static Wide
find_volume (const Plane *a, const Plane *b, const Plane *c)
{
  Wide sum = 0;

  for (int i = 0; i < 3; i++)
    {
      int k = (i + 1) % 3, l = (i + 2) % 3;

      sum += a->normal[i]
             * (b->normal[k] * c->normal[l] - b->normal[l] * c->normal[k]);
    }
  return sum;
}

/* @planes: those with nothing below that @point is in. */
static gboolean
is_corner (const Plane *planes, int n)
{
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      for (int l = k + 1; l < n; l++)
        if (find_volume (&planes[i], &planes[k], &planes[l]) != 0)
          return TRUE;
  return FALSE;
}

/* Not the same plane twice in a row: enough to keep them few. */
static int
add_plane (Plane *planes, int n_planes, const Plane *plane)
{
  for (int i = 0; i < n_planes; i++)
    {
      const Wide *a = planes[i].normal, *b = plane->normal;

      if (a[0] * b[1] == a[1] * b[0] && a[1] * b[2] == a[2] * b[1]
          && a[0] * b[2] == a[2] * b[0])
        return n_planes;
    }
  planes[n_planes] = *plane;
  return n_planes + 1;
}

static gboolean
try_planes (const TpHullPoint *points, int n, int index)
{
  g_autofree Plane *planes
      = g_new (Plane, (gsize) (n + 3) * (gsize) (n + 3) + 1);
  int n_planes = 0;

  for (int i = 0; i < n + 3; i++)
    for (int k = i + 1; k < n + 3; k++)
      {
        gint64 u[3], v[3];
        Plane plane;

        set_way (points, n, index, i, u);
        set_way (points, n, index, k, v);
        if (set_plane (u, v, &points[index], &plane)
            && is_below_all (&plane, points, n))
          n_planes = add_plane (planes, n_planes, &plane);
      }
  return is_corner (planes, n_planes);
}

int
tp_hull_case_keep (TpHullPoint *points, int n, TpHullPoint *out)
{
  int n_kept = 0;

  n = drop_worse (points, n);
  for (int i = 0; i < n; i++)
    if (try_planes (points, n, i))
      out[n_kept++] = points[i];
  return n_kept;
}
