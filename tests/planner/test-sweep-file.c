/* test-sweep-file.c: plans for three and four devices with proofs by sweeps, as files:
 * read back as they were, refused where they are none, and what the checker in Python
 * makes of them. */
#include "config.h"

#include "lies.h"

#include "format/graph-load.h"
#include "format/plan-json.h"
#include "format/plan-load.h"
#include "format/plan-save.h"
#include "graph/pass.h"
#include "ir/plan-memory.h"
#include "planner/place.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST_DEVICES 5
#define N_OPS 4
#define N_GOOD 40

static const char *const names[MOST_DEVICES + 1]
    = { "cpu", "opencl:0", "opencl:1", "opencl:2", "opencl:3", NULL };

/* ---- as files -------------------------------------------------------------- */

typedef struct
{
  char *folder, *graph_path, *plan_path;
  TpGraph *graph;
  TpPlan *plan;               /* within limits */
} File;

/* Each op has a weight. */
static char *
write_graph (void)
{
  GString *text = g_string_new ("{\"format\": \"tplan-graph/1\", \"name\": \"g\", "
                                "\"opset\": 17,\n \"inputs\": [{\"name\": \"t0\", "
                                "\"dtype\": \"float32\", \"shape\": [1000]}],\n"
                                " \"initializers\": [");

  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (text, "%s{\"name\": \"w%d\", \"dtype\": \"float32\", "
                            "\"shape\": [1000], \"fill\": 1}",
                            i == 0 ? "" : ",\n  ", i);
  g_string_append (text, "],\n \"ops\": [");
  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (text, "%s{\"name\": \"op%d\", \"type\": \"Add\", "
                            "\"inputs\": [\"t%d\", \"w%d\"], \"outputs\": "
                            "[\"t%d\"]}",
                            i == 0 ? "" : ",\n  ", i, i, i, i + 1);
  g_string_append_printf (text, "],\n \"outputs\": [\"t%d\"]}\n", N_OPS);
  return g_string_free (text, FALSE);
}

static TpCosts *
make_costs (int n_devices, const TpGraph *graph, const TpGroups *groups)
{
  char **devices = g_new0 (char *, n_devices + 1);
  TpCosts *costs;

  for (int d = 0; d < n_devices; d++)
    devices[d] = (char *) names[d];
  costs = tp_costs_new (n_devices, (const char *const *) devices, graph, groups);
  g_free (devices);
  for (int i = 0; i < graph->n_nodes; i++)
    for (int d = 0; d < n_devices; d++)
      tp_costs_node (costs, i, d)->time_ns = d == 0 ? 1000 : 100 + 10 * d;
  for (int t = 0; t < graph->n_tensors; t++)
    for (int d = 1; d < n_devices; d++)
      tp_costs_feed (costs, t, d)->time_ns
          = tp_costs_fetch (costs, t, d)->time_ns = 20;
  tp_costs_seal (costs);
  return costs;
}

/* Room for two ops on each device but the first. */
static TpPlan *
place (int n_devices, const TpGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpCosts) costs = make_costs (n_devices, graph, groups);
  gint64 limits[MOST_DEVICES] = { 0 };
  const TpPlaceOptions options = { .objective = "time", .limits = limits, .n_cuts = 64 };
  TpPlan *plan;

  for (int d = 1; d < n_devices; d++)
    limits[d] = 20000;
  plan = tp_place_with (graph, groups, costs, &options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (plan->memory_limits);
  g_free (plan->graph_path);
  plan->graph_path = g_strdup ("g.json");
  tp_plan_count_memory (plan, graph);
  return plan;
}

static void
file_init (File *f, int n_devices)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = NULL;
  g_autofree char *text = write_graph ();

  f->folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  f->graph_path = g_build_filename (f->folder, "g.json", NULL);
  f->plan_path = g_build_filename (f->folder, "p.json", NULL);
  g_assert_true (g_file_set_contents (f->graph_path, text, -1, NULL));
  raw = tp_graph_load (f->graph_path, NULL, &error);
  g_assert_no_error (error);
  f->graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  f->plan = place (n_devices, f->graph);
  tp_test_add_sweeps (f->plan, 1, 5000, f->plan->bound_ns);
}

