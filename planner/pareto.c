/* pareto.c: see pareto.h.
 *
 * A. Przybylski, X. Gandibleux, M. Ehrgott, A recursive algorithm for finding all
 * nondominated extreme points in the outcome set of a multiobjective integer programme,
 * 2010; of two things Y. P. Aneja, K. P. K. Nair, Bicriteria transportation problem, 1979.
 * Of the hull of the plans there are (planner/hull.c) weigh things as a face does, by its
 * normal, and ask for the least. If that is below some face, there is a corner, and other
 * faces; if not, nothing is below this one. So every face is asked about once, until
 * nothing is below any: then the hull is that of all placements.
 *
 * Weights are whole numbers, and every sum is exact: but where weights are too large for
 * sums of all costs, the nearest are taken that are not. Then, or where a plan is not
 * proved to be the least, something may be below a face, and how far is known: what lies
 * on the way from nothing to a placement is on some face, and both are weighed alike. */
#include "config.h"

#include "planner/pareto.h"

#include "include/tplan.h"
#include "ir/guard.h"
#include "planner/hull.h"
#include "planner/place.h"
#include "planner/rated.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PLANS 1000
#define N TP_N_AIMS

G_STATIC_ASSERT (TP_N_AIMS == TP_HULL_DIMS);

typedef TpHullWide Wide;

/* For which weights the least was asked. Things are in the order of the task, as they are
 * in the hull. */
typedef struct
{
  Wide normal[N];
  gint64 weights[N];          /* nearly that */
  gint64 bound;               /* what none takes less than, so weighed; -1: not known */
} Question;

typedef struct
{
  const TpParetoTask *task;
  TpProblem *problem;         /* for its sum of all costs */
  gint64 most[N];             /* of a nanosecond */
  TpHull hull;
  TpPointers *plans;          /* TpPlan: of each point of the hull */
  TpArray *questions;         /* Question */
  int n_plans, n_proved;
} Search;

static void
unref_plan (gpointer plan)
{
  tp_plan_unref (plan);
}

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->problem, tp_problem_free);
  g_clear_pointer (&search->plans, tp_pointers_free);
  g_clear_pointer (&search->questions, tp_array_unref);
  tp_hull_clear (&search->hull);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static Question *
get_question (const Search *search, guint index)
{
  return &tp_array_index (search->questions, Question, index);
}

static TpHullFace *
get_face (const Search *search, guint index)
{
  return &tp_array_index (search->hull.faces, TpHullFace, index);
}

/* ---- weights -------------------------------------------------------------- */

/* The most that a nanosecond takes of @aim, on any engine. */
static gint64
find_most (const TpCosts *costs, TpAim aim)
{
  gint64 aims[TP_N_AIMS] = { 0 }, weights[TP_RATES_MAX_ENGINES], most = 0;

  aims[aim] = 1;
  if (!tp_rates_weigh (costs, aims, ~0u, weights))
    return TP_PROBLEM_LIMIT;
  for (int e = 0; e < 3 * costs->n_devices; e++)
    most = MAX (most, weights[e]);
  return most;
}

static gboolean
fits (const Search *search, const Wide *weights)
{
  Wide most = 0;

  for (int i = 0; i < N; i++)
    {
      if (weights[i] >= TP_PROBLEM_LIMIT)
        return FALSE;
      most += weights[i] * search->most[i];
    }
  return most < TP_PROBLEM_LIMIT
         && tp_rated_fits (search->problem, (gint64) most);
}

/* Of two weights the best fraction that fits, of the convergents of its continued
 * fraction. */
static void
round_two (const Search *search, Wide *weights, int first, int second)
{
  Wide rest = weights[first], divisor = weights[second];
  Wide last[N] = { 0 }, before[N] = { 0 };

  last[first] = before[second] = 1;
  while (divisor > 0)
    {
      Wide term = rest / divisor, left = rest % divisor;
      Wide next[N] = { 0 };

      if (term >= TP_PROBLEM_LIMIT)
        break;
      next[first] = term * last[first] + before[first];
      next[second] = term * last[second] + before[second];
      if (!fits (search, next))
        break;
      memcpy (before, last, sizeof before);
      memcpy (last, next, sizeof last);
      rest = divisor;
      divisor = left;
    }
  memcpy (weights, last, sizeof last);
}

/* All by the same, to as much as fits; no product has more than 126 bits. */
static void
round_all (const Search *search, Wide *weights)
{
  Wide room = TP_PROBLEM_LIMIT / (search->problem->sum + 1) - 1, most = 0;
  int n_bits = 0;

  for (int i = 0; i < N; i++)
    while (weights[i] >> n_bits >= TP_PROBLEM_LIMIT)
      n_bits++;
  for (int i = 0; i < N; i++)
    {
      weights[i] >>= n_bits;
      most += weights[i] * search->most[i];
    }
  for (int i = 0; i < N && most > room; i++)
    weights[i] = weights[i] * room / most;
}

