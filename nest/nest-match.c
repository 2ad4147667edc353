/* nest-match.c: matches the strides of two nests.
 *
 * Two nests meet at one operand: the host's access and the guest's. As the
 * guest's access reaches every element once, the guest's axes are digits of a
 * mixed radix number, the element's index; each axis of the host is then
 * a multiple of one digit, and all accesses of the guest can be rewritten over
 * the axes of the host. */
#include "config.h"

#include "nest/nest-match.h"

#include <string.h>

/* ---- matching ---------------------------------------------------------- */

void
tp_match_init (TpMatch *match, const TpNest *host, const TpAccess *host_access,
            const TpNest *guest, const TpAccess *guest_access)
{
  memset (match, 0, sizeof *match);
  match->host = host;
  match->guest = guest;
  memcpy (match->stride, host_access->stride, sizeof match->stride);
  match->offset = host_access->offset - guest_access->offset;
  match->access = guest_access;
}

/* Axes of the guest that still want a digit, by falling stride. FALSE when some
 * element is reached twice. */
static gboolean
match_sort_axes (const TpMatch *match, int *order, int *out_n)
{
  const gint64 *stride = match->access->stride;
  gint64 reach = 0;
  int n = 0;

  for (int i = 0; i < match->guest->n_axes; i++)
    {
      int k = n;

      if (match->guest->axes[i].extent == 1 || match->is_done[i])
        continue;
      for (; k > 0 && stride[order[k - 1]] < stride[i]; k--)
        order[k] = order[k - 1];
      order[k] = i;
      n++;
    }
  for (int k = n - 1; k >= 0; k--)
    {
      gint64 last = 0;

      if (stride[order[k]] <= reach
          || !tp_size_mul (stride[order[k]],
                           match->guest->axes[order[k]].extent - 1, &last)
          || !tp_size_add (reach, last, &reach))
        return FALSE;
    }
  *out_n = n;
  return TRUE;
}

/* Gives each axis of the host to the digit with the largest stride within its
 * own. @low: how far the index goes below the offset. */
static gboolean
match_strides (TpMatch *match, const int *order, int n, gint64 *out_low)
{
  for (int i = 0; i < match->host->n_axes; i++)
    {
      gint64 stride = match->stride[i];
      int k = 0;

      if (stride == 0 || match->host->axes[i].extent == 1)
        continue;
      while (k < n && match->access->stride[order[k]] > ABS (stride))
        k++;
      if (k == n || stride % match->access->stride[order[k]] != 0)
        return FALSE;
      match->digits[order[k]].coef[i] =
          stride / match->access->stride[order[k]];
      if (stride < 0)
        *out_low += stride * (match->host->axes[i].extent - 1);
    }
  return TRUE;
}

/* The lowest value of a digit, read off the lowest index, and its offset. */
static gboolean
match_offset (TpMatch *match, int axis, gint64 *index)
{
  TpDigit *digit = &match->digits[axis];
  gint64 stride = match->access->stride[axis];
  __int128 high = *index / stride;

  digit->offset = *index / stride;
  *index %= stride;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      gint64 last = match->host->axes[i].extent - 1;

      high += (__int128)ABS (digit->coef[i]) * last;
      if (digit->coef[i] < 0)
        digit->offset -= digit->coef[i] * last;
    }
  return high < match->guest->axes[axis].extent;
}

gboolean
tp_match_solve (TpMatch *match)
{
  int order[TP_NEST_MAX_AXES];
  int n = 0;
  gint64 low = 0;

  if (!match_sort_axes (match, order, &n)
      || !match_strides (match, order, n, &low))
    return FALSE;
  low += match->offset;
  if (low < 0)
    return FALSE;
  for (int k = 0; k < n; k++)
    if (!match_offset (match, order[k], &low))
      return FALSE;
  return low == 0;
}

/* A guard of the host that is a digit of the guest: 0 <= digit < extent. */
static gboolean
match_is_guard (const TpMatch *match, const TpGuard *guard, int axis)
{
  gboolean is_used = FALSE;

  if (match->is_done[axis] || guard->extent != match->guest->axes[axis].extent)
    return FALSE;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      if (guard->coef[i] == 0)
        continue;
      is_used = TRUE;
      if (match->stride[i] != guard->coef[i] * match->access->stride[axis])
        return FALSE;
    }
  return is_used;
}

gboolean
tp_match_guard (TpMatch *match, const TpGuard *guard, int *out_axis)
{
  int axis = 0;

  while (axis < match->guest->n_axes && !match_is_guard (match, guard, axis))
    axis++;
  if (axis == match->guest->n_axes)
    return FALSE;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      match->digits[axis].coef[i] = guard->coef[i];
      match->stride[i] -= guard->coef[i] * match->access->stride[axis];
    }
  match->digits[axis].offset = guard->offset;
  match->offset -= guard->offset * match->access->stride[axis];
  match->is_done[axis] = TRUE;
  *out_axis = axis;
  return TRUE;
}

/* ---- rewriting --------------------------------------------------------- */

static gint64
rewrite_affine (const TpMatch *match, const gint64 *stride, gint64 offset,
               gint64 *out_stride)
{
  memset (out_stride, 0, sizeof (gint64) * TP_NEST_MAX_AXES);
  for (int i = 0; i < match->guest->n_axes; i++)
    {
      const TpDigit *digit = &match->digits[i];

      if (stride[i] == 0)
        continue;
      offset += stride[i] * digit->offset;
      for (int k = 0; k < match->host->n_axes; k++)
        out_stride[k] += stride[i] * digit->coef[k];
    }
  return offset;
}

TpAccess
tp_match_rewrite (const TpMatch *match, const TpAccess *access)
{
  TpAccess out = *access;

  out.offset =
      rewrite_affine (match, access->stride, access->offset, out.stride);
  for (int i = 0; i < access->n_guards; i++)
    out.guards[i].offset =
        rewrite_affine (match, access->guards[i].coef, access->guards[i].offset,
                       out.guards[i].coef);
  return out;
}
