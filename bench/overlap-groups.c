/* overlap-groups.c: what groups there could be if they were not to be disjoint, and
 * what they save, for overlap-gap.py.
 *
 * overlap-groups [--calibrate SECONDS] DEVICE[,DEVICE] MODEL
 *
 * A group here is any run of ops that the pair rules and "attention" of docs/planner.md
 * would join if nothing else were joined first, by those rules alone: every part of every
 * chain, whichever of its producers an op goes with. Wholes are a Concat with any one of
 * these at each input, or nothing: all where they are few, else those that differ from the
 * whole of the rule at one input or in what follows. Those of tp_fuse_find_all () come
 * first, and are not made twice. Times are of made-up machines, or from $TPLAN_COST.
 *
 * Prints lines of numbers, ns:
 *   graph   ops tensors devices host
 *   node    type, time on each device, or -1: not there
 *   tensor  producer is-output cost-to-the-second cost-to-the-first n readers...
 *   together n ops...
 *   group   set gain on each device, n ops...; set: 1 of a family of the rules, 2 offered
 *           by the planner, 0 neither */
#include "config.h"

#include "api/objects.h"
#include "calib/calibrate.h"
#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "ir/compare.h"
#include "planner/fuse-value.h"
#include "planner/fuse.h"
#include "planner/offer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUP 32
#define MAX_WHOLES 256 /* of one Concat: above that, those next to the rule's */

/* How far a run has come: what may follow. */
typedef enum
{
  AT_MAPS,   /* nothing but maps */
  AT_ONE,    /* a window, a reduction or what is moved, and maps */
  AT_FIRST,  /* a contraction with maps around it */
  AT_ROWS,   /* the reduction of attention, and maps: no group ends here */
  AT_SECOND, /* its second contraction, and maps */
  AT_END,
} Place;

typedef struct
{
  int n;
  int nodes[MAX_GROUP];
} Run;

typedef struct
{
  const TpGraph *graph;
  GHashTable *seen;           /* of texts of runs */
  TpGroups *groups;
  GArray *runs;               /* of Run: all, single ops too */
} Finder;

static void
fail (const GError *error)
{
  if (error == NULL)
    return;
  fprintf (stderr, "overlap-groups: %s\n", error->message);
  exit (1);
}

static TpOpKind
get_kind (const Finder *finder, int node)
{
  return tp_fuse_get_kind (&finder->graph->nodes[node]);
}

static void
add (Finder *finder, const int *nodes, int n)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%d,", nodes[i]);
  if (g_hash_table_add (finder->seen, g_string_free (text, FALSE)))
    tp_groups_add (finder->groups, nodes, n);
}

/* ---- runs ---------------------------------------------------------------- */

static gboolean
is_private (const Finder *finder, int producer, int consumer)
{
  const TpGraph *graph = finder->graph;

  return tp_fuse_is_for_one (graph, &graph->nodes[producer],
                             &graph->nodes[consumer])
         && tp_fuse_hands_on (graph, &graph->nodes[producer]);
}

/* Who alone reads what @node makes, and need not have it stored; -1: nobody. */
static int
find_reader (const Finder *finder, int node)
{
  const TpNode *it = &finder->graph->nodes[node];
  const TpTensor *made = it->n_outputs == 1 && it->outputs[0] >= 0
                             ? &finder->graph->tensors[it->outputs[0]]
                             : NULL;

  return made != NULL && made->n_consumers == 1
                 && is_private (finder, node, made->consumers[0])
             ? made->consumers[0]
             : -1;
}

/* The map that reads @view as it reads what is viewed; -1: there is none. */
static int
find_reader_through (const Finder *finder, int view)
{
  const TpGraph *graph = finder->graph;
  const TpNode *it = &graph->nodes[view];
  int reader = find_reader (finder, view);

  return reader >= 0 && !tp_node_is_stream (it)
                 && get_kind (finder, reader) == TP_OP_MAP
                 && it->inputs[0] >= 0
                 && tp_fuse_merges_dims (&graph->tensors[it->inputs[0]],
                                         &graph->tensors[it->outputs[0]])
             ? reader
             : -1;
}

/* Whether the rows of what @node reads are there for one other only. */
static gboolean
is_by_rows (const Finder *finder, int node)
{
  const TpGraph *graph = finder->graph;
  const TpNode *it = &graph->nodes[node];

  return it->n_outputs == 1 && it->n_inputs > 0 && it->inputs[0] >= 0
         && graph->tensors[it->outputs[0]].n_consumers == 1
         && tp_fuse_has_equal_dims (&graph->tensors[it->inputs[0]],
                                    &graph->tensors[it->outputs[0]]);
}