static void
file_clear (File *f)
{
  tp_plan_unref (f->plan);
  tp_graph_unref (f->graph);
  g_remove (f->plan_path);
  g_remove (f->graph_path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->graph_path);
  g_free (f->plan_path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (File, file_clear)

static void
check_same (const TpMemoryProof *a, const TpMemoryProof *b)
{
  g_assert_cmpint (a->bound_ns, ==, b->bound_ns);
  g_assert_cmpuint (b->bounds->len, ==, 0);
  g_assert_cmpuint (a->entries->len, ==, b->entries->len);
  for (guint i = 0; i < a->entries->len; i++)
    {
      const TpProofEntry *x = &tp_array_index (a->entries, TpProofEntry, i);
      const TpProofEntry *y = &tp_array_index (b->entries, TpProofEntry, i);

      g_assert_cmpint (x->kind, ==, y->kind);
      g_assert_cmpint (x->index, ==, y->index);
      g_assert_cmpint (x->bytes, ==, y->bytes);
      g_assert_cmpmem (x->prices, sizeof x->prices, y->prices,
                       sizeof y->prices);
    }
}

static int
count_lines (const char *text, const char *start)
{
  int n = 0;

  for (; (text = strstr (text, start)) != NULL; text++)
    n++;
  return n;
}

/* Beside @has_room: the bound by shares. */
static void
check_round_trip (File *f, gboolean has_room)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autofree char *first = NULL, *second = NULL;

  if (!has_room)
    g_clear_pointer (&f->plan->share_proof->room, tp_share_bound_free);
  first = tp_plan_to_json (f->plan, f->graph);
  g_assert_cmpint (count_lines (first, " \"memory_views\": "), ==, 1);
  g_assert_cmpint (count_lines (first, " \"share_room_ns\": "), ==, has_room);
  g_assert_true (tp_plan_save (f->plan, f->graph, f->plan_path, &error));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  second = tp_plan_to_json (plan, graph);
  g_assert_cmpstr (first, ==, second);
  check_same (f->plan->memory_proof, plan->memory_proof);
  g_assert_true ((plan->share_proof->room != NULL) == has_room);
}

static void
test_round_trip (gconstpointer n_devices)
{
  g_auto (File) f = { 0 };

  file_init (&f, GPOINTER_TO_INT (n_devices));
  g_assert_nonnull (f.plan->share_proof->room);
  check_round_trip (&f, TRUE);
  check_round_trip (&f, FALSE);
}

/* ---- files that are none --------------------------------------------------- */

/* @text with the first @what replaced and signed again. */
static char *
forge (const char *text, const char *what, const char *by)
{
  const char *at = strstr (text, what);
  g_autofree char *before = NULL, *forged = NULL, *body = NULL, *digest = NULL;

  if (at == NULL)
    g_error ("no '%s' in %s", what, text);
  before = g_strndup (text, at - text);
  forged = g_strconcat (before, by, at + strlen (what), NULL);
  body = g_strndup (forged, strstr (forged, TP_PLAN_DIGEST_KEY) - forged);
  digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, body, -1);
  return g_strconcat (body, TP_PLAN_DIGEST_KEY, digest, TP_PLAN_TAIL, NULL);
}

/* The message has @place. */
static void
expect_refused (File *f, const char *text, const char *place)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;

  g_assert_true (g_file_set_contents (f->plan_path, text, -1, NULL));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_null (plan);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  if (strstr (error->message, place) == NULL)
    g_error ("'%s' does not say '%s'", error->message, place);
}

static void
test_refused (void)
{
  static const char sweep[] = "[\"sweep\", 7, 1007, 2007]";
  static const char peak[] = "[\"peak\", 1, 5000]";
  const struct
  {
    const char *what, *by, *place;
  } lies[] = {
    { sweep, "[\"sweep\", 7, 1007]", "memory_tree[1]: a sweep with 2 prices" },
    { sweep, "[\"sweep\", 7, 1007, 2007, 3007]", "memory_tree[1]: a sweep with 4" },
    { sweep, "[\"sweep\"]", "memory_tree[1]: a sweep with 0 prices" },
    { sweep, "[\"sweep\", 7, -1, 2007]", "memory_tree[1]: -1" },
    { sweep, "[\"sweep\", 7, 1.5, 2007]", "memory_tree[1]" },
    { sweep, "[\"sweep\", 7, \"1\", 2007]", "memory_tree[1]" },
    { sweep, "[\"op\", 0]", "memory_tree[1]: not [\"peak\"" },
    { sweep, "[\"bound\", 0]", "memory_tree[1]: not [\"peak\"" },
    { sweep, "[\"full\", 1, 0]", "memory_tree[1]: not [\"peak\"" },
    { sweep, "[\"placed\"]", "memory_tree[1]: not [\"peak\"" },
    { sweep, "[]", "memory_tree[1]: not [\"peak\"" },
    { sweep, "{}", "memory_tree[1]: not [\"peak\"" },
    { peak, "[\"peak\", 3, 5000]", "memory_tree[0]: a peak of device 3, of 3" },
    { peak, "[\"peak\", -1, 5000]", "memory_tree[0]: -1" },
    { peak, "[\"peak\", 4294967297, 5000]", "memory_tree[0]: 4294967297" },
    { peak, "[\"peak\", 1, -5]", "memory_tree[0]: -5" },
    { peak, "[\"peak\", 1]", "memory_tree[0]: not [\"peak\"" },
    { "\"memory_bounds\": []",
      "\"memory_bounds\": [{\"costs\": true, \"prices\": [], \"shares\": []}]",
      "memory_bounds: not empty" },
    { "\"memory_bounds\": []", "\"memory_bounds\": 5", "memory_bounds" },
    { "\"memory_tree\": [", "\"memory_trees\": [", "memory_tree" },
    { "\"memory_bound_ns\": ", "\"memory_bound_ns\": \"1\", \"n\": ",
      "memory_bound_ns" },
  };
  g_auto (File) f = { 0 };
  g_autofree char *text = NULL;

  file_init (&f, 3);
  text = tp_plan_to_json (f.plan, f.graph);
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      g_autofree char *lie = forge (text, lies[i].what, lies[i].by);

      expect_refused (&f, lie, lies[i].place);
    }
}

