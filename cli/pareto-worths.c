/* pareto-worths.c: see pareto-worths.h.
 *
 * A point is the least for all worths that are sums of those at the faces around it. What
 * a face says is of three things, of which only what they are to each other counts: so
 * one is 1, that of price where there is any. */
#include "config.h"

#include "cli/pareto-worths.h"

#include <string.h>

/* From plans to hours, kilowatt-hours and the unit of prices (ir/rates.h). */
#define HOURS (1.0 / TP_RATE_PARTS)
#define KWHS (1e6 / TP_RATE_PARTS)

typedef struct
{
  double of[TP_N_AIMS];       /* [TpWorthOf], then of price: 1, or 0 where the greatest of
                               * the others is */
} Worth;

typedef struct
{
  double from, to;            /* G_MAXDOUBLE: anything above */
} Range;

static Worth
get_worth (const TpParetoFace *face)
{
  Worth worth = { { face->worth[TP_AIM_TIME] * HOURS,
                    face->worth[TP_AIM_ENERGY] * KWHS,
                    face->worth[TP_AIM_PRICE] } };
  double unit = worth.of[2] > 0 ? worth.of[2] : MAX (worth.of[0], worth.of[1]);

  for (int i = 0; i < TP_N_AIMS; i++)
    worth.of[i] /= unit;
  return worth;
}

static gboolean
has_point (const TpParetoFace *face, int index)
{
  for (int i = 0; i < TP_N_AIMS; i++)
    if (face->points[i] == index)
      return TRUE;
  return FALSE;
}

/* Each once: several faces may lie in one plane. */
static void
add_worth (GArray *worths, const TpParetoFace *face)
{
  Worth worth = get_worth (face);

  for (guint i = 0; i < worths->len; i++)
    if (memcmp (&g_array_index (worths, Worth, i), &worth, sizeof worth) == 0)
      return;
  g_array_append_val (worths, worth);
}

/* At the faces around a point. */
static GArray *
list_worths (const TpPareto *pareto, int index)
{
  GArray *worths = g_array_new (FALSE, FALSE, sizeof (Worth));

  for (int i = 0; i < pareto->n_faces; i++)
    if (has_point (&pareto->faces[i], index))
      add_worth (worths, &pareto->faces[i]);
  return worths;
}

static Range
find_range (const GArray *worths, TpWorthOf of)
{
  Range range = { G_MAXDOUBLE, 0 };

  for (guint i = 0; i < worths->len; i++)
    {
      Worth worth = g_array_index (worths, Worth, i);

      if (worth.of[2] > 0)
        range.from = MIN (range.from, worth.of[of]);
      if (worth.of[2] > 0)
        range.to = MAX (range.to, worth.of[of]);
      else if (worth.of[of] > 0)
        range.to = G_MAXDOUBLE;
    }
  return range;
}

/* ---- in words and JSON ---------------------------------------------------- */

char *
tp_pareto_worths_format (const TpPareto *pareto, int index, TpWorthOf of)
{
  g_autoptr (GArray) worths = list_worths (pareto, index);
  Range range = find_range (worths, of);

  if (range.from == 0 && range.to == G_MAXDOUBLE)
    return g_strdup ("any");
  return range.to == G_MAXDOUBLE
             ? g_strdup_printf ("%.4g and more", range.from)
             : g_strdup_printf ("%.4g to %.4g", range.from, range.to);
}

static json_t *
range_to_json (const GArray *worths, TpWorthOf of)
{
  Range range = find_range (worths, of);

  return json_pack ("{s:f, s:o}", "from", range.from, "to",
                    range.to == G_MAXDOUBLE ? json_null ()
                                            : json_real (range.to));
}

json_t *
tp_pareto_worths_to_json (const TpPareto *pareto, int index)
{
  g_autoptr (GArray) worths = list_worths (pareto, index);
  json_t *list = json_array ();

  for (guint i = 0; i < worths->len; i++)
    {
      Worth worth = g_array_index (worths, Worth, i);

      json_array_append_new (list, json_pack ("[f, f, f]", worth.of[0],
                                              worth.of[1], worth.of[2]));
    }
  return json_pack ("{s:o, s:o, s:o}", "per_hour",
                    range_to_json (worths, TP_WORTH_HOUR), "per_kwh",
                    range_to_json (worths, TP_WORTH_KWH), "worths", list);
}

json_t *
tp_pareto_faces_to_json (const TpPareto *pareto)
{
  json_t *faces = json_array ();

  for (int i = 0; i < pareto->n_faces; i++)
    {
      json_t *points = json_array ();

      for (int k = 0; k < TP_N_AIMS; k++)
        if (pareto->faces[i].points[k] != TP_PARETO_NONE)
          json_array_append_new (points,
                                 json_integer (pareto->faces[i].points[k] + 1));
      if (json_array_size (points) > 1)
        json_array_append_new (faces, points);
      else
        json_decref (points);
    }
  return faces;
}
