/* kernel-programs.c: see kernel-programs.h. Layers of a network repeat: units that
 * compute the same, by the same schedule, are made and proved once.
 *
 * All kernels of all devices come by here, so here they are proved to stay in
 * their memory: a schedule's mistake is an error, never a wild write. */
#include "config.h"

#include "runtime/kernel-programs.h"

#include "ir/beside.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "kernel/kernel-verify.h"
#include "nest/nest-text.h"

#define MOST_BESIDE 15        /* threads beside the caller */
#define UNITS_PER_THREAD 8    /* fewer are not worth one */

void
tp_kernel_unit_clear (TpKernelUnit *unit)
{
  if (unit->same_as < 0)
    g_clear_pointer (&unit->program, tp_program_free);
  g_clear_pointer (&unit->graph, tp_graph_unref);
  g_clear_error (&unit->error);
  g_free (unit->operands);
  g_free (unit->kernels);
}

/* ---- proofs -------------------------------------------------------------- */

/* The bytes behind argument @arg of a step of @unit; whether they may be written
 * is @out_is_writable. */
static gint64
find_size (const TpKernelUnit *unit, const TpArg *arg,
           gboolean *out_is_writable)
{
  const TpOperand *operand = &unit->operands[arg->index];

  *out_is_writable = arg->kind != TP_ARG_PACKED;
  if (arg->kind == TP_ARG_WORKSPACE)
    return unit->program->workspace_bytes[arg->index];
  if (arg->kind == TP_ARG_PACKED)
    return tp_pack_get_bytes (&unit->program->packs[arg->index]);
  *out_is_writable = operand->is_output;
  return operand->n_elements * (gint64) tp_dtype_get_size (operand->dtype);
}

/* What the proof of a kernel takes for granted: the sizes of its buffers, and
 * how often it runs. */
static gboolean
check_step (const TpKernelUnit *unit, int index, GError **error)
{
  const TpStep *step = &unit->program->steps[index];
  const TpKernel *kernel = step->kernel;

  for (int i = 0; i < step->n_args; i++)
    {
      const TpKernelBuffer *buffer = &kernel->buffers[i];
      gint64 needed
          = buffer->n_elements * (gint64) tp_dtype_get_size (buffer->dtype);
      gboolean is_writable;
      gint64 given = find_size (unit, &step->args[i], &is_writable);

      if (needed <= given && (is_writable || !buffer->is_written))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "kernel '%s' %s %" G_GINT64_FORMAT " bytes of argument %d, "
                   "which has %" G_GINT64_FORMAT "%s",
                   kernel->name, buffer->is_written ? "writes" : "reads",
                   needed, i, given, is_writable ? "" : " to read");
      return FALSE;
    }
  if (index < unit->program->first_repeated_step
      || unit->program->n_iterations <= kernel->n_iterations)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "kernel '%s' runs %" G_GINT64_FORMAT " times, but is made for %"
               G_GINT64_FORMAT,
               kernel->name, unit->program->n_iterations, kernel->n_iterations);
  return FALSE;
}

static gboolean
check_program (const TpKernelUnit *unit, GError **error)
{
  for (int i = 0; i < unit->program->n_steps; i++)
    if (!check_step (unit, i, error)
        || !tp_kernel_verify (unit->program->steps[i].kernel, error))
      {
        g_prefix_error (error, "tplan made a wrong kernel, which is its bug; "
                               "pin the op to another device: ");
        return FALSE;
      }
  return TRUE;
}

/* Says which op, and what to do about a schedule made for something else. */
static void
explain_fault (const TpUnit *unit, GError **error)
{
  g_autoptr (GError) fault = NULL;
  gboolean is_misfit;

  if (error == NULL || unit->graph == NULL)
    return;
  fault = g_steal_pointer (error);
  is_misfit = unit->schedule != NULL
              && g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_set_error (error, fault->domain, fault->code, "op '%s': %s%s",
               unit->graph->nodes[unit->nodes[0]].name, fault->message,
               is_misfit ? ": the schedule is of another kernel: make the plan "
                           "again with `tplan optimize`" : "");
}

/* ---- making -------------------------------------------------------------- */

/* What all threads share. */
typedef struct
{
  const TpKernelUnits *wanted;
  TpKernelUnit *units;
  gint next;                  /* (atomic) of them */
} Job;

static void
make_program (const Job *job, int index)
{
  const TpUnit *unit = &job->wanted->units[index];
  TpKernelUnit *it = &job->units[index];

  it->program = tp_program_new (unit->lowered, job->wanted->target,
                                unit->schedule, &it->error);
  if (it->program == NULL || !check_program (it, &it->error))
    explain_fault (unit, &it->error);
}

static void
make_programs (gpointer data)
{
  Job *job = data;
  int i;

  while ((i = g_atomic_int_add (&job->next, 1)) < job->wanted->n)
    if (job->units[i].same_as < 0)
      make_program (job, i);
}

typedef struct
{
  TpBeside besides[MOST_BESIDE];
} Besides;

static void
besides_clear (Besides *all)
{
  for (int i = 0; i < MOST_BESIDE; i++)
    tp_beside_clear (&all->besides[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Besides, besides_clear)

/* The caller works, too. */
static gboolean
make_all (Job *job, int n_beside, GError **error)
{
  g_auto (Besides) all = { 0 };

  for (int i = 0; i < n_beside; i++)
    tp_beside_begin (&all.besides[i], make_programs, job, "to make kernels",
                     TRUE);
  make_programs (job);
  for (int i = 0; i < n_beside; i++)
    if (!tp_beside_end (&all.besides[i], error))
      return FALSE;
  return TRUE;
}

/* ---- units --------------------------------------------------------------- */

/* Equal for units that have equal programs. */
static char *
get_key (const TpUnit *unit)
{
  g_autofree char *text = tp_lowered_to_text (unit->lowered);

  return g_strconcat (unit->schedule != NULL ? unit->schedule : "", "\n", text,
                      NULL);
}

/* Returns how many are of a kind of their own. */
static int
fill_units (const TpKernelUnits *wanted, TpKernelUnit *units)
{
  g_autoptr (TpMap) kinds = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);

  for (int i = 0; i < wanted->n; i++)
    {
      const TpUnit *unit = &wanted->units[i];
      TpKernelUnit *it = &units[i];
      g_autofree char *key = get_key (unit);
      gpointer first;

      it->graph = unit->graph != NULL ? tp_graph_ref ((TpGraph *) unit->graph)
                                      : NULL;
      it->n_operands = unit->lowered->n_operands;
      it->same_as = -1;
      it->operands = tp_memdup (unit->lowered->operands,
                                it->n_operands * sizeof it->operands[0]);
      if (tp_map_find (kinds, key, &first))
        it->same_as = GPOINTER_TO_INT (first);
      else
        tp_map_insert (kinds, g_steal_pointer (&key), GINT_TO_POINTER (i));
    }
  return tp_map_size (kinds);
}

gboolean
tp_kernel_programs_make (const TpKernelUnits *wanted, TpKernelUnit *units,
                         GError **error)
{
  Job job = { .wanted = wanted, .units = units };
  int n_kinds = fill_units (wanted, units);
  int n_beside = MIN (wanted->n_threads, n_kinds / UNITS_PER_THREAD) - 1;

  if (!make_all (&job, CLAMP (n_beside, 0, MOST_BESIDE), error))
    return FALSE;
  for (int i = 0; i < wanted->n; i++)
    {
      if (units[i].error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&units[i].error));
          return FALSE;
        }
      if (units[i].same_as >= 0)
        units[i].program = units[units[i].same_as].program;
    }
  return TRUE;
}
