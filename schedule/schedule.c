/* schedule.c: the table of families. Each is asked what the nests are to it, and
 * the first one that has an answer and a choice takes them. */
#include "config.h"

#include "schedule/schedule.h"

#include "schedule/nest-canon.h"
#include "schedule/nest-real.h"
#include "schedule/real-parts.h"

#define N_LAST 3 /* nests that a family may take behind others: rows wants as many */

/* One row each, in the order they are asked. */
#define FAMILIES(ROW) \
  ROW (place_groups)  \
  ROW (place)         \
  ROW (maps)          \
  ROW (rows)          \
  ROW (rows_tiles)    \
  ROW (unpack)        \
  ROW (unpack_tiles)  \
  ROW (parts)         \
  ROW (panels)        \
  ROW (winograd)      \
  ROW (contract)      \
  ROW (sweep)         \
  ROW (winograd_tiles) \
  ROW (contract_waves) \
  ROW (contract_tiles) \
  ROW (turn)          \
  ROW (transpose)     \
  ROW (reduce)        \
  ROW (window_items)  \
  ROW (reduce_groups) \
  ROW (reduce_items)  \
  ROW (plane)         \
  ROW (window)        \
  ROW (items)

#define DECLARE(name) extern const TpFamily tp_schedule_##name;
FAMILIES (DECLARE)

#define ADDRESS(name) &tp_schedule_##name,
static const TpFamily *const schedules[] = { FAMILIES (ADDRESS) };

#define FORM(name) &tp_schedule_##name.form,
static const TpForm *const forms[] = { FAMILIES (FORM) NULL };

const TpFamily *const *
tp_schedule_list (int *out_n)
{
  *out_n = G_N_ELEMENTS (schedules);
  return schedules;
}

TpArray *
tp_schedule_parse (const char *text, GError **error)
{
  return tp_choices_parse (text, forms, error);
}

/* ---- picking ----------------------------------------------------------- */

/* Who computes some nests, and how. */
typedef struct
{
  const TpFamily *family;
  gpointer analysis;          /* (owned) of the family */
  TpChoice choice;
} Pick;

static void
pick_clear (Pick *pick)
{
  if (pick->analysis != NULL)
    pick->family->free (g_steal_pointer (&pick->analysis));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pick, pick_clear)

static gboolean
is_last_resort (const TpBuild *build, const TpFamily *family,
                gconstpointer analysis)
{
  gboolean is_last
      = family->is_last_resort != NULL && family->is_last_resort (analysis);
  gboolean is_close = family->is_close != NULL && family->is_close (analysis);

  return build->is_rival && is_close ? !is_last : is_last;
}

/* The choice of the model, if @family takes the nests with @is_last. */
static gboolean
try_family (Pick *pick, const TpBuild *build, TpNest *const *nests, int n,
            gboolean is_last)
{
  pick->analysis = pick->family->is_for (build->target)
                       ? tp_family_analyze (pick->family, build, nests, n)
                       : NULL;
  if (pick->analysis == NULL)
    return FALSE;
  if (is_last_resort (build, pick->family, pick->analysis) == is_last
      && tp_family_choose (pick->family, pick->analysis, &pick->choice))
    return TRUE;
  pick_clear (pick);
  return FALSE;
}

static gboolean
pick_by_model (Pick *pick, const TpBuild *build, TpNest *const *nests, int n)
{
  for (int is_last = FALSE; is_last <= TRUE; is_last++)
    for (guint i = 0; i < G_N_ELEMENTS (schedules); i++)
      {
        pick->family = schedules[i];
        if (try_family (pick, build, nests, n, is_last))
          return TRUE;
      }
  return FALSE;
}

/* ---- choices that are given -------------------------------------------- */

static void
set_fault (TpBuild *build, const TpChoice *choice, const char *fault)
{
  g_autoptr (GString) text = g_string_new (NULL);

  tp_choice_append_text (choice, text);
  g_set_error (&build->error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "schedule '%s' does not fit: %s", text->str, fault);
}

static const TpFamily *
find_family (const TpForm *form)
{
  for (guint i = 0; i < G_N_ELEMENTS (schedules); i++)
    if (&schedules[i]->form == form)
      return schedules[i];
  return NULL;
}

gboolean
tp_schedule_is_relaxed (const TpChoice *choice, gboolean *out_may)
{
  const TpFamily *family = find_family (choice->form);

  *out_may = family->is_relaxed != NULL;
  return *out_may && family->is_relaxed (choice);
}

/* Why @pick's choice is none for @nests together; NULL: it is. */
static const char *
analyze_given (Pick *pick, const TpBuild *build, TpNest *const *nests, int n)
{
  if (!pick->family->is_for (build->target))
    return "the device wants another family";
  pick->analysis = tp_family_analyze (pick->family, build, nests, n);
  if (pick->analysis == NULL)
    return "this computation is none for it";
  return pick->family->find_fault (pick->analysis, &pick->choice);
}

/* The next choice given. FALSE: it is not for all of @nests together, or has a
 * fault. */
