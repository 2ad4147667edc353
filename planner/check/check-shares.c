/* check-shares.c: do shares and a tree prove that nothing costs less?
 *
 * A row says what one op answers for of one tensor that it reads, or of the gain of
 * its group, on each device: it pays that there, in place of who pays it now. What
 * all readers together could come to, less what copies cost then, is the most
 * that is paid too much: the maker gets it back, on each device what it is there.
 * So whatever the rows say, the sum over ops of what each pays at least is no
 * more than any placement costs.
 *
 * Ops that are to be on one device are one: the first of them, their lead, pays for
 * all, and reads and makes what any of them does. What it makes for itself it has. */
#include "config.h"

#include "planner/check/check-shares.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-costs.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORK (G_GINT64_CONSTANT (1) << 34)
#define MAX_UNIT (1 << 20)

__extension__ typedef __int128 Wide;

typedef struct
{
  int op;
  guint left;                 /* devices it has not been on */
} Choice;

/* The ops of a term, whose rows follow one another. */
typedef struct
{
  int *ops;                   /* leads, ascending, but for the maker */
  int n;
  gint64 row;
} Members;

typedef struct
{
  TpChecker *checker;
  const TpShareProof *proof;
  int k;                      /* devices */
  int *leads;                 /* [op] */
  int *ops;                   /* members: of tensors, then of groups */
  gint64 n_rows;              /* of those */
  Members *tensors, *groups;  /* [tensor], [group] */
  gint64 *base, *amounts;     /* [row * k + device]: of the first bound, of one */
  int bound;                  /* whose amounts they are; -1: of none */
  guint *may, *sets;          /* [op]: by pins and kernels; in this end */
  Wide *levels;               /* [op * k + device] */
  TpArray *path;              /* Choice */
} Walk;

/* ---- rows ---------------------------------------------------------------- */

static gboolean
fail_row (const Walk *walk, int bound, guint row, const char *what)
{
  return tp_checker_fail (walk->checker, "share_bounds[%d][%u] %s", bound, row,
                          what);
}

/* The members in their order: of tensor after tensor the readers, of group after
 * group the ops. */
typedef struct
{
  char kind;
  int index, at;              /* the tensor or group; which of its members */
} Cursor;

static const Members *
get_members (const Walk *walk, const Cursor *cursor)
{
  return cursor->kind == 'g' ? &walk->groups[cursor->index]
                             : &walk->tensors[cursor->index];
}

/* Whether there is such a tensor, or group. */
static gboolean
is_left (const Walk *walk, const Cursor *cursor)
{
  return cursor->index < (cursor->kind == 't'
                              ? walk->checker->graph->n_tensors
                              : walk->checker->costs->n_groups);
}

/* To the first member of what comes next. */
static void
skip_term (const Walk *walk, Cursor *cursor)
{
  cursor->at = 0;
  cursor->index++;
  if (cursor->kind == 't' && !is_left (walk, cursor))
    *cursor = (Cursor){ 'g', 0, 0 };
}

/* From where @cursor is on; FALSE: there is no such member there. */
static gboolean
find_row (const Walk *walk, Cursor *cursor, const TpShareRow *want)
{
  const Members *members;

  while (is_left (walk, cursor)
         && (cursor->kind != want->kind || cursor->index != want->index))
    skip_term (walk, cursor);
  if (!is_left (walk, cursor))
    return FALSE;
  members = get_members (walk, cursor);
  while (cursor->at < members->n && members->ops[cursor->at] != want->op)
    cursor->at++;
  return cursor->at < members->n;
}

/* None below 0, none where the op may not be, the least of the others 0. */
static gboolean
check_amounts (const Walk *walk, int op, const gint64 *amounts)
{
  gint64 least = G_MAXINT64;

  for (int d = 0; d < walk->k; d++)
    {
      gboolean may = (walk->may[op] >> d & 1) != 0;

      if (amounts[d] < 0 || amounts[d] > TP_PLAN_MAX_NUMBER
          || (!may && amounts[d] != 0))
        return FALSE;
      least = may ? MIN (least, amounts[d]) : least;
    }
  return least == 0;
}

/* The rows of bound @index over those of the first, in @out. */
static gboolean
read_rows (const Walk *walk, int index, gint64 *out)
{
  const TpShareBound *bound = walk->proof->bounds->pdata[index];
  Cursor cursor = { walk->checker->graph->n_tensors == 0 ? 'g' : 't', 0, 0 };

  for (guint i = 0; i < bound->rows->len; i++)
    {
      const TpShareRow *row = &tp_array_index (bound->rows, TpShareRow, i);
      const gint64 *amounts;
      gint64 at;

      if ((gint64) row->first + walk->k > bound->amounts->len
          || !find_row (walk, &cursor, row))
        return fail_row (walk, index, i,
                         "is of none that reads it, or out of order");
      amounts = &tp_array_index (bound->amounts, gint64, row->first);
      if (!check_amounts (walk, row->op, amounts))
        return fail_row (walk, index, i,
                         "is not of amounts of which the least is 0");
      at = get_members (walk, &cursor)->row + cursor.at++;
      memcpy (&out[at * walk->k], amounts, sizeof (gint64) * walk->k);
    }
  return TRUE;
}

