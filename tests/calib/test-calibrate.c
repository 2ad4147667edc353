/* test-calibrate.c: measuring on `ref`, and what comes of it when kernels crash,
 * hang or are interrupted. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/calibrate.h"
#include "calib/columns.h"
#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "calib/turn.h"
#include "calib/worker.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Only for what hangs: on a machine whose host takes its processors away, what
 * does not hang shows no sign of life for a second either. */
#define SHORT_LIMIT_NS (G_GINT64_CONSTANT (6) * 1000 * 1000 * 1000)

static const char *const ref_only[] = { "ref", NULL };

typedef struct
{
  char *folder;
  char *path;
  TpCostDb *db;
  TpGraph *graph;
  TpGroups *groups;
  TpCalibOptions options;
  int n_progress;
  volatile gint cancelled;
} Fixture;

static void
count_progress (int done, int total, const char *what, gint64 eta_ns,
                gpointer user_data)
{
  Fixture *fixture = user_data;

  g_assert_cmpint (done, <=, total);
  if (fixture->options.time_limit_ns > 0)
    g_assert_cmpint (eta_ns, <=, fixture->options.time_limit_ns);
  fixture->n_progress++;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const int fused[] = { 0, 1 };
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-calib-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->db = tp_cost_db_open (fixture->path, FALSE, &error);
  g_assert_no_error (error);
  fixture->graph = make_small_graph (16);
  fixture->groups = tp_groups_new ();
  tp_groups_add (fixture->groups, fused, 2);
  fixture->options = (TpCalibOptions){
    .n_devices = 1, .devices = ref_only, .progress = count_progress,
    .user_data = fixture, .cancelled = &fixture->cancelled,
    .warnings = g_ptr_array_new_with_free_func (g_free)
  };
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *journal = g_strconcat (fixture->path, "-journal", NULL);

  tp_worker_hook = NULL;
  tp_cost_db_close (fixture->db);
  tp_groups_free (fixture->groups);
  tp_graph_unref (fixture->graph);
  g_ptr_array_unref (fixture->options.warnings);
  g_remove (fixture->path);
  g_remove (journal);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static void
calibrate (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  tp_calibrate (fixture->db, fixture->graph, fixture->groups, &fixture->options,
                &error);
  g_assert_no_error (error);
}

static TpCosts *
look_up (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  TpCosts *costs;

  g_ptr_array_set_size (fixture->options.warnings, 0);
  costs = tp_cost_db_lookup (fixture->db, fixture->graph, fixture->groups,
                             &fixture->options, &error);
  g_assert_no_error (error);
  return costs;
}

static int
find_node (Fixture *fixture, const char *name)
{
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    if (strcmp (fixture->graph->nodes[i].name, name) == 0)
      return i;
  g_assert_not_reached ();
}

static int
count_entries (Fixture *fixture, TpEntryState state)
{
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (fixture->db, NULL,
                                                           NULL);
  const TpDeviceRow *device;
  g_autoptr (TpPointers) rows = NULL;
  int n = 0;

  if (devices->len == 0)
    return 0;
  device = g_ptr_array_index (devices, 0);
  rows = tp_cost_db_list_entries (fixture->db, device->id, NULL, NULL);
  for (guint i = 0; i < rows->len; i++)
    n += ((TpEntryRow *) g_ptr_array_index (rows, i))->state == state;
  return n;
}

/* How many have figures: on a busy machine not all of them settle. */
static int
count_known (Fixture *fixture)
{
  return count_entries (fixture, TP_ENTRY_SETTLED)
         + count_entries (fixture, TP_ENTRY_PROVISIONAL);
}

/* Somebody else, until half is done: forgets every device, and measures one of
 * his own, which gets the row that has become free. */
static void
forget_beside (int done, int total, const char *what, gint64 eta_ns,
               gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (TpCostDb) other = tp_cost_db_open (fixture->path, FALSE, NULL);
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (other, NULL, NULL);
  g_autoptr (TpDeviceRow) row = tp_device_row_new ();

  if (2 * done > total)
    return;
  for (guint i = 0; i < devices->len; i++)
    {
      const TpDeviceRow *device = g_ptr_array_index (devices, i);

      g_assert_true (tp_cost_db_forget (other, device->id, NULL));
    }
  g_free (row->name);
  row->name = g_strdup ("other");
  g_assert_true (tp_cost_db_put_device (other, row, NULL));
  fixture->n_progress++;
}

/* What is measured after that is kept, and for nobody else. */
static void
test_forget_beside (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) devices = NULL;
  int n_kept = 0;

  calibrate (fixture);
  g_assert_true (tp_cost_db_forget (fixture->db, 1, NULL));
  fixture->options.progress = forget_beside;
  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, >, 0);
  devices = tp_cost_db_list_devices (fixture->db, NULL, NULL);
  for (guint i = 0; i < devices->len; i++)
    {
      const TpDeviceRow *device = g_ptr_array_index (devices, i);
      g_autoptr (TpPointers) rows
          = tp_cost_db_list_entries (fixture->db, device->id, NULL, NULL);

      if (g_str_equal (device->name, "other"))
        g_assert_cmpint (rows->len, ==, 0);
      else
        n_kept += rows->len;
    }
  g_assert_cmpint (n_kept, >, 0);
}