/* Such proofs are of four devices at most. */
static void
test_too_many (void)
{
  g_auto (File) f = { 0 };
  g_autofree char *text = NULL;

  file_init (&f, MOST_DEVICES);
  text = tp_plan_to_json (f.plan, f.graph);
  expect_refused (&f, text, "memory_bound_ns: there are 5 devices");
}

/* ---- what is known of those that fit --------------------------------------- */

static void
test_bound (void)
{
  g_auto (File) f = { 0 };
  TpPlan *plan;
  gint64 room;

  file_init (&f, 3);
  plan = f.plan;
  if (plan->share_proof->room == NULL)
    plan->share_proof->room = tp_share_bound_new ();
  room = plan->share_proof->room_ns = plan->bound_ns + 10;
  plan->memory_proof->bound_ns = room + 5;
  g_assert_true (tp_plan_has_fit_bound (plan));
  g_assert_cmpint (tp_plan_get_fit_bound_ns (plan), ==, room + 5);
  plan->memory_proof->bound_ns = room - 5;
  g_assert_cmpint (tp_plan_get_fit_bound_ns (plan), ==, room);
  g_clear_pointer (&plan->share_proof->room, tp_share_bound_free);
  g_assert_true (tp_plan_has_fit_bound (plan));
  g_assert_cmpint (tp_plan_get_fit_bound_ns (plan), ==, room - 5);
  g_clear_pointer (&plan->memory_proof, tp_memory_proof_free);
  g_assert_false (tp_plan_has_fit_bound (plan));
  g_assert_cmpint (tp_plan_get_fit_bound_ns (plan), ==, plan->bound_ns);
}

/* ---- the checker in Python ------------------------------------------------- */

#define MAX_KINDS 32

static void
test_second (void)
{
  TpTestMutation kinds[MAX_KINDS] = { { NULL, NULL } };
  const TpTestLies lies
      = { kinds, tp_test_sweep_case_new, tp_test_place_sweeps, N_GOOD, 8 };

  /* all but what no file says */
  for (int i = 0; tp_test_sweep_refusals[i + 1].reason != NULL; i++)
    {
      g_assert_cmpint (i + 1, <, MAX_KINDS);
      kinds[i] = tp_test_sweep_refusals[i + 1].mutation;
    }
  tp_test_lies_check_second (&lies);
}

static void
check_refusal (const TpTestRefusal *refusal)
{
  int n = 0;

  for (int round = 0; n < 4; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_sweep_case_new (round);
      g_autoptr (TpPlan) plan = tp_test_place_sweeps (test, round);

      if (plan == NULL || !refusal->mutation.mutate (plan, test))
        continue;
      n++;
      tp_test_assert_refused (plan, test, refusal->reason);
    }
}

/* tp_check () takes what is right, and refuses what is spoilt. */
static void
test_lies (void)
{
  int n = 0;

  for (int round = 0; round < 5 * N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_sweep_case_new (round);
      g_autoptr (TpPlan) plan = tp_test_place_sweeps (test, round);

      if (plan == NULL)
        continue;
      tp_test_assert_checked (plan, test->graph);
      n++;
    }
  g_assert_cmpint (n, >=, N_GOOD);
  for (const TpTestRefusal *it = tp_test_sweep_refusals; it->reason != NULL; it++)
    check_refusal (it);
}

/* What these say of what fits is often more than is so of all. */
static void
test_above (void)
{
  int n = 0, n_above = 0;

  for (int round = 0; round < 5 * N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_sweep_case_new (round);
      g_autoptr (TpPlan) plan = tp_test_place_sweeps (test, round);

      n += plan != NULL;
      n_above += plan != NULL && plan->memory_proof->bound_ns > plan->bound_ns;
    }
  g_test_message ("%d of %d say more", n_above, n);
  g_assert_cmpint (n, >=, N_GOOD);
  g_assert_cmpint (4 * n_above, >=, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sweep-file/round-trip/3", GINT_TO_POINTER (3),
                        test_round_trip);
  g_test_add_data_func ("/sweep-file/round-trip/4", GINT_TO_POINTER (4),
                        test_round_trip);
  g_test_add_func ("/sweep-file/refused", test_refused);
  g_test_add_func ("/sweep-file/too-many", test_too_many);
  g_test_add_func ("/sweep-file/bound", test_bound);
  g_test_add_func ("/sweep-file/above", test_above);
  g_test_add_func ("/sweep-file/second", test_second);
  g_test_add_func ("/sweep-file/lies", test_lies);
  return g_test_run ();
}
