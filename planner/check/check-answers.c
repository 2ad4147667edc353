/* check-answers.c: see check-answers.h.
 *
 * A row says what one op answers for of one tensor that it reads, of the gain of its
 * group, or of bytes that it holds, on each device: it pays that there, in place of who
 * pays it now. What all readers together could come to, less what copies cost then, is
 * the most that is paid too much: the maker gets it back, on each device what it is
 * there. So whatever the rows say, the sum over ops of what each pays at least is no
 * more than any placement costs.
 *
 * Ops that are to be on one device are one: the first of them, their lead, pays for
 * all, and reads and makes what any of them does. What it makes for itself it has. */
#include "config.h"

#include "planner/check/check-answers.h"

#include "ir/compare.h"
#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-held.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 8         /* sets of them are counted */

typedef TpCheckerBytes Wide;

/* ---- rows ---------------------------------------------------------------- */

static gboolean
fail_row (const TpCheckerAnswers *self, const char *name, guint row,
          const char *what)
{
  return tp_checker_fail (self->checker, "%s[%u] %s", name, row, what);
}

/* The members in their order: of tensor after tensor the readers, of group after
 * group the ops. */
typedef struct
{
  char kind;                  /* as in TpShareRow */
  int index, at;              /* the tensor or group, or the bytes; which of its
                               * members */
} Cursor;

static const TpCheckerMembers *
get_members (const TpCheckerAnswers *self, const Cursor *cursor)
{
  return cursor->kind == 'm'   ? &self->bytes[cursor->index]
         : cursor->kind == 'g' ? &self->groups[cursor->index]
                               : &self->tensors[cursor->index];
}

/* Whether there is such a tensor, or group, or such bytes. */
static gboolean
is_left (const TpCheckerAnswers *self, const Cursor *cursor)
{
  return cursor->index < (cursor->kind == 'm'   ? self->n_bytes
                          : cursor->kind == 'g' ? self->checker->costs->n_groups
                                                : self->checker->graph->n_tensors);
}

/* To the first member of what comes next; bytes are last. */
static void
skip_term (const TpCheckerAnswers *self, Cursor *cursor)
{
  cursor->at = 0;
  cursor->index++;
  while (cursor->kind != 'm' && !is_left (self, cursor))
    *cursor = (Cursor){ cursor->kind == 't' ? 'g' : 'm', 0, 0 };
}

/* From where @cursor is on; FALSE: there is no such member there. */
static gboolean
find_row (const TpCheckerAnswers *self, Cursor *cursor, const TpShareRow *want)
{
  const TpCheckerMembers *members;
  gint64 index = want->kind == 'm'
                     ? (gint64) want->row * self->checker->graph->n_tensors
                           + want->index
                     : want->index;

  while (is_left (self, cursor)
         && (cursor->kind != want->kind || cursor->index != index))
    skip_term (self, cursor);
  if (!is_left (self, cursor))
    return FALSE;
  members = get_members (self, cursor);
  while (cursor->at < members->n && members->ops[cursor->at] != want->op)
    cursor->at++;
  return cursor->at < members->n;
}

/* None below 0, none where the op may not be, the least of the others 0. */
static gboolean
check_amounts (const TpCheckerAnswers *self, int op, const gint64 *amounts)
{
  gint64 least = G_MAXINT64;

  for (int d = 0; d < self->k; d++)
    {
      gboolean may = (self->may[op] >> d & 1) != 0;

      if (amounts[d] < 0 || amounts[d] > TP_PLAN_MAX_NUMBER
          || (!may && amounts[d] != 0))
        return FALSE;
      least = may ? MIN (least, amounts[d]) : least;
    }
  return least == 0;
}