static gboolean
load_bound (Walk *walk, int index)
{
  if (index < 0 || index >= (int) walk->proof->bounds->len)
    return FALSE;
  if (index == walk->bound)
    return TRUE;
  memcpy (walk->amounts, walk->base,
          sizeof (gint64) * walk->n_rows * walk->k);
  walk->bound = index;
  return index == 0 || read_rows (walk, index, walk->amounts);
}

/* ---- a bound ------------------------------------------------------------- */

/* What copies of tensor @index from @from to all of @set cost; and, without a
 * reader, to where the caller is. */
static Wide
sum_copies (const Walk *walk, int index, int from, guint set)
{
  const TpChecker *checker = walk->checker;
  const TpCheckerTensor *tensor = &checker->tensors[index];
  int host = checker->costs->host;
  Wide sum = 0;

  for (int to = 0; to < walk->k; to++)
    if ((set >> to & 1) != 0 && to != from)
      sum += tp_checker_copy_cost (checker, index, from, to);
  if (tensor->is_output && tensor->producer >= 0 && from != host
      && (host < 0 || (set >> host & 1) == 0))
    sum += tp_checker_copy_cost (checker, index, from, host);
  return sum * walk->proof->unit;
}

/* The most that members come to when all are within @set; FALSE: one may not
 * be. */
static gboolean
sum_greatest (const Walk *walk, const Members *members, guint set, Wide *out)
{
  *out = 0;
  for (int i = 0; i < members->n; i++)
    {
      const gint64 *amounts = &walk->amounts[(members->row + i) * walk->k];
      gint64 most = -1;

      for (int d = 0; d < walk->k; d++)
        if ((walk->sets[members->ops[i]] & set) >> d & 1)
          most = MAX (most, amounts[d]);
      if (most < 0)
        return FALSE;
      *out += most;
    }
  return TRUE;
}

/* What is paid too much for a tensor, wherever it is made: out of the level of its
 * maker, or out of *offset. */
static void
give_back (const Walk *walk, int index, Wide *offset)
{
  const TpCheckerTensor *tensor = &walk->checker->tensors[index];
  const Members *members = &walk->tensors[index];
  int host = walk->checker->costs->host;
  int maker = tensor->producer < 0 ? -1 : walk->leads[tensor->producer];
  guint froms = maker < 0 ? 1 : walk->sets[maker];
  Wide greatest, back[TP_CHECKER_MAX_SHARING];
  gboolean is_first = TRUE;

  for (guint set = members->n > 0; set < 1u << walk->k; set++)
    {
      if (!sum_greatest (walk, members, set, &greatest))
        continue;
      for (int d = 0; d < walk->k; d++)
        {
          int from = maker < 0 ? host : d;
          Wide more;

          if ((froms >> d & 1) == 0)
            continue;
          more = greatest - sum_copies (walk, index, from, set);
          back[d] = is_first ? more : MAX (back[d], more);
        }
      is_first = FALSE;
    }
  for (int d = 0; d < walk->k && !is_first; d++)
    if ((froms >> d & 1) == 0)
      continue;
    else if (maker < 0)
      *offset -= back[d];
    else
      walk->levels[(gsize) maker * walk->k + d] -= back[d];
}

/* What a group gains at most, and its ops answer for. */
static Wide
find_group (const Walk *walk, int index)
{
  const Members *members = &walk->groups[index];
  Wide most = 0, greatest;

  sum_greatest (walk, members, (1u << walk->k) - 1, &most);
  for (int d = 0; d < walk->k; d++)
    if (sum_greatest (walk, members, 1u << d, &greatest))
      most = MAX (most,
                  greatest
                      + (Wide) walk->proof->unit
                            * walk->checker->gains[(gsize) index * walk->k
                                                   + d]);
  return most;
}

static void
add_rows (const Walk *walk, const Members *members)
{
  for (int i = 0; i < members->n; i++)
    for (int d = 0; d < walk->k; d++)
      walk->levels[(gsize) members->ops[i] * walk->k + d]
          += walk->amounts[(members->row + i) * walk->k + d];
}

static void
add_ops (const Walk *walk)
{
  int n = walk->checker->graph->n_nodes;

  memset (walk->levels, 0, sizeof (Wide) * n * walk->k);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < walk->k; d++)
      if (walk->may[i] >> d & 1)
        walk->levels[(gsize) walk->leads[i] * walk->k + d]
            += (Wide) walk->proof->unit
               * tp_checker_node_cost (walk->checker, i, d);
}

/* What each op pays, in levels; returns what none does. */
static Wide
fill_levels (const Walk *walk)
{
  const TpChecker *checker = walk->checker;
  Wide offset = 0;

  add_ops (walk);
  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      if (checker->tensors[i].is_constant)
        continue;
      add_rows (walk, &walk->tensors[i]);
      give_back (walk, i, &offset);
    }
  for (int i = 0; i < checker->costs->n_groups; i++)
    {
      add_rows (walk, &walk->groups[i]);
      offset -= find_group (walk, i);
    }
  return offset;
}

