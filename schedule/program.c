/* program.c: chooses a schedule for each nest and collects its kernels. */
#include "config.h"

#include "schedule/program.h"

#include "codegen-id.h"
#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule.h"

#include <string.h>

static gboolean
check_doubles (const TpLowered *lowered, const TpTarget *target, GError **error)
{
  for (int i = 0; i < lowered->n_nests && !target->has_float64; i++)
    if (tp_nest_has_doubles (lowered->nests[i]))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "the device has no float64: use cpu or ref");
        return FALSE;
      }
  return TRUE;
}

/* What no step reads or writes, since a family keeps it in its groups, takes no
 * memory. */
static void
drop_unused_workspaces (TpBuild *build)
{
  g_autofree gboolean *used = tp_new0 (gboolean, build->workspaces->len + 1);

  for (guint i = 0; i < build->steps->len; i++)
    {
      const TpStep *step = &tp_array_index (build->steps, TpStep, i);

      for (int k = 0; k < step->n_args; k++)
        if (step->args[k].kind == TP_ARG_WORKSPACE)
          used[step->args[k].index] = TRUE;
    }
  for (guint i = 0; i < build->workspaces->len; i++)
    if (!used[i])
      tp_array_index (build->workspaces, gint64, i) = 0;
}

/* What has been built becomes a program. */
static TpProgram *
take_build (TpBuild *build, int first_repeated)
{
  TpProgram *program = NULL;

  drop_unused_workspaces (build);
  program = g_new0 (TpProgram, 1);
  program->n_steps = build->steps->len;
  program->steps = tp_array_steal (build->steps);
  program->n_iterations = build->n_iterations;
  program->first_repeated_step = first_repeated;
  program->n_packs = build->packs->len;
  program->packs = tp_array_steal (build->packs);
  program->n_workspaces = build->workspaces->len;
  program->workspace_bytes = tp_array_steal (build->workspaces);
  program->schedule = tp_choices_to_text (build->choices);
  return program;
}

/* Were all choices given for something? */
static gboolean
check_given (const TpBuild *build, GError **error)
{
  if (build->given == NULL || build->given->len <= build->choices->len)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "schedule: %u parts, of which %u are for nothing",
               build->given->len, build->given->len - build->choices->len);
  return FALSE;
}

/* Whether what is repeated may be so within a kernel: no point of it has anything that
 * another one makes. */
static gboolean
runs_itself (const TpLowered *lowered)
{
  return lowered->first_repeated == lowered->n_nests - 1
         && tp_nest_is_apart (lowered->nests[lowered->first_repeated],
                              lowered->n_iterations);
}

static TpProgram *
build_program (TpBuild *build, GError **error)
{
  const TpLowered *lowered = build->lowered;
  int first_repeated;

  tp_schedule_range (build, 0, lowered->first_repeated);
  first_repeated = build->steps->len;
  if (runs_itself (lowered))
    build->n_own_iterations = lowered->n_iterations;
  else
    build->n_iterations = lowered->n_iterations;
  tp_schedule_range (build, lowered->first_repeated, lowered->n_nests);
  if (build->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&build->error));
      return NULL;
    }
  return check_given (build, error) ? take_build (build, first_repeated) : NULL;
}

static TpProgram *
build_as_given (const TpLowered *lowered, const TpTarget *target,
                const TpArray *given, GError **error)
{
  g_auto (TpBuild) build = { 0 };

  tp_build_init (&build, lowered, target);
  build.given = given;
  return build_program (&build, error);
}

static TpProgram *
build_rival (const TpLowered *lowered, const TpTarget *target, GError **error)
{
  g_auto (TpBuild) build = { 0 };

  tp_build_init (&build, lowered, target);
  build.is_rival = TRUE;
  return build_program (&build, error);
}

/* Whether any choice is; *@out_may: whether any might be. */
static gboolean
is_relaxed (const char *schedule, gboolean *out_may)
{
  g_autoptr (TpArray) choices = tp_schedule_parse (schedule, NULL);
  gboolean is = FALSE;

  *out_may = FALSE;
  for (guint i = 0; choices != NULL && i < choices->len; i++)
    {
      gboolean may;

      is |= tp_schedule_is_relaxed (&tp_array_index (choices, TpChoice, i),
                                    &may);
      *out_may |= may;
    }
  return is;
}

gboolean
tp_program_is_relaxed (const char *schedule)
{
  gboolean may;

  return is_relaxed (schedule, &may);
}

gboolean
tp_program_may_relax (const char *schedule)
{
  gboolean may;

  return !is_relaxed (schedule, &may) && may;
}

char *
tp_program_find_relaxed (const TpLowered *lowered, const TpTarget *target)
{
  g_auto (TpBuild) build = { 0 };
  g_autoptr (TpProgram) program = NULL;

  if (!check_doubles (lowered, target, NULL))
    return NULL;
  tp_build_init (&build, lowered, target);
  build.is_relaxed = TRUE;
  program = build_program (&build, NULL);
  if (program == NULL || !tp_program_is_relaxed (program->schedule))
    return NULL;
  return g_steal_pointer (&program->schedule);
}

char *
tp_program_find_rival (const TpLowered *lowered, const TpTarget *target)
{
  g_autoptr (TpProgram) model = tp_program_new (lowered, target, NULL, NULL);
  g_autoptr (TpProgram) rival
      = model != NULL ? build_rival (lowered, target, NULL) : NULL;

  if (rival == NULL || strcmp (rival->schedule, model->schedule) == 0)
    return NULL;
  return g_steal_pointer (&rival->schedule);
}