/* As if the machine had been quiet. */
static void
settle_all (Fixture *fixture)
{
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (fixture->db, NULL,
                                                           NULL);

  for (guint i = 0; i < devices->len; i++)
    {
      const TpDeviceRow *device = g_ptr_array_index (devices, i);
      g_autoptr (TpPointers) rows
          = tp_cost_db_list_entries (fixture->db, device->id, NULL, NULL);

      for (guint k = 0; k < rows->len; k++)
        {
          TpEntryRow *row = g_ptr_array_index (rows, k);

          if (row->state == TP_ENTRY_PROVISIONAL)
            row->state = TP_ENTRY_SETTLED;
        }
      g_assert_true (tp_cost_db_put_entries (fixture->db, rows->pdata,
                                              rows->len, NULL));
    }
}

/* The other one has its turn until we wait for it. */
static TpTurn other_turn;

static void
end_other_turn (int done, int total, const char *what, gint64 eta_ns,
                gpointer user_data)
{
  Fixture *fixture = user_data;

  if (total != 0)
    return;
  g_assert_cmpstr (what, ==, "waiting for another calibration");
  fixture->n_progress++;
  tp_turn_leave (&other_turn);
}

static void
test_turn (Fixture *fixture, gconstpointer data)
{
  tp_turn_init (&other_turn);
  g_assert_true (tp_turn_try (&other_turn, fixture->path));
  fixture->options.progress = end_other_turn;
  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, ==, 1);
  g_assert_cmpint (count_known (fixture), ==, 3);
}

/* It waits no longer than it may measure, and not at all if there is no need. */
static void
test_turn_limit (Fixture *fixture, gconstpointer data)
{
  tp_turn_init (&other_turn);
  g_assert_true (tp_turn_try (&other_turn, fixture->path));
  fixture->options.time_limit_ns = 300 * 1000 * 1000;
  calibrate (fixture);
  g_assert_cmpint (count_known (fixture), ==, 0);
  tp_turn_leave (&other_turn);
  fixture->options.time_limit_ns = 0;
  calibrate (fixture);
  settle_all (fixture);
  g_assert_true (tp_turn_try (&other_turn, fixture->path));
  calibrate (fixture);
  tp_turn_leave (&other_turn);
}

static void
test_measure (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCosts) costs = NULL;
  g_autoptr (GPtrArray) devices = NULL;
  const TpDeviceRow *device;

  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, >, 2);
  devices = tp_cost_db_list_devices (fixture->db, "ref", NULL);
  g_assert_cmpint (devices->len, ==, 1);
  device = g_ptr_array_index (devices, 0);
  g_assert_cmpfloat (device->peak_gflops, >, 0);
  g_assert_cmpfloat (device->bandwidth_gbps, >, 0);
  g_assert_cmpfloat (device->launch_ns, >, 0);
  g_assert_cmpint (count_known (fixture), ==, 3);
  costs = look_up (fixture);
  g_assert_cmpint (fixture->options.warnings->len, ==, 0);
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    {
      const TpCost *cost = tp_costs_node (costs, i, 0);

      g_assert_cmpint (cost->time_ns, <, TP_COST_NONE);
      g_assert_false (cost->is_estimated);
      if (i == find_node (fixture, "view"))
        g_assert_cmpint (cost->time_ns, ==, 0);
      else
        g_assert_cmpint (cost->time_ns, >, 0);
    }
  /* the references know no groups */
  g_assert_cmpint (tp_costs_group (costs, 0, 0)->time_ns, ==, TP_COST_NONE);
  g_assert_nonnull (tp_costs_group (costs, 0, 0)->reason);
  g_assert_nonnull (costs->digest);
}

