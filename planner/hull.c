/* hull.c: see hull.h.
 *
 * M. Kallay, The complexity of incremental convex hull algorithms in R^d, 1984: a point
 * takes the place of all faces that it is below, and makes a new one with each edge of
 * what was there. The hull goes on without an end along each axis; those three directions
 * are points of it like others, only that they are far. So it is closed, and every face a
 * triangle.
 *
 * A point in the plane of a face is not below it. So no face has corners in a line: the
 * point would be in the planes of both faces at that edge, of which it is below one. */
#include "config.h"

#include "planner/hull.h"

#include <string.h>

#define N TP_HULL_DIMS

typedef TpHullWide Wide;

/* From the one corner of a face to the other. */
typedef struct
{
  int from, to;
} Edge;

void
tp_hull_clear (TpHull *hull)
{
  g_clear_pointer (&hull->points, tp_array_unref);
  g_clear_pointer (&hull->faces, tp_array_unref);
}

const gint64 *
tp_hull_get_point (const TpHull *hull, int index)
{
  return &tp_array_index (hull->points, gint64, (guint) index * N);
}

static TpHullFace *
get_face (const TpHull *hull, guint index)
{
  return &tp_array_index (hull->faces, TpHullFace, index);
}

/* ---- planes --------------------------------------------------------------- */

/* @high times 2^64, and @low. */
typedef struct
{
  Wide high;
  guint64 low;
} Sum;

/* @weight: at least 0. */
static void
add_product (Sum *sum, Wide weight, gint64 by)
{
  Wide low = (Wide) (guint64) weight * by + sum->low;

  sum->low = (guint64) low;
  sum->high += (weight >> 64) * by + (low >> 64);
}

static int
find_near (const TpHullFace *face)
{
  for (int i = 0; i < N; i++)
    if (face->corners[i] >= 0)
      return i;
  return -1;
}

static gboolean
is_below (const TpHull *hull, const gint64 *at, const TpHullFace *face)
{
  int near = find_near (face);
  const gint64 *corner;
  Sum sum = { 0, 0 };

  if (near < 0)
    return FALSE;
  corner = tp_hull_get_point (hull, face->corners[near]);
  for (int i = 0; i < N; i++)
    add_product (&sum, face->normal[i], at[i] - corner[i]);
  return sum.high < 0;
}

/* From point @from to @corner, or in its direction. */
static void
find_way (const TpHull *hull, int from, int corner, gint64 *out)
{
  const gint64 *start = tp_hull_get_point (hull, from);

  for (int i = 0; i < N; i++)
    out[i] = corner >= 0 ? tp_hull_get_point (hull, corner)[i] - start[i]
                         : corner == TP_HULL_FAR (i);
}

static Wide
find_common_divisor (Wide a, Wide b)
{
  while (b != 0)
    {
      Wide rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

static void
set_normal (const TpHull *hull, TpHullFace *face)
{
  int near = find_near (face), corner = face->corners[MAX (near, 0)];
  gint64 u[N], v[N];
  Wide common = 0;

  if (near < 0)
    return;
  find_way (hull, corner, face->corners[(near + 1) % N], u);
  find_way (hull, corner, face->corners[(near + 2) % N], v);
  for (int i = 0; i < N; i++)
    {
      int k = (i + 1) % N, l = (i + 2) % N;

      face->normal[i] = (Wide) u[k] * v[l] - (Wide) u[l] * v[k];
      common = find_common_divisor (common, face->normal[i]);
    }
  for (int i = 0; i < N; i++)
    face->normal[i] /= common;
}

gboolean
tp_hull_is_parallel (const TpHullWide *normal, const TpHullWide *other)
{
  for (int i = 0; i < N; i++)
    if (normal[i] != other[i])
      return FALSE;
  return TRUE;
}

/* ---- faces ---------------------------------------------------------------- */

static void
add_face (TpHull *hull, int a, int b, int c)
{
  TpHullFace face = { .corners = { a, b, c } };

  set_normal (hull, &face);
  tp_array_append_vals (hull->faces, &face, 1);
}

void
tp_hull_init (TpHull *hull, const gint64 *first)
{
  hull->points = tp_array_new (sizeof (gint64));
  hull->faces = tp_array_new (sizeof (TpHullFace));
  tp_array_append_vals (hull->points, first, N);
  for (int i = 0; i < N; i++)
    add_face (hull, 0, TP_HULL_FAR ((i + 1) % N), TP_HULL_FAR ((i + 2) % N));
  add_face (hull, TP_HULL_FAR (2), TP_HULL_FAR (1), TP_HULL_FAR (0));
}

/* Takes away the faces that @at is below, and returns their edges. */
static TpArray *
open_up (TpHull *hull, const gint64 *at)
{
  g_autoptr (TpArray) edges = tp_array_new (sizeof (Edge));
  guint n_kept = 0;

  for (guint i = 0; i < hull->faces->len; i++)
    {
      const TpHullFace *face = get_face (hull, i);

      if (!is_below (hull, at, face))
        {
          *get_face (hull, n_kept++) = *face;
          continue;
        }
      for (int k = 0; k < N; k++)
        {
          Edge edge = { face->corners[k], face->corners[(k + 1) % N] };

          tp_array_append_vals (edges, &edge, 1);
        }
    }
  tp_array_set_size (hull->faces, n_kept);
  return g_steal_pointer (&edges);
}

/* Whether both faces that meet there were taken away. */
static gboolean
is_inside (const TpArray *edges, Edge edge)
{
  for (guint i = 0; i < edges->len; i++)
    {
      Edge other = tp_array_index (edges, Edge, i);

      if (other.from == edge.to && other.to == edge.from)
        return TRUE;
    }
  return FALSE;
}

gboolean
tp_hull_add (TpHull *hull, const gint64 *at)
{
  g_autoptr (TpArray) edges = open_up (hull, at);
  int index = (int) (hull->points->len / N);

  if (edges->len == 0)
    return FALSE;
  tp_array_append_vals (hull->points, at, N);
  for (guint i = 0; i < edges->len; i++)
    {
      Edge edge = tp_array_index (edges, Edge, i);

      if (!is_inside (edges, edge))
        add_face (hull, edge.from, edge.to, index);
    }
  return TRUE;
}

/* ---- corners -------------------------------------------------------------- */

static gboolean
has_corner (const TpHullFace *face, int index)
{
  for (int i = 0; i < N; i++)
    if (face->corners[i] == index)
      return TRUE;
  return FALSE;
}

/* Three planes meet in a corner; one or two do in others. */
gboolean
tp_hull_is_corner (const TpHull *hull, int index)
{
  const TpHullFace *met[N];
  int n = 0;

  for (guint i = 0; i < hull->faces->len && n < N; i++)
    {
      const TpHullFace *face = get_face (hull, i);
      gboolean is_new = has_corner (face, index);

      for (int k = 0; k < n; k++)
        is_new = is_new && !tp_hull_is_parallel (face->normal, met[k]->normal);
      if (is_new)
        met[n++] = face;
    }
  return n == N;
}
