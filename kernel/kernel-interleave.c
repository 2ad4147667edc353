/* kernel-interleave.c: see kernel-interleave.h. */
#include "config.h"

#include "kernel/kernel-interleave.h"

#include "ir/guard.h"
#include "kernel/kernel-ops.h"

#include <string.h>

/* Instructions in their new order, @n so far, and the new numbers of old ones; -1:
 * not yet in it. */
typedef struct
{
  const TpKernel *kernel;
  int *order;
  int n;
  TpValue *numbers;
} Merge;

static gboolean
is_ready (const Merge *merge, TpValue value)
{
  return value < 0 || merge->numbers[value] >= 0;
}

/* FALSE: what it takes is not there yet. */
static gboolean
take (Merge *merge, int i)
{
  const TpInstr *instr = &merge->kernel->instrs[i];

  if (!is_ready (merge, instr->a) || !is_ready (merge, instr->b)
      || !is_ready (merge, instr->c))
    return FALSE;
  merge->numbers[i] = merge->n;
  merge->order[merge->n++] = i;
  return TRUE;
}

static void
take_all (Merge *merge, int end)
{
  while (merge->n < end)
    take (merge, merge->n);
}

static gboolean
is_straight (const TpKernel *kernel, int first, int end)
{
  for (int i = first; i < end; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      if (!tp_instr_get_info (instr->op)->is_pure && !tp_instr_is_load (instr)
          && instr->op != TP_I_STORE)
        return FALSE;
    }
  return TRUE;
}

/* A chain may take values of those before it, so the first one never waits. */
static void
take_turns (Merge *merge, const int *bounds, int n)
{
  g_autofree int *at = tp_memdup (bounds, n * sizeof (int));

  while (merge->n < bounds[n])
    for (int i = 0; i < n; i++)
      if (at[i] < bounds[i + 1] && take (merge, at[i]))
        at[i]++;
}

static void
renumber (TpKernel *kernel, const Merge *merge)
{
  g_autofree TpInstr *old
      = tp_memdup (kernel->instrs, kernel->n_instrs * sizeof (TpInstr));

  for (int i = 0; i < kernel->n_instrs; i++)
    {
      TpInstr *instr = &kernel->instrs[i];
      TpValue *const parts[] = { &instr->a, &instr->b, &instr->c };

      *instr = old[merge->order[i]];
      for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
        if (*parts[k] >= 0)
          *parts[k] = merge->numbers[*parts[k]];
    }
}

void
tp_kernel_interleave (TpKernel *kernel, const int *bounds, int n)
{
  g_autofree int *order = tp_new (int, kernel->n_instrs + 1);
  g_autofree TpValue *numbers = tp_new (TpValue, kernel->n_instrs + 1);
  Merge merge = { .kernel = kernel, .order = order, .numbers = numbers };

  memset (numbers, 0xff, kernel->n_instrs * sizeof *numbers);
  for (int first = 0, last = 0; last < n; first = last += 2)
    {
      while (bounds[last + 1] >= 0)
        last++;
      take_all (&merge, bounds[first]);
      if (is_straight (kernel, bounds[first], bounds[last]))
        take_turns (&merge, &bounds[first], last - first);
    }
  take_all (&merge, kernel->n_instrs);
  renumber (kernel, &merge);
}