gboolean
tp_checker_answers_read (const TpCheckerAnswers *self,
                         const TpShareBound *bound, const char *name,
                         gint64 *out)
{
  Cursor cursor = { 't', -1, 0 };

  skip_term (self, &cursor);
  for (guint i = 0; i < bound->rows->len; i++)
    {
      const TpShareRow *row = &tp_array_index (bound->rows, TpShareRow, i);
      const gint64 *amounts;
      gint64 at;

      if ((gint64) row->first + self->k > bound->amounts->len
          || row->index < 0
          || (row->kind == 'm' && row->index >= self->checker->graph->n_tensors)
          || !find_row (self, &cursor, row))
        return fail_row (self, name, i,
                         "is of none that reads it, or out of order");
      amounts = &tp_array_index (bound->amounts, gint64, row->first);
      if (!check_amounts (self, row->op, amounts))
        return fail_row (self, name, i,
                         "is not of amounts of which the least is 0");
      at = get_members (self, &cursor)->row + cursor.at++;
      memcpy (&out[at * self->k], amounts, sizeof (gint64) * self->k);
    }
  return TRUE;
}

/* ---- a bound ------------------------------------------------------------- */

/* What copies of tensor @index from @from to all of @set cost; and, without a
 * reader, to where the caller is. */
static Wide
sum_copies (const TpCheckerAnswers *self, int index, int from, guint set)
{
  const TpChecker *checker = self->checker;
  const TpTensorOutline *tensor = &checker->tensors[index];
  int host = checker->costs->host;
  Wide sum = 0;

  for (int to = 0; to < self->k; to++)
    if ((set >> to & 1) != 0 && to != from)
      sum += tp_checker_copy_cost (checker, index, from, to);
  if (tensor->is_output && tensor->producer >= 0 && from != host
      && (host < 0 || (set >> host & 1) == 0))
    sum += tp_checker_copy_cost (checker, index, from, host);
  return sum * self->unit;
}

/* The most that members come to when all are within @set; FALSE: one may not
 * be. */
static gboolean
sum_greatest (const TpCheckerAnswers *self, const TpCheckerMembers *members,
              guint set, Wide *out)
{
  *out = 0;
  for (int i = 0; i < members->n; i++)
    {
      const gint64 *amounts = &self->amounts[(members->row + i) * self->k];
      gint64 most = -1;

      for (int d = 0; d < self->k; d++)
        if ((self->sets[members->ops[i]] & set) >> d & 1)
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
give_back (const TpCheckerAnswers *self, int index, Wide *offset)
{
  const TpTensorOutline *tensor = &self->checker->tensors[index];
  const TpCheckerMembers *members = &self->tensors[index];
  int host = self->checker->costs->host;
  int maker = tensor->producer < 0 ? -1 : self->leads[tensor->producer];
  guint froms = maker < 0 ? 1 : self->sets[maker];
  Wide greatest, back[MAX_DEVICES];
  gboolean is_first = TRUE;

  for (guint set = members->n > 0; set < 1u << self->k; set++)
    {
      if (!sum_greatest (self, members, set, &greatest))
        continue;
      for (int d = 0; d < self->k; d++)
        {
          int from = maker < 0 ? host : d;
          Wide more;

          if ((froms >> d & 1) == 0)
            continue;
          more = greatest - sum_copies (self, index, from, set);
          back[d] = is_first ? more : MAX (back[d], more);
        }
      is_first = FALSE;
    }
  for (int d = 0; d < self->k && !is_first; d++)
    if ((froms >> d & 1) == 0)
      continue;
    else if (maker < 0)
      *offset -= back[d];
    else
      self->levels[(gsize) maker * self->k + d] -= back[d];
}

/* What a group gains at most, and its ops answer for. */
static Wide
find_group (const TpCheckerAnswers *self, int index)
{
  const TpCheckerMembers *members = &self->groups[index];
  Wide most = 0, greatest;

  sum_greatest (self, members, (1u << self->k) - 1, &most);
  for (int d = 0; d < self->k; d++)
    if (sum_greatest (self, members, 1u << d, &greatest))
      most = MAX (most,
                  greatest
                      + (Wide) self->unit
                            * self->checker->gains[(gsize) index * self->k
                                                   + d]);
  return most;
}

static void
add_rows (const TpCheckerAnswers *self, const TpCheckerMembers *members)
{
  for (int i = 0; i < members->n; i++)
    for (int d = 0; d < self->k; d++)
      self->levels[(gsize) members->ops[i] * self->k + d]
          += self->amounts[(members->row + i) * self->k + d];
}

static void
add_ops (const TpCheckerAnswers *self)
{
  int n = self->checker->graph->n_nodes;

  memset (self->levels, 0, sizeof (Wide) * n * self->k);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < self->k; d++)
      if (self->may[i] >> d & 1)
        self->levels[(gsize) self->leads[i] * self->k + d]
            += (Wide) self->unit
               * tp_checker_node_cost (self->checker, i, d);
}

/* What is paid too much for bytes that cost @price where @device has any that hold
 * them. */
static Wide
find_bytes (const TpCheckerAnswers *self, int index)
{
  const TpCheckerMembers *members = &self->bytes[index];
  Wide most = 0, greatest;
  gboolean is_first = TRUE;

  for (guint set = members->n > 0; set < 1u << self->k; set++)
    {
      if (!sum_greatest (self, members, set, &greatest))
        continue;
      if (set >> self->prices[index].device & 1)
        greatest -= (Wide) self->unit * self->prices[index].price;
      most = is_first ? greatest : MAX (most, greatest);
      is_first = FALSE;
    }
  return most;
}

/* What each op pays, in levels; returns what none does. */
static Wide
fill_levels (const TpCheckerAnswers *self)
{
  const TpChecker *checker = self->checker;
  Wide offset = 0;

  add_ops (self);
  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      if (checker->tensors[i].is_resident)
        continue;
      add_rows (self, &self->tensors[i]);
      give_back (self, i, &offset);
    }
  for (int i = 0; i < checker->costs->n_groups; i++)
    {
      add_rows (self, &self->groups[i]);
      offset -= find_group (self, i);
    }
  for (int i = 0; i < self->n_bytes; i++)
    {
      add_rows (self, &self->bytes[i]);
      offset -= find_bytes (self, i);
    }
  return offset;
}

