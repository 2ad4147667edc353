/* shelves.c: offsets for buffers of one size.
 *
 * They lie on shelves, each on the lowest that is free for as long as it lives.
 * Where none before begins after an interval ends, what ends last on a shelf tells
 * whether that is free: it begins in time to be in the way unless it is over. So of
 * each shelf the last step that is taken will do, and a tree of the least of them finds
 * the lowest. With intervals by their beginnings this is the greedy colouring of an
 * interval graph; a run makes tensors in an order that is not quite that. */
#include "config.h"

#include "ir/shelves.h"

#include "ir/skyline.h"

#include <string.h>

#define FIRST_SHELVES 8

typedef struct
{
  int base;                   /* leaves, one for each shelf: a power of two */
  int *ends;                  /* [vertex]: the least of those below; of a leaf the
                               * last step that is taken, -1: none */
  int latest;                 /* step at which any begins */
  TpScratch *scratch;
} Shelves;

static void
shelves_init (Shelves *shelves, TpScratch *scratch)
{
  *shelves = (Shelves){ .base = FIRST_SHELVES, .scratch = scratch };
  shelves->ends = tp_scratch_new (scratch, int, 2 * FIRST_SHELVES);
  for (int v = 0; v < 2 * FIRST_SHELVES; v++)
    shelves->ends[v] = -1;
}

/* The upper half is free. */
static void
shelves_double (Shelves *shelves)
{
  int base = shelves->base;
  int *ends = tp_scratch_new (shelves->scratch, int, 4 * (gsize) base);

  ends[1] = -1;
  for (int low = 1; low <= base; low *= 2)
    {
      memcpy (&ends[2 * low], &shelves->ends[low], low * sizeof (int));
      for (int v = 3 * low; v < 4 * low; v++)
        ends[v] = -1;
    }
  shelves->ends = ends;
  shelves->base *= 2;
}

/* The lowest shelf that is free from @first to @last, which then it is not. */
static int
shelves_put (Shelves *shelves, int first, int last)
{
  int *ends, v = 1;

  if (shelves->ends[1] >= first)
    shelves_double (shelves);
  ends = shelves->ends;
  while (v < shelves->base)   /* no branch: nobody can tell which way it goes */
    v = 2 * v + (ends[2 * v] >= first);
  ends[v] = last;
  for (int up = v / 2; up > 0; up /= 2)
    {
      int least = MIN (ends[2 * up], ends[2 * up + 1]);

      if (ends[up] == least)
        break;
      ends[up] = least;
    }
  return v - shelves->base;
}

int
tp_shelves_fill (TpInterval *intervals, const int *sequence, int n,
                 gint64 align, TpScratch *scratch)
{
  gint64 height = tp_skyline_align_up (intervals[sequence[0]].size_bytes, align);
  Shelves shelves;
  int n_done = 0;

  if (height > G_MAXINT64 / n)
    return 0;
  shelves_init (&shelves, scratch);
  for (; n_done < n; n_done++)
    {
      TpInterval *it = &intervals[sequence[n_done]];

      if (it->last < shelves.latest || it->size_bytes > height
          || it->size_bytes <= height - align)
        break;
      shelves.latest = MAX (shelves.latest, it->first);
      it->offset = height * shelves_put (&shelves, it->first, it->last);
    }
  return n_done;
}