static Place
start_at (TpOpKind kind)
{
  switch (kind)
    {
    case TP_OP_MAP:
      return AT_MAPS;
    case TP_OP_CONTRACT:
      return AT_FIRST;
    case TP_OP_WINDOW:
    case TP_OP_REDUCE:
    case TP_OP_MOVE:
      return AT_ONE;
    default:
      return AT_END;
    }
}

static Place
go_on (const Finder *finder, Place place, int node)
{
  switch (get_kind (finder, node))
    {
    case TP_OP_MAP:
      return place;
    case TP_OP_CONTRACT:
      return place == AT_MAPS ? AT_FIRST : place == AT_ROWS ? AT_SECOND : AT_END;
    case TP_OP_REDUCE:
      return place == AT_FIRST && is_by_rows (finder, node) ? AT_ROWS : AT_END;
    default:
      return AT_END;
    }
}

/* The next op of @run is there; -1: none. A view that a map reads through goes with
 * it. */
static int
step (const Finder *finder, Run *run, Place place)
{
  int next = find_reader (finder, run->nodes[run->n - 1]);
  int after = next < 0 || get_kind (finder, next) != TP_OP_VIEW
                  ? -1
                  : find_reader_through (finder, next);

  if (next < 0)
    return -1;
  if (after >= 0 && place != AT_ROWS && run->n < MAX_GROUP - 1)
    run->nodes[run->n++] = next;
  return after >= 0 ? after : next;
}

static void
add_runs_from (Finder *finder, int node)
{
  Run run = { 1, { node } };
  Place place = start_at (get_kind (finder, node));

  if (place != AT_END)
    g_array_append_val (finder->runs, run);
  while (place != AT_END && run.n < MAX_GROUP)
    {
      int next = step (finder, &run, place);

      place = next < 0 || run.n == MAX_GROUP ? AT_END
                                             : go_on (finder, place, next);
      if (place == AT_END)
        break;
      run.nodes[run.n++] = next;
      if (place == AT_ROWS)
        continue;
      add (finder, run.nodes, run.n);
      g_array_append_val (finder->runs, run);
    }
}

/* ---- wholes -------------------------------------------------------------- */

/* What may be at each input of a Concat; the first is nothing. */
typedef struct
{
  int n;
  Run *of;
} Choices;

static Choices
find_parts (const Finder *finder, int join, int input, gboolean is_last)
{
  const TpGraph *graph = finder->graph;
  int tensor = graph->nodes[join].inputs[input];
  int last = tensor < 0 ? -1 : graph->tensors[tensor].producer;
  GArray *found = g_array_new (FALSE, TRUE, sizeof (Run));

  g_array_set_size (found, 1);
  if (last >= 0
      && tp_fuse_is_for_one (graph, &graph->nodes[last], &graph->nodes[join])
      && (is_last || tp_fuse_hands_on (graph, &graph->nodes[last])))
    for (guint i = 0; i < finder->runs->len; i++)
      {
        Run *run = &g_array_index (finder->runs, Run, i);

        if (run->nodes[run->n - 1] == last
            && !tp_fuse_joins (&graph->nodes[run->nodes[0]]))
          g_array_append_vals (found, run, 1);
      }
  return (Choices){ (int) found->len, (Run *) g_array_free (found, FALSE) };
}

static void
add_whole (Finder *finder, const Run *tail, const Choices *choices,
           const int *chosen, int n_inputs)
{
  Run run = *tail;

  for (int i = 0; i < n_inputs; i++)
    {
      const Run *part = &choices[i].of[chosen[i]];

      if (run.n + part->n > MAX_GROUP)
        return;
      memcpy (run.nodes + run.n, part->nodes, part->n * sizeof (int));
      run.n += part->n;
    }
  qsort (run.nodes, run.n, sizeof (int), tp_compare_int);
  if (run.n > tail->n)
    add (finder, run.nodes, run.n);
}

/* The longest of each, as far as there is room: what the rule would take, mostly. */
static void
choose_longest (const Run *tail, const Choices *choices, int *chosen, int n_inputs)
{
  int n = tail->n;

  for (int i = 0; i < n_inputs; i++)
    {
      chosen[i] = 0;
      for (int k = 1; k < choices[i].n; k++)
        if (choices[i].of[k].n > choices[i].of[chosen[i]].n
            && n + choices[i].of[k].n <= MAX_GROUP)
          chosen[i] = k;
      n += choices[i].of[chosen[i]].n;
    }
}

/* The next of all choices, as one counts; FALSE: that was the last. */
static gboolean
advance (const Choices *choices, int *chosen, int n_inputs)
{
  for (int i = 0; i < n_inputs; i++)
    {
      if (++chosen[i] < choices[i].n)
        return TRUE;
      chosen[i] = 0;
    }
  return FALSE;
}

