/* check-forced.c: what more flows once an op is forced to its other device.
 *
 * An op of the first device that is to be on the second is a sink: the least cut
 * with it there is larger by what can still flow to it from the source. Of one that is
 * to be on the first all is turned round. No way goes through a terminal: the flow
 * there is has been found the largest between them. Ways are searched from the op,
 * breadth first, and what arcs there are is found as vertices are come to, so that
 * most searches see little of the network. */
#include "config.h"

#include "planner/check/check-forced.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-arcs.h"
#include "planner/check/check-vertex.h"

#include <string.h>

#define UNBOUNDED (G_GINT64_CONSTANT (1) << 61)

/* Between a vertex and one next to it: an arc each way, of which one may lack. */
typedef struct
{
  int vertex;                 /* the other */
  gint64 in, out;             /* numbers of the arcs from it, to it; -1: none */
  gint64 in_capacity, out_capacity;
} Link;

typedef struct
{
  int first, n;               /* of the links; first -1: not looked for yet */
} Span;

/* How the search came to a vertex. */
typedef struct
{
  int search;                 /* in which; others do not count */
  int from;                   /* the vertex before, nearer to the op */
  int link;                   /* of that, which leads here */
} Met;

typedef struct
{
  gint64 arc, before;
} Change;

struct TpCheckerForced
{
  const TpChecker *checker;   /* (unowned) */
  TpCheckerVertices vertices;
  TpCheckerArcs arcs;
  gint64 price;               /* on every copy */
  gint64 *flows;              /* [number of an arc] */
  TpArray *links;             /* Link */
  Span *spans;                /* [vertex] */
  Met *met;                   /* [vertex] */
  int n_searches;
  TpArray *queue;             /* int: vertices */
  TpArray *changes;           /* Change: of flows, in order */
};

/* One question. */
typedef struct
{
  TpCheckerForced *forced;
  int op, goal;               /* vertices */
  gboolean is_turned;         /* from the op, not to it */
  gint64 most, found;
  gint64 *looks;
} Question;

/* ---- the network ---------------------------------------------------------- */

static TpCutVertex
name_vertex (const TpCheckerForced *forced, int vertex)
{
  int kind = 0;

  while (vertex >= forced->vertices.bases[kind + 1])
    kind++;
  return (TpCutVertex){ kind, (int) (vertex - forced->vertices.bases[kind]) };
}

static int
find_vertex (const TpCheckerForced *forced, TpCutVertexKind kind, int index)
{
  return (int) tp_checker_find_vertex (&forced->vertices,
                                       (TpCutVertex){ kind, index });
}

/* With the price of the tie. */
static gint64
get_capacity (const TpCheckerForced *forced, TpCutVertex from, TpCutVertex to,
              const TpCheckerArc *arc)
{
  if (arc->capacity == TP_CHECKER_INFINITE || forced->price == 0)
    return arc->capacity;
  return arc->capacity
         + forced->price
               * tp_checker_arcs_count_copies (&forced->arcs, from, to);
}

/* Between the vertex whose links come last, and another. */
static void
add_link (TpCheckerForced *forced, TpCutVertex self, TpCutVertexKind kind,
          int index)
{
  TpCutVertex other = { kind, index };
  TpCheckerArc in = tp_checker_arcs_find (&forced->arcs, other, self);
  TpCheckerArc out = tp_checker_arcs_find (&forced->arcs, self, other);
  Link link = { find_vertex (forced, kind, index), -1, -1, 0, 0 };

  if (in.capacity != TP_CHECKER_ABSENT)
    {
      link.in = in.number;
      link.in_capacity = get_capacity (forced, other, self, &in);
    }
  if (out.capacity != TP_CHECKER_ABSENT)
    {
      link.out = out.number;
      link.out_capacity = get_capacity (forced, self, other, &out);
    }
  if (link.in >= 0 || link.out >= 0)
    tp_array_append_val (forced->links, link);
}

/* Of what @tensor is to an op. @other: who makes it, or reads it. */
static void
add_tensor (TpCheckerForced *forced, TpCutVertex op, int tensor, int other)
{
  if (tensor < 0 || forced->checker->tensors[tensor].is_resident)
    return;
  if (forced->arcs.copies[tensor].is_plain)
    {
      add_link (forced, op, TP_CUT_NODE, other);
      return;
    }
  add_link (forced, op, TP_CUT_ON_SECOND, tensor);
  add_link (forced, op, TP_CUT_ON_FIRST, tensor);
}