static int n_runs;

static void
count_children (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_OPEN)
    n_runs++; /* in the child: the parent's count stays */
}

/* What is known is not measured again. */
static void
test_resume (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) before = NULL;
  g_autoptr (GPtrArray) after = NULL;

  calibrate (fixture);
  settle_all (fixture);
  fixture->n_progress = 0;
  tp_worker_hook = count_children;
  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, ==, 0);
  /* another shape: only what is new */
  tp_graph_unref (fixture->graph);
  fixture->graph = make_small_graph (32);
  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, >, 0);
  g_assert_cmpint (count_known (fixture), ==, 4);
}

static int victim;

static void
crash_on_run (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_RUN && key == victim)
    raise (SIGSEGV);
}

static void
crash_on_compile (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_COMPILE && key == victim)
    abort ();
}

static void
exit_on_run (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_RUN && key == victim)
    _exit (3);
}

static void
hang_on_run (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_RUN && key == victim)
    pause ();
}

static void
test_victim (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    void (*hook) (TpPhase phase, int device, int key);
    const char *reason;
  } cases[] = {
    { "last", crash_on_run, "crashed (signal 11) running" },
    { "mul", crash_on_compile, "crashed (signal 6) compiling" },
    { "relu", exit_on_run, "ended the process" },
    { "last", hang_on_run, "did not end within 6 s" },
  };
  int number = GPOINTER_TO_INT (data);
  g_autoptr (TpCosts) costs = NULL;
  const TpCost *cost;

  victim = find_node (fixture, cases[number].name);
  tp_worker_hook = cases[number].hook;
  if (cases[number].hook == hang_on_run)
    fixture->options.hang_limit_ns = SHORT_LIMIT_NS;
  calibrate (fixture);
  tp_worker_hook = NULL;
  for (guint i = 0; i < fixture->options.warnings->len; i++)
    g_test_message ("%s", (char *) fixture->options.warnings->pdata[i]);
  g_assert_cmpint (count_entries (fixture, TP_ENTRY_FAILED), ==, 1);
  g_assert_cmpint (count_known (fixture), ==, 2);
  costs = look_up (fixture);
  cost = tp_costs_node (costs, victim, 0);
  g_assert_cmpint (cost->time_ns, ==, TP_COST_NONE);
  g_assert_nonnull (strstr (cost->reason, cases[number].reason));
  /* and it is not tried again */
  settle_all (fixture);
  fixture->n_progress = 0;
  calibrate (fixture);
  g_assert_cmpint (fixture->n_progress, ==, 0);
}

static void
crash_on_open (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_OPEN)
    abort ();
}

static void
test_crash_on_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  tp_worker_hook = crash_on_open;
  g_assert_false (tp_calibrate (fixture->db, NULL, NULL, &fixture->options,
                                &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "'ref'"));
}

static void
end_second_by_exit (TpPhase phase, int device, int key)
{
  if (device == 1)
    _exit (0);
}

static void
end_second_by_signal (TpPhase phase, int device, int key)
{
  if (device == 1)
    abort ();
}

static void
hang_second (TpPhase phase, int device, int key)
{
  if (device == 1)
    pause ();
}

/* The second of two devices does not survive the first contact; what follows is
 * done with the other. */
static void
test_lost (Fixture *fixture, gconstpointer data)
{
  static void (*const hooks[]) (TpPhase, int, int)
      = { end_second_by_exit, end_second_by_signal, hang_second };
  static const char *const names[] = { "ref", "cpu", NULL };
  g_autoptr (TpCosts) costs = NULL;
  TpCalibReport report = { 0 };
  const char *warning;

  fixture->options.n_devices = 2;
  fixture->options.devices = names;
  fixture->options.report = &report;
  tp_worker_hook = hooks[GPOINTER_TO_INT (data)];
  if (tp_worker_hook == hang_second)
    fixture->options.hang_limit_ns = SHORT_LIMIT_NS;
  calibrate (fixture);
  g_assert_cmpint (report.n_lost, ==, 1);
  g_assert_cmpint (fixture->options.warnings->len, >, 0);
  warning = g_ptr_array_index (fixture->options.warnings, 0);
  g_assert_nonnull (strstr (warning, "'cpu'"));
  g_assert_cmpint (count_known (fixture), ==, 3);
  costs = look_up (fixture);
  g_assert_false (tp_costs_node (costs, 0, 0)->is_estimated);
  g_assert_cmpint (tp_costs_node (costs, 0, 1)->time_ns, ==, TP_COST_NONE);
}