Wide
tp_checker_answers_sum (const TpCheckerAnswers *self)
{
  Wide sum = fill_levels (self);

  for (int i = 0; i < self->checker->graph->n_nodes; i++)
    {
      const Wide *levels = &self->levels[(gsize) i * self->k];
      int best = -1;

      for (int d = 0; d < self->k; d++)
        if ((self->sets[i] >> d & 1) != 0
            && (best < 0 || levels[d] < levels[best]))
          best = d;
      sum += levels[best];
    }
  return sum;
}

/* ---- the whole ----------------------------------------------------------- */

/* The leads of @ops, each once, @maker (-1: none) left out, after those there are. */
static TpCheckerMembers
take_members (TpCheckerAnswers *self, const int *ops, int n, int maker)
{
  TpCheckerMembers members = { self->ops + self->n_rows, 0, self->n_rows };
  int *all = members.ops;

  for (int i = 0; i < n; i++)
    all[i] = self->leads[ops[i]];
  qsort (all, n, sizeof (int), tp_compare_int);
  for (int i = 0; i < n; i++)
    if (all[i] != maker
        && (members.n == 0 || all[i] != all[members.n - 1]))
      all[members.n++] = all[i];
  self->n_rows += members.n;
  return members;
}

/* Where memory has prices: as many as hold anything, each counted once a price. */
static gsize
count_holders (TpCheckerAnswers *self, TpCheckerHeld *held)
{
  gsize n = 0;

  for (int i = 0; i < self->n_bytes; i++)
    {
      int n_tensors = self->checker->graph->n_tensors;
      const TpMemoryPrice *it = &tp_array_index (self->rows, TpMemoryPrice,
                                                 i / n_tensors);

      tp_checker_held_find (held, i % n_tensors, it->device, it->step);
      n += held->n_ops;
    }
  return n;
}