static void
add_wholes_with (Finder *finder, int join, const Run *tail)
{
  int n_inputs = finder->graph->nodes[join].n_inputs;
  g_autofree Choices *choices = g_new (Choices, n_inputs);
  g_autofree int *chosen = g_new0 (int, n_inputs);
  double n_all = 1;

  for (int i = 0; i < n_inputs; i++)
    {
      choices[i] = find_parts (finder, join, i, tail->n == 1);
      n_all *= choices[i].n;
    }
  if (n_all <= MAX_WHOLES)
    do
      add_whole (finder, tail, choices, chosen, n_inputs);
    while (advance (choices, chosen, n_inputs));
  else
    for (int i = 0; i < n_inputs; i++)
      for (int k = 0; k < choices[i].n; k++)
        {
          choose_longest (tail, choices, chosen, n_inputs);
          chosen[i] = k;
          add_whole (finder, tail, choices, chosen, n_inputs);
        }
  for (int i = 0; i < n_inputs; i++)
    g_free (choices[i].of);
}

static TpGroups *
find_groups (const TpGraph *graph, const TpGroups *family)
{
  Finder finder = { graph, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                    tp_groups_new (), g_array_new (FALSE, FALSE, sizeof (Run)) };
  guint n_runs;

  for (int i = 0; i < family->n_groups; i++)
    add (&finder, family->groups[i].nodes, family->groups[i].n_nodes);
  for (int i = 0; i < graph->n_nodes; i++)
    add_runs_from (&finder, i);
  n_runs = finder.runs->len;
  for (guint i = 0; i < n_runs; i++)
    {
      const Run *run = &g_array_index (finder.runs, Run, i);

      if (tp_fuse_joins (&graph->nodes[run->nodes[0]]))
        add_wholes_with (&finder, run->nodes[0], run);
    }
  g_hash_table_unref (finder.seen);
  g_array_unref (finder.runs);
  return finder.groups;
}

/* ---- figures ------------------------------------------------------------- */

static gint64
get_time (const TpGraph *graph, const TpCosts *costs, int node, int device)
{
  const char *const *pins = graph->nodes[node].pins;

  return pins != NULL && !g_strv_contains (pins, costs->devices[device])
             ? TP_COST_NONE
             : tp_costs_node (costs, node, device)->time_ns;
}

static gint64
find_gain (const TpGraph *graph, const TpCosts *costs, const TpGroup *group,
           gint64 time_ns, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      gint64 alone = get_time (graph, costs, group->nodes[i], device);

      if (alone == TP_COST_NONE || time_ns == TP_COST_NONE)
        return 0;
      sum += alone;
    }
  return MAX (0, sum - time_ns);
}

static gboolean
is_among (const TpGroups *groups, const TpGroup *group)
{
  for (int i = 0; i < groups->n_groups; i++)
    if (groups->groups[i].n_nodes == group->n_nodes
        && memcmp (groups->groups[i].nodes, group->nodes,
                   group->n_nodes * sizeof (int)) == 0)
      return TRUE;
  return FALSE;
}

static void
print_list (const int *nodes, int n)
{
  printf (" %d", n);
  for (int i = 0; i < n; i++)
    printf (" %d", nodes[i]);
  printf ("\n");
}

static void
print_graph (const TpGraph *graph, const TpCosts *costs)
{
  int second = costs->n_devices - 1;

  printf ("graph %d %d %d %d\n", graph->n_nodes, graph->n_tensors,
          costs->n_devices, costs->host);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      printf ("node %s", graph->nodes[i].type);
      for (int d = 0; d < costs->n_devices; d++)
        {
          gint64 time_ns = get_time (graph, costs, i, d);

          printf (" %" G_GINT64_FORMAT, time_ns == TP_COST_NONE ? -1 : time_ns);
        }
      printf ("\n");
    }
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *it = &graph->tensors[i];
      gint64 there, back;

      if (tp_tensor_is_resident (it))
        continue;
      there = tp_costs_copy (costs, i, it->producer < 0 ? TP_COSTS_HOST : 0, second)
                  .time_ns;
      back = tp_costs_copy (costs, i, it->producer < 0 ? TP_COSTS_HOST : second, 0)
                 .time_ns;
      printf ("tensor %d %d %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, it->producer,
              it->is_output, there, back);
      print_list (it->consumers, it->n_consumers);
    }
  for (int i = 0; i < graph->n_colocations; i++)
    {
      printf ("together");
      print_list (graph->colocations[i].nodes, graph->colocations[i].n_nodes);
    }
}

static void
print_groups (const TpGraph *graph, const TpCosts *costs, const TpGroups *groups,
              const TpGroups *family, const TpGroups *offered)
{
  for (int i = 0; i < groups->n_groups; i++)
    {
      const TpGroup *it = &groups->groups[i];
      int set = is_among (offered, it) ? 2 : is_among (family, it) ? 1 : 0;

      printf ("group %d", set);
      for (int d = 0; d < costs->n_devices; d++)
        printf (" %" G_GINT64_FORMAT,
                find_gain (graph, costs, it, tp_costs_group (costs, i, d)->time_ns, d));
      print_list (it->nodes, it->n_nodes);
    }
}