static void
crash_while_timing (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_RUN && key < 0)
    abort ();
}

/* Nobody to blame: the device is left, not the calibration. */
static void
test_crash_while_timing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCosts) costs = NULL;

  tp_worker_hook = crash_while_timing;
  calibrate (fixture);
  g_assert_cmpint (fixture->options.warnings->len, >, 0);
  costs = look_up (fixture);
  g_assert_true (tp_costs_node (costs, 0, 0)->is_estimated);
}

static void
cancel_on_progress (int done, int total, const char *what, gint64 eta_ns,
                    gpointer user_data)
{
  Fixture *fixture = user_data;

  if (strstr (what, "compiling") != NULL)
    g_atomic_int_set (&fixture->cancelled, 1);
}

static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->options.progress = cancel_on_progress;
  g_assert_false (tp_calibrate (fixture->db, fixture->graph, fixture->groups,
                                &fixture->options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED);
  /* what was seen is kept, and taken up again */
  g_assert_cmpint (count_entries (fixture, TP_ENTRY_PROVISIONAL)
                   + count_entries (fixture, TP_ENTRY_SETTLED), ==, 3);
  fixture->cancelled = 0;
  fixture->options.progress = count_progress;
  calibrate (fixture);
  g_assert_cmpint (count_known (fixture), ==, 3);
}

static volatile gint *n_dawdled; /* shared with the child */

static void
dawdle (TpPhase phase, int device, int key)
{
  if (phase != TP_PHASE_RUN)
    return;
  g_atomic_int_inc (n_dawdled);
  g_usleep (100 * 1000);
}

#define N_ENOUGH 100          /* runs that it takes when there is time */

/* There is time for 4 runs and for what had begun, for 8 in all; with a limit for
 * all of it, or for the timing. Runs are counted, as a starved machine takes any
 * time for them. */
static void
test_time_limit (Fixture *fixture, gconstpointer data)
{
  gboolean is_of_timing = GPOINTER_TO_INT (data);

  n_dawdled = mmap (NULL, sizeof *n_dawdled, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true (n_dawdled != MAP_FAILED);
  tp_calibrate (fixture->db, NULL, NULL, &fixture->options, NULL);
  tp_worker_hook = dawdle;
  if (!is_of_timing)
    fixture->options.time_limit_ns = 400 * 1000 * 1000;
  g_setenv ("TPLAN_CALIBRATE_MOST", is_of_timing ? "0.4" : "10", TRUE);
  calibrate (fixture);
  g_setenv ("TPLAN_CALIBRATE_MOST", "0.2", TRUE);
  g_test_message ("%d runs", *n_dawdled);
  g_assert_cmpint (*n_dawdled, <, N_ENOUGH / 2);
  munmap ((void *) n_dawdled, sizeof *n_dawdled);
}

static void
test_no_device (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "opencl:77", NULL };
  g_autoptr (GError) error = NULL;

  fixture->options.devices = names;
  g_assert_false (tp_calibrate (fixture->db, NULL, NULL, &fixture->options,
                                &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
    int number;
  } tests[] = {
    { "/calibrate/measure", test_measure, 0 },
    { "/calibrate/resume", test_resume, 0 },
    { "/calibrate/crash-run", test_victim, 0 },
    { "/calibrate/crash-compile", test_victim, 1 },
    { "/calibrate/exit", test_victim, 2 },
    { "/calibrate/hang", test_victim, 3 },
    { "/calibrate/crash-open", test_crash_on_open, 0 },
    { "/calibrate/lost-exit", test_lost, 0 },
    { "/calibrate/lost-crash", test_lost, 1 },
    { "/calibrate/lost-hang", test_lost, 2 },
    { "/calibrate/crash-timing", test_crash_while_timing, 0 },
    { "/calibrate/cancel", test_cancel, 0 },
    { "/calibrate/time-limit", test_time_limit, 0 },
    { "/calibrate/timing-limit", test_time_limit, 1 },
    { "/calibrate/no-device", test_no_device, 0 },
    { "/calibrate/turn", test_turn, 0 },
    { "/calibrate/turn-limit", test_turn_limit, 0 },
    { "/calibrate/forget-beside", test_forget_beside, 0 },
  };

  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, GINT_TO_POINTER (tests[i].number),
                set_up, tests[i].test, tear_down);
  return g_test_run ();
}