/* One thing alone is asked for as it is, whether that fits or is refused. FALSE: nothing
 * that fits is near. */
static gboolean
find_weights (const Search *search, Question *question)
{
  Wide weights[N], sum = 0;
  int used[N] = { 0 }, n = 0;

  memcpy (weights, question->normal, sizeof weights);
  for (int i = 0; i < N; i++)
    if (weights[i] > 0)
      used[n++] = i;
  if (n == 2 && !fits (search, weights))
    round_two (search, weights, used[0], used[1]);
  else if (n == 3 && !fits (search, weights))
    round_all (search, weights);
  for (int i = 0; i < N; i++)
    {
      question->weights[i] = (gint64) weights[i];
      sum += weights[i];
    }
  return n == 1 || (sum > 0 && fits (search, weights));
}

/* ---- plans ---------------------------------------------------------------- */

static TpPlan *
place (const Search *search, const gint64 *weights, GError **error)
{
  const TpParetoTask *task = search->task;
  gint64 aims[TP_N_AIMS] = { 0 };
  const TpPlaceOptions options = { .objective = "weighted",
                                   .aims = aims,
                                   .limits = task->limits };

  for (int i = 0; i < task->n_aims; i++)
    aims[task->aims[i]] = weights[i];
  return tp_place_with (task->graph, task->groups, task->costs, &options,
                        error);
}

static gboolean
is_proved (const TpPlan *plan)
{
  return plan->rate_proof->cost == tp_rate_proof_get_bound (plan->rate_proof);
}

/* In place of one that takes the same and is not proved to be the least. */
static void
offer_proof (Search *search, TpPlan *plan)
{
  for (guint i = 0; is_proved (plan) && i < search->plans->len; i++)
    {
      TpPlan **met = (TpPlan **) &search->plans->pdata[i];

      if (is_proved (*met)
          || memcmp ((*met)->rate_proof->totals, plan->rate_proof->totals,
                     sizeof plan->rate_proof->totals) != 0)
        continue;
      tp_plan_unref (*met);
      *met = tp_plan_ref (plan);
    }
}

/* @plan may be a new corner. */
static void
offer (Search *search, TpPlan *plan)
{
  const TpParetoTask *task = search->task;
  gint64 at[N] = { 0 };
  gboolean is_new = TRUE;

  for (int i = 0; i < task->n_aims; i++)
    at[i] = plan->rate_proof->totals[task->aims[i]];
  if (search->hull.points == NULL)
    tp_hull_init (&search->hull, at);
  else
    is_new = tp_hull_add (&search->hull, at);
  if (is_new)
    tp_pointers_add (search->plans, tp_plan_ref (plan));
  else
    offer_proof (search, plan);
}

/* Where nothing is found that fits into memory, something may be, unless it is the first
 * that is asked for. */
static gboolean
ask (Search *search, const Wide *normal, GError **error)
{
  Question question = { .bound = -1 };
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean is_first = search->hull.points == NULL;

  memcpy (question.normal, normal, sizeof question.normal);
  if (find_weights (search, &question))
    plan = place (search, question.weights, &failure);
  if (failure != NULL
      && (is_first
          || !g_error_matches (failure, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE)))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (plan != NULL)
    {
      question.bound = tp_rate_proof_get_bound (plan->rate_proof);
      search->n_plans++;
      search->n_proved += is_proved (plan);
      offer (search, plan);
    }
  tp_array_append_vals (search->questions, &question, 1);
  return TRUE;
}

/* ---- faces ---------------------------------------------------------------- */

/* Whether it weighs what is asked about: not that all corners are far, or that the third
 * of two things is 0. */
static gboolean
is_asked (const Search *search, const TpHullFace *face)
{
  for (int i = 0; i < search->task->n_aims; i++)
    if (face->normal[i] > 0)
      return TRUE;
  return FALSE;
}

/* Marks what was asked already, or is not to be asked. FALSE: it is. */
static gboolean
mark (const Search *search, TpHullFace *face)
{
  face->mark = search->questions->len >= MAX_PLANS || !is_asked (search, face);
  for (guint i = 0; i < search->questions->len && face->mark == 0; i++)
    face->mark = tp_hull_is_parallel (get_question (search, i)->normal,
                                      face->normal);
  return face->mark != 0;
}

/* A face that nothing is asked about yet, the newest; -1: there is none. */
static int
find_open (const Search *search)
{
  for (int i = (int) search->hull.faces->len - 1; i >= 0; i--)
    {
      TpHullFace *face = get_face (search, (guint) i);

      if (face->mark == 0 && !mark (search, face))
        return i;
    }
  return -1;
}