static void
open_op (TpCheckerForced *forced, TpCutVertex op)
{
  const TpChecker *checker = forced->checker;
  const TpNode *node = &checker->graph->nodes[op.index];
  int group = checker->group_of[op.index];

  add_link (forced, op, TP_CUT_SOURCE, 0);
  add_link (forced, op, TP_CUT_SINK, 0);
  for (int i = 0; i < node->n_outputs; i++)
    add_tensor (forced, op, node->outputs[i], forced->arcs.plains[op.index].reader);
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      add_tensor (forced, op, node->inputs[i],
                  checker->tensors[node->inputs[i]].producer);
  if (group >= 0)
    {
      add_link (forced, op, TP_CUT_WHOLE_FIRST, group);
      add_link (forced, op, TP_CUT_WHOLE_SECOND, group);
    }
  if (forced->arcs.together[op.index] >= 0)
    add_link (forced, op, TP_CUT_TOGETHER, forced->arcs.together[op.index]);
}

static void
add_ops (TpCheckerForced *forced, TpCutVertex self, const int *ops, int n_ops)
{
  for (int i = 0; i < n_ops; i++)
    add_link (forced, self, TP_CUT_NODE, ops[i]);
}

static void
open_other (TpCheckerForced *forced, TpCutVertex self)
{
  const TpChecker *checker = forced->checker;
  gboolean is_group
      = self.kind == TP_CUT_WHOLE_FIRST || self.kind == TP_CUT_WHOLE_SECOND;

  add_link (forced, self, TP_CUT_SOURCE, 0);
  add_link (forced, self, TP_CUT_SINK, 0);
  if (is_group)
    add_ops (forced, self,
             checker->plan->all_groups->groups[self.index].nodes,
             checker->plan->all_groups->groups[self.index].n_nodes);
  else if (self.kind == TP_CUT_TOGETHER)
    add_ops (forced, self, checker->graph->colocations[self.index].nodes,
             checker->graph->colocations[self.index].n_nodes);
  else
    {
      const TpTensorOutline *tensor = &checker->tensors[self.index];

      add_ops (forced, self, &tensor->producer, tensor->producer >= 0);
      add_ops (forced, self, tensor->readers, tensor->n_readers);
    }
}

static Span
open_vertex (TpCheckerForced *forced, int vertex)
{
  Span *span = &forced->spans[vertex];
  TpCutVertex self = name_vertex (forced, vertex);

  if (span->first >= 0)
    return *span;
  span->first = (int) forced->links->len;
  if (self.kind == TP_CUT_NODE)
    open_op (forced, self);
  else
    open_other (forced, self);
  span->n = (int) forced->links->len - span->first;
  return *span;
}

/* ---- flow ---------------------------------------------------------------- */

/* The two arcs of a link, as the question has them: with the flow that is looked for,
 * and against it. */
typedef struct
{
  gint64 with, capacity, against;
} Way;

static Way
get_way (const Question *question, const Link *link)
{
  return question->is_turned
             ? (Way){ link->out, link->out_capacity, link->in }
             : (Way){ link->in, link->in_capacity, link->out };
}

static gint64
get_room (const Question *question, const Link *link)
{
  const gint64 *flows = question->forced->flows;
  Way way = get_way (question, link);
  gint64 room = 0;

  if (way.with >= 0 && way.capacity == TP_CHECKER_INFINITE)
    return UNBOUNDED;
  if (way.with >= 0)
    room = way.capacity - flows[way.with];
  return way.against >= 0 ? room + flows[way.against] : room;
}

static void
change (TpCheckerForced *forced, gint64 arc, gint64 by)
{
  Change change = { arc, forced->flows[arc] };

  tp_array_append_val (forced->changes, change);
  forced->flows[arc] += by;
}

/* What flows back is not sent first. */
static void
send (const Question *question, const Link *link, gint64 amount)
{
  TpCheckerForced *forced = question->forced;
  Way way = get_way (question, link);
  gint64 back = way.against < 0 ? 0 : MIN (forced->flows[way.against], amount);

  if (back > 0)
    change (forced, way.against, -back);
  if (amount > back)
    change (forced, way.with, amount - back);
}

static const Link *
get_link (const TpCheckerForced *forced, int index)
{
  return &tp_array_index (forced->links, Link, index);
}