static gboolean
check_end (Walk *walk, int index)
{
  Wide sum;

  if (!load_bound (walk, index))
    return FALSE;
  sum = fill_levels (walk);
  for (int i = 0; i < walk->checker->graph->n_nodes; i++)
    {
      const Wide *levels = &walk->levels[(gsize) i * walk->k];
      int best = -1;

      for (int d = 0; d < walk->k; d++)
        if ((walk->sets[i] >> d & 1) != 0
            && (best < 0 || levels[d] < levels[best]))
          best = d;
      sum += levels[best];
    }
  /* costs are whole: what is above one less is as good as the next; and nothing
   * costs less than nothing */
  return walk->checker->plan->bound_ns == 0
         || sum > (Wide) walk->proof->unit
                   * (walk->checker->plan->bound_ns - (Wide) 1);
}

/* ---- the tree ------------------------------------------------------------ */

static void
take_next (Walk *walk, Choice *choice)
{
  guint device = choice->left & -choice->left;

  walk->sets[choice->op] = device;
  choice->left &= ~device;
}

static gboolean
enter (Walk *walk, int op)
{
  Choice choice = { op, 0 };

  if (op < 0 || op >= walk->checker->plan->n_placements)
    return FALSE;
  choice.left = walk->sets[op];
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
      walk->sets[last->op] = walk->may[last->op];
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
  g_free (walk->leads);
  g_free (walk->ops);
  g_free (walk->tensors);
  g_free (walk->groups);
  g_free (walk->base);
  g_free (walk->amounts);
  g_free (walk->may);
  g_free (walk->sets);
  g_free (walk->levels);
  tp_array_unref (walk->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static int
compare_ops (const void *a, const void *b)
{
  const int *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The leads of @ops, each once, @maker (-1: none) left out, after those there are. */
static Members
take_members (Walk *walk, const int *ops, int n, int maker)
{
  Members members = { walk->ops + walk->n_rows, 0, walk->n_rows };
  int *all = members.ops;

  for (int i = 0; i < n; i++)
    all[i] = walk->leads[ops[i]];
  qsort (all, n, sizeof (int), compare_ops);
  for (int i = 0; i < n; i++)
    if (all[i] != maker
        && (members.n == 0 || all[i] != all[members.n - 1]))
      all[members.n++] = all[i];
  walk->n_rows += members.n;
  return members;
}

static void
list_members (Walk *walk)
{
  const TpChecker *checker = walk->checker;
  const TpGroup *groups = checker->plan->all_groups->groups;
  gsize n = 1;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    n += checker->tensors[i].n_readers;
  for (int i = 0; i < checker->costs->n_groups; i++)
    n += groups[i].n_nodes;
  walk->ops = tp_new (int, n);
  walk->tensors = tp_new0 (Members, checker->graph->n_tensors + 1);
  walk->groups = tp_new0 (Members, checker->costs->n_groups + 1);
  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      const TpCheckerTensor *it = &checker->tensors[i];
      int maker = it->producer < 0 ? -1 : walk->leads[it->producer];

      if (!it->is_constant)
        walk->tensors[i]
            = take_members (walk, it->readers, it->n_readers, maker);
    }
  for (int i = 0; i < checker->costs->n_groups; i++)
    walk->groups[i]
        = take_members (walk, groups[i].nodes, groups[i].n_nodes, -1);
}

static void
find_leads (Walk *walk)
{
  const TpGraph *graph = walk->checker->graph;

  walk->leads = tp_new (int, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    walk->leads[i] = i;
  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 0; k < graph->colocations[i].n_nodes; k++)
      walk->leads[graph->colocations[i].nodes[k]]
          = graph->colocations[i].nodes[0];
}

static void
walk_init (Walk *walk, TpChecker *checker)
{
  gsize n = checker->graph->n_nodes;

  walk->checker = checker;
  walk->proof = checker->plan->share_proof;
  walk->k = checker->costs->n_devices;
  walk->path = tp_array_new (sizeof (Choice));
  find_leads (walk);
  list_members (walk);
  walk->base = tp_new0 (gint64, walk->n_rows * walk->k + 1);
  walk->amounts = tp_new0 (gint64, walk->n_rows * walk->k + 1);
  walk->may = tp_new0 (guint, n + 1);
  walk->levels = tp_new0 (Wide, n * walk->k + 1);
  for (gsize i = 0; i < n; i++)
    for (int d = 0; d < walk->k; d++)
      if (tp_checker_may_run (checker, (int) i, d))
        walk->may[i] |= 1u << d;
  walk->sets = tp_memdup (walk->may, (n + 1) * sizeof (guint));
}

static gboolean
check_parts (TpChecker *checker)
{
  const TpShareProof *proof = checker->plan->share_proof;
  Wide n_items = (Wide) checker->graph->n_nodes + checker->graph->n_tensors;

  if (proof == NULL || proof->bounds->len == 0)
    return tp_checker_fail (checker, "there are no shares");
  if (checker->plan->n_arcs != 0)
    return tp_checker_fail (checker, "shares need no arcs");
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
}