/* ---- candidates -------------------------------------------------------- */

#define MAX_BUILDS 3          /* the model's, its rival's, one that is relaxed */

/* What is worth measuring, as it is found. */
typedef struct
{
  TpPointers *texts;          /* char * */
  TpArray *regrets;           /* double: of each */
  int most;
} Candidates;

static void
add_candidate (const Candidates *self, const char *text, double regret)
{
  for (guint i = 0; i < self->texts->len; i++)
    if (strcmp (self->texts->pdata[i], text) == 0)
      return;
  tp_pointers_add (self->texts, g_strdup (text));
  tp_array_append_val (self->regrets, regret);
}

/* What comes of @ranked where the choices of @model are as they are before it. */
static void
add_departure (const TpBuild *model, const TpRanked *ranked,
               const Candidates *self)
{
  g_autoptr (TpArray) given = tp_array_new (sizeof (TpChoice));
  g_autoptr (TpProgram) program = NULL;

  for (int i = 0; i < model->ranked_at; i++)
    tp_array_append_val (given, tp_array_index (model->choices, TpChoice, i));
  tp_array_append_val (given, ranked->choice);
  program = build_as_given (model->lowered, model->target, given, NULL);
  if (program != NULL)
    add_candidate (self, program->schedule, ranked->regret);
}

/* Up to @most in all. */
static void
add_departures (const TpBuild *model, int most, const Candidates *self)
{
  for (guint i = 1; model->ranked != NULL && i < model->ranked->len
                    && (int) self->texts->len < most; i++)
    add_departure (model, &tp_array_index (model->ranked, TpRanked, i), self);
}

/* FALSE: it cannot be built. */
static gboolean
rank_build (TpBuild *build, const Candidates *self)
{
  g_autoptr (TpProgram) program = NULL;

  build->n_ranked_max = self->most;
  program = build_program (build, NULL);
  if (program == NULL)
    return FALSE;
  add_candidate (self, program->schedule, 0.0);
  return TRUE;
}

/* The builds that have something of their own share what may be measured; what one
 * of them leaves is the model's. */
static void
add_all (TpBuild *const *builds, int n, const Candidates *self)
{
  const TpBuild *own[MAX_BUILDS];
  int n_own = 0;

  for (int i = 0; i < n; i++)
    {
      guint before = self->texts->len;

      if (rank_build (builds[i], self) && self->texts->len > before)
        own[n_own++] = builds[i];
      else if (i == 0)
        return;
    }
  for (int i = 0; i < n_own; i++)
    add_departures (own[i], n_own + (self->most - n_own) * (i + 1) / n_own,
                    self);
  add_departures (own[0], self->most, self);
}

TpPointers *
tp_program_list_candidates (const TpLowered *lowered, const TpTarget *target,
                            int most, gboolean is_relaxed,
                            TpArray *out_regrets)
{
  g_autoptr (TpPointers) texts = tp_pointers_new (g_free);
  g_autoptr (TpArray) regrets = out_regrets != NULL
                                    ? tp_array_ref (out_regrets)
                                    : tp_array_new (sizeof (double));
  const Candidates self = { texts, regrets, most };
  g_auto (TpBuild) model = { 0 }, rival = { 0 }, relaxed = { 0 };
  TpBuild *const builds[MAX_BUILDS] = { &model, &rival, &relaxed };

  for (int i = 0; i < MAX_BUILDS; i++)
    tp_build_init (builds[i], lowered, target);
  rival.is_rival = TRUE;
  relaxed.is_relaxed = TRUE;
  if (check_doubles (lowered, target, NULL))
    add_all (builds, is_relaxed ? MAX_BUILDS : MAX_BUILDS - 1, &self);
  return g_steal_pointer (&texts);
}

static const TpForm *
count_build (TpBuild *build)
{
  g_autoptr (TpProgram) program = NULL;

  build->n_ranked_max = 1;
  build->is_counting = TRUE;
  program = build_program (build, NULL);
  if (program == NULL || build->ranked == NULL || build->ranked->len == 0)
    return NULL;
  return tp_array_index (build->ranked, TpRanked, 0).choice.form;
}

gint64
tp_program_count_choices (const TpLowered *lowered, const TpTarget *target)
{
  g_auto (TpBuild) model = { 0 }, rival = { 0 };
  const TpForm *form, *other;

  tp_build_init (&model, lowered, target);
  tp_build_init (&rival, lowered, target);
  rival.is_rival = TRUE;
  form = check_doubles (lowered, target, NULL) ? count_build (&model) : NULL;
  if (form == NULL)
    return 0;
  other = count_build (&rival);
  return model.n_choices
         + (other != NULL && other != form ? rival.n_choices : 0);
}

TpProgram *
tp_program_new (const TpLowered *lowered, const TpTarget *target,
                const char *schedule, GError **error)
{
  g_autoptr (TpArray) given = NULL;

  if (!check_doubles (lowered, target, error))
    return NULL;
  if (schedule != NULL)
    given = tp_schedule_parse (schedule, error);
  if (schedule != NULL && given == NULL)
    return NULL;
  return build_as_given (lowered, target, given, error);
}

void
tp_program_free (TpProgram *program)
{
  if (program == NULL)
    return;
  for (int i = 0; i < program->n_steps; i++)
    tp_step_clear (&program->steps[i]);
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