/* Along @last, from the goal to @vertex, and on to the op. */
static void
send_from (Question *question, int vertex, const Link *last)
{
  TpCheckerForced *forced = question->forced;
  gint64 amount = MIN (get_room (question, last),
                       question->most - question->found);

  for (int v = vertex; v != question->op; v = forced->met[v].from)
    amount = MIN (amount,
                  get_room (question, get_link (forced, forced->met[v].link)));
  if (amount == 0)
    return;
  send (question, last, amount);
  for (int v = vertex; v != question->op; v = forced->met[v].from)
    send (question, get_link (forced, forced->met[v].link), amount);
  question->found += amount;
}

static void
meet (TpCheckerForced *forced, int vertex, Met met)
{
  forced->met[vertex] = met;
  tp_array_append_val (forced->queue, vertex);
}

/* All that can flow on to @vertex from those next to it. */
static void
look_around (Question *question, int vertex)
{
  TpCheckerForced *forced = question->forced;
  Span span = open_vertex (forced, vertex);

  *question->looks -= span.n;
  for (int i = span.first; i < span.first + span.n; i++)
    {
      const Link *link = get_link (forced, i);
      int other = link->vertex;

      if (forced->met[other].search == forced->n_searches
          || get_room (question, link) <= 0)
        continue;
      if (other == question->goal)
        send_from (question, vertex, link);
      else if (other > TP_CUT_SINK)
        meet (forced, other, (Met){ forced->n_searches, vertex, i });
    }
}

/* Once through all that can reach the op. */
static void
search (Question *question)
{
  TpCheckerForced *forced = question->forced;

  forced->n_searches++;
  tp_array_set_size (forced->queue, 0);
  meet (forced, question->op, (Met){ forced->n_searches, -1, -1 });
  for (guint i = 0; i < forced->queue->len && *question->looks > 0
                    && question->found < question->most;
       i++)
    look_around (question, tp_array_index (forced->queue, int, i));
}

static void
take_back (TpCheckerForced *forced)
{
  for (guint i = forced->changes->len; i > 0; i--)
    {
      const Change *it = &tp_array_index (forced->changes, Change, i - 1);

      forced->flows[it->arc] = it->before;
    }
  tp_array_set_size (forced->changes, 0);
}

void
tp_checker_forced_find (TpCheckerForced *forced, int op, int device,
                        gint64 most, TpCheckerForcedAnswer *answer)
{
  Question question = {
    .forced = forced,
    .op = find_vertex (forced, TP_CUT_NODE, op),
    .goal = device == 0 ? TP_CUT_SOURCE : TP_CUT_SINK,
    .is_turned = device != 0,
    .most = most,
    .looks = &answer->looks,
  };
  gint64 before;

  do
    {
      before = question.found;
      search (&question);
    }
  while (question.found > before && question.found < most
         && answer->looks > 0);
  take_back (forced);
  answer->amount = question.found;
  answer->kind = question.found >= most ? TP_CHECKER_FORCED_MORE
                 : answer->looks <= 0   ? TP_CHECKER_FORCED_UNKNOWN
                                        : TP_CHECKER_FORCED_EXACT;
}

/* ---- making -------------------------------------------------------------- */

static void
take_flows (TpCheckerForced *forced)
{
  const TpPlan *plan = forced->checker->plan;

  forced->flows = tp_memdup (forced->price > 0 ? plan->tie_flows : plan->flows,
                             sizeof (gint64) * (gsize) forced->arcs.n_numbers);
}

TpCheckerForced *
tp_checker_forced_new (const TpChecker *checker)
{
  g_autoptr (TpCheckerForced) forced = g_new0 (TpCheckerForced, 1);
  gsize n;

  forced->checker = checker;
  forced->price = checker->plan->tie_price_ns;
  forced->vertices = tp_checker_number_vertices (checker);
  n = (gsize) tp_checker_count_vertices (&forced->vertices);
  tp_checker_arcs_init (&forced->arcs, checker);
  take_flows (forced);
  forced->links = tp_array_new (sizeof (Link));
  forced->queue = tp_array_new (sizeof (int));
  forced->changes = tp_array_new (sizeof (Change));
  forced->met = tp_new0 (Met, n + 1);
  forced->spans = tp_new (Span, n + 1);
  memset (forced->spans, -1, n * sizeof (Span));
  return g_steal_pointer (&forced);
}

void
tp_checker_forced_free (TpCheckerForced *forced)
{
  if (forced == NULL)
    return;
  tp_checker_arcs_clear (&forced->arcs);
  g_free (forced->flows);
  g_free (forced->spans);
  g_free (forced->met);
  tp_array_unref (forced->links);
  tp_array_unref (forced->queue);
  tp_array_unref (forced->changes);
  g_free (forced);
}
