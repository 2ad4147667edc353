/* program.c: chooses a schedule for each nest and collects its kernels. */
#include "config.h"

#include "schedule/program.h"

#include "codegen-id.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule.h"

/* ---- choosing ---------------------------------------------------------- */

static gboolean
is_empty (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].extent == 0 && !nest->axes[i].is_reduce)
      return TRUE;
  return FALSE;
}

void
tp_schedule_nest (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) canonical = NULL;
  gboolean is_done = FALSE;

  if (is_empty (nest))
    return;
  canonical = tp_nest_canonicalize (nest);
  if (build->target->local_size > 1)
    is_done = tp_schedule_contract_gpu (build, canonical);
  else
    is_done = tp_schedule_contract (build, canonical)
              || tp_schedule_reduce (build, canonical);
  if (!is_done)
    is_done = tp_schedule_window (build, canonical);
  g_assert (is_done);
}

static gboolean
reads_operand (const TpNest *nest, int operand)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].operand == operand)
      return TRUE;
  return FALSE;
}

/* Copies and maps that do not read what another of them writes, such as the
 * parts of a Concat. */
static gboolean
are_independent_maps (GPtrArray *nests)
{
  for (guint i = 0; i < nests->len; i++)
    {
      const TpNest *nest = nests->pdata[i];

      if (nest->n_stages > 0)
        return FALSE;
      for (guint j = 0; j < nests->len; j++)
        if (reads_operand (nests->pdata[j], nest->store.operand))
          return FALSE;
    }
  return nests->len > 1;
}

/* Nests [first, end), which run @n_iterations times. */
static void
schedule_nests (TpBuild *build, int first, int end, gint64 n_iterations)
{
  const TpLowered *lowered = build->lowered;
  g_autoptr (GPtrArray) nests
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_nest_free);

  build->n_iterations = n_iterations;
  for (int i = first; i < end; i++)
    if (!is_empty (lowered->nests[i]))
      g_ptr_array_add (nests, tp_nest_canonicalize (lowered->nests[i]));
  if (are_independent_maps (nests))
    tp_schedule_maps (build, (TpNest *const *) nests->pdata, nests->len);
  else
    for (guint i = 0; i < nests->len; i++)
      tp_schedule_nest (build, nests->pdata[i]);
}

/* Returns the first step that is repeated. */
static int
schedule_program (TpBuild *build)
{
  const TpLowered *lowered = build->lowered;
  int first_repeated;

  schedule_nests (build, 0, lowered->first_repeated, 1);
  first_repeated = build->steps->len;
  schedule_nests (build, lowered->first_repeated, lowered->n_nests,
                  lowered->n_iterations);
  return first_repeated;
}

static gboolean
check_operands (const TpLowered *lowered, GError **error)
{
  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].dtype == TP_DTYPE_FLOAT64)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "operand %d is float64: use device 'ref'", i);
        return FALSE;
      }
  return TRUE;
}

/* What has been built becomes the program's. */
static void
take_build (TpProgram *program, TpBuild *build)
{
  program->n_steps = build->steps->len;
  program->n_packs = build->packs->len;
  program->n_workspaces = build->workspaces->len;
  program->steps = g_memdup2 (build->steps->data,
                              program->n_steps * sizeof (TpStep));
  program->packs = g_memdup2 (build->packs->data,
                              program->n_packs * sizeof (TpPack));
  program->workspace_bytes = g_memdup2 (build->workspaces->data,
                                        program->n_workspaces
                                            * sizeof (gint64));
  g_array_set_clear_func (build->steps, NULL);
  g_array_set_clear_func (build->packs, NULL);
  program->schedule = g_strdup (build->text->str);
}

TpProgram *
tp_program_new (const TpLowered *lowered, const TpTarget *target,
                GError **error)
{
  TpProgram *program = NULL;
  TpBuild build;

  if (!check_operands (lowered, error))
    return NULL;
  program = g_new0 (TpProgram, 1);
  tp_build_init (&build, lowered, target);
  program->n_iterations = lowered->n_iterations;
  program->first_repeated_step = schedule_program (&build);
  take_build (program, &build);
  tp_build_clear (&build);
  return program;
}

void
tp_program_free (TpProgram *program)
{
  if (program == NULL)
    return;
  for (int i = 0; i < program->n_steps; i++)
    {
      tp_kernel_free (program->steps[i].kernel);
      g_free (program->steps[i].args);
    }
  for (int i = 0; i < program->n_packs; i++)
    tp_nest_free (program->packs[i].nest);
  g_free (program->steps);
  g_free (program->packs);
  g_free (program->workspace_bytes);
  g_free (program->schedule);
  g_free (program);
}

const char *
tp_codegen_get_id (void)
{
  return TP_CODEGEN_ID;
}