/* $GAP_DIMS: values of named dimensions, such as "N=8 L=16". */
static TplanGraph *
load (const char *path)
{
  const char *said = g_getenv ("GAP_DIMS");
  g_auto (GStrv) words = g_strsplit (said == NULL ? "" : said, " ", -1);
  g_autofree TplanDim *dims = g_new0 (TplanDim, g_strv_length (words) + 1);
  g_autoptr (GError) error = NULL;
  TplanGraph *model;
  int n = 0;

  for (char **word = words; *word != NULL; word++)
    {
      char *value = strchr (*word, '=');

      if (value == NULL)
        continue;
      *value = 0;
      dims[n++] = (TplanDim){ *word, atoi (value + 1) };
    }
  model = tplan_graph_load (path, dims, &error);
  fail (error);
  return model;
}

/* Of @groups, what shares no op with another before it; the rest is left in *@rest. */
static TpGroups *
take_disjoint (const TpGraph *graph, const TpGroups *groups, TpGroups **rest)
{
  g_autofree gboolean *is_taken = g_new0 (gboolean, graph->n_nodes + 1);
  TpGroups *taken = tp_groups_new ();

  *rest = tp_groups_new ();
  for (int i = 0; i < groups->n_groups; i++)
    {
      const TpGroup *it = &groups->groups[i];
      gboolean is_free = TRUE;

      for (int k = 0; k < it->n_nodes; k++)
        is_free &= !is_taken[it->nodes[k]];
      for (int k = 0; k < it->n_nodes && is_free; k++)
        is_taken[it->nodes[k]] = TRUE;
      tp_groups_add_copy (is_free ? taken : *rest, it);
    }
  return taken;
}

/* In turns: a calibration runs a graph as it would be run, each op once. */
static void
calibrate (TpCostDb *db, const TpGraph *graph, const TpGroups *groups,
           const TpCalibOptions *options, int limit_s)
{
  gint64 end_us = g_get_monotonic_time () + limit_s * G_USEC_PER_SEC;
  TpGroups *left = tp_groups_new ();
  TpCalibOptions timed = *options;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < groups->n_groups; i++)
    tp_groups_add_copy (left, &groups->groups[i]);
  while (left->n_groups > 0 && g_get_monotonic_time () < end_us)
    {
      TpGroups *rest;
      g_autoptr (TpGroups) turn = take_disjoint (graph, left, &rest);

      timed.time_limit_ns = (end_us - g_get_monotonic_time ()) * 1000;
      tp_calibrate (db, graph, turn, &timed, &error);
      fail (error);
      tp_groups_free (left);
      left = rest;
    }
  if (left->n_groups > 0)
    fprintf (stderr, "overlap-groups: no time for %d groups\n", left->n_groups);
  tp_groups_free (left);
}

static void
report (const char *path, const TpCalibOptions *options, int limit_s)
{
  TplanGraph *model = load (path);
  const TpGraph *graph = model->graph;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpCostDb) db
      = tp_cost_db_open (g_getenv ("TPLAN_COST"), limit_s == 0, &error);
  g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL, options->devices);
  g_autoptr (TpGroups) groups = find_groups (graph, family);
  g_autoptr (TpGroups) offered = NULL;
  g_autoptr (TpCosts) costs = NULL, rule_costs = NULL;

  fail (error);
  if (limit_s > 0)
    calibrate (db, graph, groups, options, limit_s);
  rule_costs = tp_cost_db_lookup (db, graph, family, options, &error);
  fail (error);
  offered = tp_offer_choose (family, graph, rule_costs);
  costs = tp_cost_db_lookup (db, graph, groups, options, &error);
  fail (error);
  print_graph (graph, costs);
  print_groups (graph, costs, groups, family, offered);
  tplan_graph_free (model);
}

int
main (int argc, char **argv)
{
  gboolean calibrates = argc == 5 && strcmp (argv[1], "--calibrate") == 0;
  g_auto (GStrv) devices
      = argc < 3 ? NULL : g_strsplit (argv[calibrates ? 3 : 1], ",", 2);
  TpCalibOptions options = { .devices = (const char *const *) devices,
                             .wants_maps = TRUE };

  if (argc != (calibrates ? 5 : 3))
    {
      fprintf (stderr, "usage: overlap-groups [--calibrate SECONDS] "
                       "DEVICE[,DEVICE] MODEL\n");
      return 2;
    }
  options.n_devices = (int) g_strv_length (devices);
  report (argv[calibrates ? 4 : 2], &options, calibrates ? atoi (argv[2]) : 0);
  return 0;
}