static gboolean
search_all (Search *search, GError **error)
{
  Wide normal[N] = { 1 };
  int face = 0;

  while (face >= 0)
    {
      if (!ask (search, normal, error))
        return FALSE;
      face = find_open (search);
      if (face >= 0)
        memcpy (normal, get_face (search, (guint) face)->normal, sizeof normal);
    }
  return TRUE;
}

/* What the corners of @face weigh at most, and all between them; -1: it goes on where
 * something is weighed. */
static Wide
weigh_face (const Search *search, const TpHullFace *face,
            const gint64 *weights)
{
  Wide most = 0;

  for (int i = 0; i < N; i++)
    {
      int corner = face->corners[i];
      Wide sum = 0;

      if (corner < 0 && weights[TP_HULL_FAR (corner)] > 0)
        return -1;
      for (int k = 0; corner >= 0 && k < N; k++)
        sum += (Wide) weights[k]
               * tp_hull_get_point (&search->hull, corner)[k];
      most = MAX (most, sum);
    }
  return most;
}

/* By which part at most something is below @face: what any question tells of that; 1: all
 * that there is, or nothing is known. */
static double
find_gap (const Search *search, const TpHullFace *face)
{
  double least = 1;

  for (guint i = 0; i < search->questions->len && least > 0; i++)
    {
      const Question *question = get_question (search, i);
      Wide most = weigh_face (search, face, question->weights);

      if (question->bound < 0 || most < 0)
        continue;
      if (most <= question->bound)
        return 0;
      least = MIN (least, (double) (most - question->bound) / (double) most);
    }
  return least;
}

/* ---- what is found -------------------------------------------------------- */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const TpHull *hull = data;
  const gint64 *one = tp_hull_get_point (hull, *(const int *) a);
  const gint64 *other = tp_hull_get_point (hull, *(const int *) b);

  for (int i = 0; i < N; i++)
    if (one[i] != other[i])
      return one[i] < other[i] ? -1 : 1;
  return 0;
}

/* [point of the hull]: its number, or TP_PARETO_NONE. */
static int *
keep_corners (const Search *search, TpPareto *out)
{
  guint n = search->plans->len;
  g_autofree int *order = tp_new (int, (gsize) n + 1);
  g_autofree int *numbers = tp_new (int, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    {
      numbers[i] = TP_PARETO_NONE;
      if (tp_hull_is_corner (&search->hull, (int) i))
        order[out->n_points++] = (int) i;
    }
  g_qsort_with_data (order, out->n_points, sizeof *order, compare,
                     (gpointer) &search->hull);
  out->plans = tp_new0 (TpPlan *, (gsize) out->n_points + 1);
  for (int i = 0; i < out->n_points; i++)
    {
      numbers[order[i]] = i;
      out->plans[i] = tp_plan_ref (search->plans->pdata[order[i]]);
    }
  return g_steal_pointer (&numbers);
}

static void
keep_face (const Search *search, const TpHullFace *face, const int *numbers,
           TpPareto *out)
{
  TpParetoFace *it = &out->faces[out->n_faces++];
  double gap = find_gap (search, face);

  for (int i = 0; i < N; i++)
    it->points[i] = face->corners[i] < 0 ? TP_PARETO_NONE
                                         : numbers[face->corners[i]];
  for (int i = 0; i < out->n_aims; i++)
    it->worth[out->aims[i]] = (double) face->normal[i];
  out->is_complete = out->is_complete && gap == 0;
  out->gap = MAX (gap, out->gap);
}

static TpPareto *
finish (const Search *search)
{
  const TpParetoTask *task = search->task;
  guint n_faces = search->hull.faces->len;
  g_autoptr (TpPareto) out = g_new0 (TpPareto, 1);
  g_autofree int *numbers = NULL;

  out->n_aims = task->n_aims;
  memcpy (out->aims, task->aims, sizeof (TpAim) * (gsize) task->n_aims);
  out->n_plans = search->n_plans;
  out->n_proved = search->n_proved;
  out->is_complete = TRUE;
  numbers = keep_corners (search, out);
  out->faces = tp_new0 (TpParetoFace, (gsize) n_faces + 1);
  for (guint i = 0; i < n_faces; i++)
    if (is_asked (search, get_face (search, i)))
      keep_face (search, get_face (search, i), numbers, out);
  return g_steal_pointer (&out);
}

TpPareto *
tp_pareto_find (const TpParetoTask *task, GError **error)
{
  g_auto (Search) search = { .task = task };

  search.plans = tp_pointers_new (unref_plan);
  search.questions = tp_array_new (sizeof (Question));
  search.problem = tp_problem_new (task->graph, task->groups, task->costs,
                                   "weighted", error);
  if (search.problem == NULL)
    return NULL;
  for (int i = 0; i < task->n_aims; i++)
    {
      if (!tp_rated_check (search.problem, task->aims[i], error))
        return NULL;
      search.most[i] = find_most (task->costs, task->aims[i]);
    }
  return search_all (&search, error) ? finish (&search) : NULL;
}