static gboolean
pick_given (Pick *pick, TpBuild *build, TpNest *const *nests, int n)
{
  const char *fault = NULL;

  pick->choice
      = tp_array_index (build->given, TpChoice, build->choices->len);
  pick->family = find_family (pick->choice.form);
  fault = analyze_given (pick, build, nests, n);
  if (fault == NULL)
    return TRUE;
  if (n == 1 || pick->analysis != NULL)
    set_fault (build, &pick->choice, fault);
  return FALSE;
}

/* ---- nests ------------------------------------------------------------- */

/* Points of all @nests, times what is added up for each: enough to tell what is most
 * work. */
static gint64
count_work (TpNest *const *nests, int n)
{
  gint64 work = 0;

  for (int i = 0; i < n; i++)
    {
      gint64 points = 1;

      for (int k = 0; k < nests[i]->n_axes; k++)
        points = MIN (points, G_MAXINT32) * MIN (nests[i]->axes[k].extent,
                                                G_MAXINT32);
      work += MIN (points, G_MAXINT64 / 4 / n);
    }
  return work;
}

/* What else might be made of @nests, if they are the most work so far. */
static void
rank_choices (TpBuild *build, const Pick *pick, TpNest *const *nests, int n)
{
  gint64 work = count_work (nests, n);

  if (build->ranked != NULL && work <= build->ranked_work)
    return;
  if (build->ranked != NULL)
    tp_array_unref (build->ranked);
  build->ranked_work = work;
  build->ranked_at = build->choices->len;
  build->ranked = tp_family_rank (pick->family, pick->analysis,
                                  build->n_ranked_max);
  if (build->is_counting)
    build->n_choices = tp_family_count (pick->family, pick->analysis);
}

/* FALSE: no family takes all of @nests, or there is an error. */
static gboolean
schedule_together (TpBuild *build, TpNest *const *nests, int n)
{
  g_auto (Pick) pick = { NULL };
  gboolean is_picked = tp_build_is_given (build)
                           ? pick_given (&pick, build, nests, n)
                           : pick_by_model (&pick, build, nests, n);

  if (!is_picked)
    return FALSE;
  if (build->n_ranked_max > 0)
    rank_choices (build, &pick, nests, n);
  tp_array_append_val (build->choices, pick.choice);
  pick.family->emit (build, pick.analysis, &pick.choice);
  return TRUE;
}

/* All together, or the last ones: a program may make first what these share. */
static void
schedule_nests (TpBuild *build, TpNest *const *nests, int n)
{
  for (int i = 0; i < n && build->error == NULL; i++)
    {
      gboolean may_join = i == 0 || n - i == N_LAST;

      if (may_join && n - i > 1 && schedule_together (build, nests + i, n - i))
        return;
      if (build->error == NULL && !schedule_together (build, &nests[i], 1))
        g_assert (build->error != NULL); /* some family takes any nest */
    }
}

static gboolean
is_empty (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].extent == 0 && !nest->axes[i].is_reduce)
      return TRUE;
  return FALSE;
}

/* Whether there are dot products of bytes for @nest, whose sums need be no reals. */
static gboolean
has_dots (const TpBuild *build, TpNest *nest)
{
  const TpFamily *family = &tp_schedule_contract;
  gpointer analysis = family->is_for (build->target)
                          ? family->analyze (build, &nest, 1)
                          : NULL;

  if (analysis == NULL)
    return FALSE;
  family->free (analysis);
  return TRUE;
}

/* Sums of integers become such of reals where they are small, or their parts are. */
static void
take_canonical (TpBuild *build, TpLowered *out, const TpNest *nest)
{
  g_autoptr (TpNest) canonical = tp_nest_canonicalize (nest);
  g_autoptr (TpNest) real = NULL, part = NULL, sum = NULL;

  if (tp_real_parts_is_one (build, canonical))
    canonical->stages[0].is_small = TRUE;
  if (!has_dots (build, canonical))
    real = tp_nest_make_real (canonical);
  if (real == NULL && tp_real_parts_cut (build, canonical, &part, &sum))
    {
      tp_lowered_take_nest (out, tp_nest_canonicalize (part));
      tp_lowered_take_nest (out, tp_nest_canonicalize (sum));
      return;
    }
  tp_lowered_take_nest (out, real != NULL ? tp_nest_canonicalize (real)
                                          : g_steal_pointer (&canonical));
}

static void
schedule_several (TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpLowered) canonical = tp_lowered_new ();

  for (int i = 0; i < n; i++)
    if (!is_empty (nests[i]))
      take_canonical (build, canonical, nests[i]);
  schedule_nests (build, canonical->nests, canonical->n_nests);
}

static void
schedule_nest (TpBuild *build, TpNest *nest)
{
  schedule_several (build, &nest, 1);
}

void
tp_schedule_range (TpBuild *build, int first, int end)
{
  build->schedule = schedule_nest;
  build->schedule_several = schedule_several;
  schedule_several (build, build->lowered->nests + first, end - first);
}