static void
list_members (TpCheckerAnswers *self, TpCheckerHeld *held)
{
  const TpChecker *checker = self->checker;
  const TpGroup *groups = checker->plan->all_groups->groups;
  gsize n = 1;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    n += checker->tensors[i].n_readers;
  for (int i = 0; i < checker->costs->n_groups; i++)
    n += groups[i].n_nodes;
  self->ops = tp_new (int, n + count_holders (self, held));
  self->tensors = tp_new0 (TpCheckerMembers, checker->graph->n_tensors + 1);
  self->groups = tp_new0 (TpCheckerMembers, checker->costs->n_groups + 1);
  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      const TpTensorOutline *it = &checker->tensors[i];
      int maker = it->producer < 0 ? -1 : self->leads[it->producer];

      if (!it->is_resident)
        self->tensors[i]
            = take_members (self, it->readers, it->n_readers, maker);
    }
  for (int i = 0; i < checker->costs->n_groups; i++)
    self->groups[i]
        = take_members (self, groups[i].nodes, groups[i].n_nodes, -1);
}

/* Of each price, tensor after tensor. */
static void
list_bytes (TpCheckerAnswers *self, TpCheckerHeld *held)
{
  int n_tensors = self->checker->graph->n_tensors;

  self->bytes = tp_new0 (TpCheckerMembers, self->n_bytes + 1);
  self->prices = tp_new0 (TpMemoryPrice, self->n_bytes + 1);
  for (int i = 0; i < self->n_bytes; i++)
    {
      const TpMemoryPrice *it = &tp_array_index (self->rows, TpMemoryPrice,
                                                 i / n_tensors);
      gint64 bytes
          = tp_checker_held_find (held, i % n_tensors, it->device, it->step);

      self->prices[i].device = it->device;
      if (held->n_ops == 0)
        continue;
      self->prices[i].price = (gint64) ((Wide) it->price * bytes >> 30);
      self->bytes[i] = take_members (self, held->ops, held->n_ops, -1);
    }
}

static void
find_leads (TpCheckerAnswers *self)
{
  const TpGraph *graph = self->checker->graph;

  self->leads = tp_new (int, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    self->leads[i] = i;
  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 0; k < graph->colocations[i].n_nodes; k++)
      self->leads[graph->colocations[i].nodes[k]]
          = graph->colocations[i].nodes[0];
}

static void
find_sets (TpCheckerAnswers *self)
{
  gsize n = self->checker->graph->n_nodes;

  self->may = tp_new0 (guint, n + 1);
  for (gsize i = 0; i < n; i++)
    for (int d = 0; d < self->k; d++)
      if (tp_checker_may_run (self->checker, (int) i, d))
        self->may[i] |= 1u << d;
  self->sets = tp_memdup (self->may, (n + 1) * sizeof (guint));
}

void
tp_checker_answers_init (TpCheckerAnswers *self, TpChecker *checker,
                         const TpArray *prices)
{
  gsize n = checker->graph->n_nodes;
  g_auto (TpCheckerHeld) held = { 0 };

  *self = (TpCheckerAnswers){ .checker = checker,
                              .unit = checker->plan->share_proof->unit,
                              .k = checker->costs->n_devices,
                              .rows = prices };
  self->n_bytes = prices == NULL
                      ? 0 : (int) prices->len * checker->graph->n_tensors;
  tp_checker_held_init (&held, checker);
  find_leads (self);
  list_members (self, &held);
  list_bytes (self, &held);
  find_sets (self);
  self->amounts = tp_new0 (gint64, self->n_rows * self->k + 1);
  self->levels = tp_new0 (Wide, n * self->k + 1);
}

void
tp_checker_answers_clear (TpCheckerAnswers *self)
{
  g_free (self->leads);
  g_free (self->ops);
  g_free (self->tensors);
  g_free (self->groups);
  g_free (self->bytes);
  g_free (self->prices);
  g_free (self->amounts);
  g_free (self->may);
  g_free (self->sets);
  g_free (self->levels);
}
