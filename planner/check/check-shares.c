/* check-shares.c: do shares and a tree prove that nothing costs less?
 *
 * Each end of the tree has a bound: the first, or one that differs from it in some
 * rows. What rows say is for check-answers.c. */
#include "config.h"

#include "planner/check/check-shares.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-answers.h"
#include "planner/check/check-share-room.h"

#include <string.h>

#define MAX_WORK (G_GINT64_CONSTANT (1) << 34)
#define MAX_UNIT (1 << 20)

__extension__ typedef __int128 Wide;

typedef struct
{
  int op;
  guint left;                 /* devices it has not been on */
} Choice;

typedef struct
{
  TpChecker *checker;
  const TpShareProof *proof;
  TpCheckerAnswers answers;   /* of the bound at hand */
  gint64 *base;               /* amounts of the first */
  int bound;                  /* whose amounts they are; -1: of none */
  TpArray *path;              /* Choice */
} Walk;

/* The rows of bound @index over those of the first. */
static gboolean
read_rows (Walk *walk, int index, gint64 *out)
{
  g_autofree char *name = g_strdup_printf ("share_bounds[%d]", index);

  return tp_checker_answers_read (&walk->answers,
                                  walk->proof->bounds->pdata[index], name,
                                  out);
}

static gboolean
load_bound (Walk *walk, int index)
{
  if (index < 0 || index >= (int) walk->proof->bounds->len)
    return FALSE;
  if (index == walk->bound)
    return TRUE;
  memcpy (walk->answers.amounts, walk->base,
          sizeof (gint64) * walk->answers.n_rows * walk->answers.k);
  walk->bound = index;
  return index == 0 || read_rows (walk, index, walk->answers.amounts);
}

static gboolean
check_end (Walk *walk, int index)
{
  /* costs are whole: what is above one less is as good as the next; and nothing
   * costs less than nothing */
  return load_bound (walk, index)
         && (walk->checker->plan->bound_ns == 0
             || tp_checker_answers_sum (&walk->answers)
                    > (Wide) walk->proof->unit
                          * (walk->checker->plan->bound_ns - (Wide) 1));
}

/* ---- the tree ------------------------------------------------------------ */

static void
take_next (Walk *walk, Choice *choice)
{
  guint device = choice->left & -choice->left;

  walk->answers.sets[choice->op] = device;
  choice->left &= ~device;
}

static gboolean
enter (Walk *walk, int op)
{
  Choice choice = { op, 0 };

  if (op < 0 || op >= walk->checker->plan->n_placements)
    return FALSE;
  choice.left = walk->answers.sets[op];
  if ((choice.left & (choice.left - 1)) == 0)
    return FALSE;
  take_next (walk, &choice);
  tp_array_append_val (walk->path, choice);
  return TRUE;
}

/* To the next end; FALSE: there is none left. */
static gboolean
turn (Walk *walk)
{
  while (walk->path->len > 0)
    {
      Choice *last = &tp_array_index (walk->path, Choice, walk->path->len - 1);

      if (last->left != 0)
        {
          take_next (walk, last);
          return TRUE;
        }
      walk->answers.sets[last->op] = walk->answers.may[last->op];
      tp_array_set_size (walk->path, walk->path->len - 1);
    }
  return FALSE;
}

static void
check_tree (Walk *walk)
{
  const TpArray *entries = walk->proof->entries;
  gboolean is_left = TRUE;

  for (guint i = 0; i < entries->len; i++)
    {
      const TpShareEntry *it = &tp_array_index (entries, TpShareEntry, i);

      if (!is_left
          || !(it->is_branch ? enter (walk, it->index)
                             : check_end (walk, it->index)))
        {
          tp_checker_fail (walk->checker,
                           "share_tree[%u] does not prove that nothing costs "
                           "less than %" G_GINT64_FORMAT,
                           i, walk->checker->plan->bound_ns);
          return;
        }
      if (!it->is_branch)
        is_left = turn (walk);
    }
  if (is_left)
    tp_checker_fail (walk->checker, "share_tree has ends without a proof");
}

/* ---- the whole ----------------------------------------------------------- */

static void
walk_clear (Walk *walk)
{
  tp_checker_answers_clear (&walk->answers);
  g_free (walk->base);
  tp_array_unref (walk->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static void
walk_init (Walk *walk, TpChecker *checker)
{
  walk->checker = checker;
  walk->proof = checker->plan->share_proof;
  walk->path = tp_array_new (sizeof (Choice));
  tp_checker_answers_init (&walk->answers, checker, NULL);
  walk->base = tp_new0 (gint64, walk->answers.n_rows * walk->answers.k + 1);
}

static gboolean
check_parts (TpChecker *checker)
{
  const TpShareProof *proof = checker->plan->share_proof;
  Wide n_items = (Wide) checker->graph->n_nodes + checker->graph->n_tensors;

  if (proof == NULL || proof->bounds->len == 0)
    return tp_checker_fail (checker, "there are no shares");
  if (checker->plan->n_flows != 0 || checker->plan->tie_flows != NULL)
    return tp_checker_fail (checker, "shares need no flows");
  if (proof->unit < 1 || proof->unit > MAX_UNIT)
    return tp_checker_fail (checker, "share_unit is %" G_GINT64_FORMAT
                                     ", not in 1 to 2^20",
                            proof->unit);
  if ((n_items << checker->costs->n_devices) * proof->entries->len > MAX_WORK)
    return tp_checker_fail (checker, "the proof is too large to be checked");
  return TRUE;
}

void
tp_checker_check_shares (TpChecker *checker)
{
  g_auto (Walk) walk = { .bound = -1 };

  if (!check_parts (checker))
    return;
  walk_init (&walk, checker);
  if (!read_rows (&walk, 0, walk.base))
    return;
  check_tree (&walk);
  tp_checker_check_share_room (checker);
}
