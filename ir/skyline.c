/* skyline.c: how far up all is taken at each step, and how far anything.
 *
 * A segment tree over the steps. What holds of all steps below a vertex is kept
 * there and not handed down, so whoever asks looks at the vertices above too.
 *
 * What is added raises the floors of steps where the gap below it would hold
 * nothing to come. These lie anywhere, as floors differ; they are looked for among
 * some hundreds of vertices at most. A floor that stays too low is still true. */
#include "config.h"

#include "ir/skyline.h"

#define MAX_VISITS 512        /* for one raise */

struct TpSkylineVertex
{
  gint64 floor, top;          /* of all steps below, at least */
  gint64 least, most;         /* of floors below, that one among them */
  gint64 highest;             /* of tops */
};

typedef struct
{
  TpSkyline *skyline;
  TpSteps steps;
  gint64 from, to;            /* floors of from or more become to or more */
  int n_visits;
} Raise;

gint64
tp_skyline_align_up (gint64 value, gint64 align)
{
  gint64 rest = value % align, up;

  if (rest == 0)
    return value;
  return __builtin_add_overflow (value, align - rest, &up) ? G_MAXINT64 : up;
}

void
tp_skyline_init (TpSkyline *skyline, int n_steps, gint64 align,
                 gint64 least_bytes, TpScratch *scratch)
{
  *skyline = (TpSkyline){ .base = 1, .align = align,
                          .least_bytes = least_bytes };
  while (skyline->base < n_steps)
    skyline->base *= 2;
  skyline->vertices = tp_scratch_new0 (scratch, TpSkylineVertex,
                                       2 * (gsize) skyline->base);
}

static void
lift_top (TpSkylineVertex *vertex, gint64 top)
{
  vertex->top = MAX (vertex->top, top);
  vertex->highest = MAX (vertex->highest, top);
}

static void
lift_tops (TpSkyline *skyline, TpSteps steps, gint64 top)
{
  TpSkylineVertex *all = skyline->vertices;
  int first = steps.first + skyline->base, last = steps.last + skyline->base;

  for (int low = first, high = last + 1; low < high; low /= 2, high /= 2)
    {
      if (low & 1)
        lift_top (&all[low++], top);
      if (high & 1)
        lift_top (&all[--high], top);
    }
  for (int v = first; v > 0; v /= 2)
    all[v].highest = MAX (all[v].highest, top);
  for (int v = last; v > 0; v /= 2)
    all[v].highest = MAX (all[v].highest, top);
}

/* Raises floors below @vertex, of steps @low to @high; those above have @above. */
static void
raise_floors (Raise *raise, int vertex, TpSteps below, gint64 above)
{
  TpSkylineVertex *all = raise->skyline->vertices, *it = &all[vertex];
  int middle = below.first + (below.last - below.first) / 2;
  gint64 least = MAX (it->least, above), most = MAX (it->most, above);

  if (below.first > raise->steps.last || below.last < raise->steps.first
      || most < raise->from || least >= raise->to
      || raise->n_visits++ == MAX_VISITS)
    return;
  if (below.first >= raise->steps.first && below.last <= raise->steps.last
      && least >= raise->from)
    {
      it->floor = MAX (it->floor, raise->to);
      it->least = MAX (it->least, raise->to);
      it->most = MAX (it->most, raise->to);
      return;
    }
  above = MAX (above, it->floor);
  raise_floors (raise, 2 * vertex, (TpSteps){ below.first, middle }, above);
  raise_floors (raise, 2 * vertex + 1, (TpSteps){ middle + 1, below.last },
                above);
  it->least = MAX (it->floor,
                   MIN (all[2 * vertex].least, all[2 * vertex + 1].least));
  it->most = MAX (it->floor,
                  MAX (all[2 * vertex].most, all[2 * vertex + 1].most));
}

void
tp_skyline_add (TpSkyline *skyline, TpSteps steps, gint64 offset, gint64 end)
{
  gint64 to = tp_skyline_align_up (end, skyline->align);
  Raise raise = { .skyline = skyline, .steps = steps,
                  .from = offset - skyline->least_bytes + 1, .to = to };

  lift_tops (skyline, steps, to);
  raise_floors (&raise, 1, (TpSteps){ 0, skyline->base - 1 }, 0);
}

static void
see (TpHeights *heights, gint64 floor, gint64 top)
{
  heights->floor = MAX (heights->floor, floor);
  heights->top = MAX (heights->top, top);
}

TpHeights
tp_skyline_get (const TpSkyline *skyline, TpSteps steps)
{
  const TpSkylineVertex *all = skyline->vertices;
  int first = steps.first + skyline->base, last = steps.last + skyline->base;
  TpHeights heights = { 0, 0 };

  for (int low = first, high = last + 1; low < high; low /= 2, high /= 2)
    {
      if (low & 1)
        {
          see (&heights, all[low].most, all[low].highest);
          low++;
        }
      if (high & 1)
        {
          high--;
          see (&heights, all[high].most, all[high].highest);
        }
    }
  for (int v = first; v > 0; v /= 2)
    see (&heights, all[v].floor, all[v].top);
  for (int v = last; v > 0; v /= 2)
    see (&heights, all[v].floor, all[v].top);
  return heights;
}
