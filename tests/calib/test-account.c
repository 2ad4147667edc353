/* test-account.c: kernels are counted once for each device, and those that have no
 * chance apart, wherever they are. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/account.h"
#include "calib/columns.h"
#include "calib/cost-db.h"
#include "tests/set-text.h"

#include <glib/gstdio.h>
#include <string.h>

enum { CPU, OPENCL, N_DEVICES };

typedef struct
{
  char *folder, *path;
  TpCalibration calibration;
  TpDeviceMatch matches[N_DEVICES];
  TpMeasureDevice devices[N_DEVICES];
} Fixture;

static void
put_device (Fixture *f, int index, const char *name)
{
  TpDeviceRow *row = tp_device_row_new ();

  set_text (&row->name, name);
  set_text (&row->identity, "made up");
  set_text (&row->facts, "made up");
  g_assert_true (tp_cost_db_put_device (f->calibration.db, row, NULL));
  f->matches[index] = (TpDeviceMatch){ .dbs = { f->calibration.db, NULL },
                                       .rows = { row, NULL } };
  f->devices[index].name = name;
  f->devices[index].is_host = index == CPU;
  /* 10 us for anything, either way */
  f->devices[index].to_device = f->devices[index].to_host
      = (TpFit){ .base_ns = 10000 };
  g_ptr_array_add (f->calibration.devices, (gpointer) name);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  TpCalibration *self = &f->calibration;
  g_autoptr (GError) error = NULL;

  (void) unused;
  f->folder = g_dir_make_tmp ("tplan-account-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "cost.db", NULL);
  self->db = tp_cost_db_open (f->path, FALSE, &error);
  g_assert_no_error (error);
  self->graph = make_small_graph (16);
  self->keys = tp_keys_new (self->graph, NULL, FALSE);
  self->devices = g_ptr_array_new ();
  self->matches = f->matches;
  self->measure.devices = f->devices;
  put_device (f, CPU, "cpu");
  put_device (f, OPENCL, "opencl:0");
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  TpCalibration *self = &f->calibration;

  (void) unused;
  for (int i = 0; i < N_DEVICES; i++)
    tp_device_row_free (f->matches[i].rows[0]);
  g_ptr_array_unref (self->devices);
  tp_keys_free (self->keys);
  tp_graph_unref ((TpGraph *) self->graph);
  tp_cost_db_close (self->db);
  g_remove (f->path);
  g_rmdir (f->folder);
  g_free (f->folder);
  g_free (f->path);
}

/* @time_ns -1: it failed. */
static void
put_entry (Fixture *f, int device, int key, gint64 time_ns, TpEntryState state)
{
  const TpKey *it = &f->calibration.keys->keys[key];
  g_autoptr (TpEntryRow) row = tp_entry_row_new ();
  const gpointer rows[] = { row };
  g_autoptr (GError) error = NULL;

  set_text (&row->digest, it->digest);
  set_text (&row->dtype, it->dtype);
  set_text (&row->family, it->family);
  set_text (&row->schedule, "made up");
  row->device = f->matches[device].rows[0]->id;
  row->work = it->work;
  row->state = state;
  if (state == TP_ENTRY_FAILED)
    set_text (&row->reason, "it burnt");
  else
    row->stats = (TpStats){ 20, time_ns, time_ns, 1, time_ns / 50 };
  tp_cost_db_put_entries (f->calibration.db, rows, 1, &error);
  g_assert_no_error (error);
}

static TpCalibReport
count (Fixture *f)
{
  g_autoptr (GError) error = NULL;

  memset (&f->calibration.report, 0, sizeof f->calibration.report);
  g_assert_true (tp_account_count (&f->calibration, &error));
  g_assert_no_error (error);
  return f->calibration.report;
}

static void
test_counted (Fixture *f, gconstpointer unused)
{
  TpCalibReport report;

  (void) unused;
  g_assert_cmpint (f->calibration.keys->n, >=, 2);
  put_entry (f, CPU, 0, 2000, TP_ENTRY_SETTLED);
  put_entry (f, CPU, 1, 3000, TP_ENTRY_PROVISIONAL);
  put_entry (f, OPENCL, 0, -1, TP_ENTRY_FAILED);
  report = count (f);
  g_assert_cmpint (report.n_settled, ==, 1);
  g_assert_cmpint (report.n_unsettled, ==, 1);
  g_assert_cmpint (report.n_failed, ==, 1);
  g_assert_cmpint (report.n_beaten, ==, 0);
  g_assert_cmpint (report.time_ns, ==, 5000);
  g_assert_cmpint (report.half_ns, ==, 100);
}

/* By more than all copies there and back, or not. */
static void
test_beaten (Fixture *f, gconstpointer unused)
{
  TpCalibReport report;

  (void) unused;
  put_entry (f, CPU, 0, 2000, TP_ENTRY_SETTLED);
  put_entry (f, OPENCL, 0, 15000, TP_ENTRY_PROVISIONAL);
  report = count (f);
  g_assert_cmpint (report.n_beaten, ==, 0);
  g_assert_cmpint (report.n_unsettled, ==, 1);
  g_assert_cmpint (report.time_ns, ==, 17000);

  put_entry (f, OPENCL, 0, 900000, TP_ENTRY_PROVISIONAL);
  report = count (f);
  g_assert_cmpint (report.n_beaten, ==, 1);
  g_assert_cmpint (report.n_settled, ==, 1);
  g_assert_cmpint (report.n_unsettled, ==, 0);
  g_assert_cmpint (report.time_ns, ==, 2000);

  /* the host, by the other device */
  put_entry (f, CPU, 1, 900000, TP_ENTRY_SETTLED);
  put_entry (f, OPENCL, 1, 3000, TP_ENTRY_SETTLED);
  report = count (f);
  g_assert_cmpint (report.n_beaten, ==, 2);
  g_assert_cmpint (report.time_ns, ==, 5000);
}

/* By spreads, and by what spreads do not tell. */
static void
test_grade (void)
{
  static const struct
  {
    gint64 half_ns;
    int n_apart, n_contended;
    char grade;
  } cases[] = {
    { 20, 0, 0, 'A' },    { 50, 0, 0, 'B' },    { 100, 0, 0, 'C' },
    { 101, 0, 0, 'D' },   { 20, 10, 10, 'A' },  { 20, 11, 0, 'C' },
    { 20, 0, 11, 'C' },   { 101, 11, 0, 'D' },  { 20, 50, 50, 'C' },
    { 20, 51, 0, 'D' },   { 20, 0, 100, 'D' },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TpCalibReport report
          = { .n_samples = 100, .time_ns = 1000, .half_ns = cases[i].half_ns,
              .n_apart = cases[i].n_apart,
              .n_contended = cases[i].n_contended };

      g_assert_cmpint (tp_calib_report_get_grade (&report), ==, cases[i].grade);
    }
  g_assert_cmpint (tp_calib_report_get_grade (&(TpCalibReport){ 0 }), ==, 'D');
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/account/grade", test_grade);
  g_test_add ("/account/counted", Fixture, NULL, set_up, test_counted, tear_down);
  g_test_add ("/account/beaten", Fixture, NULL, set_up, test_beaten, tear_down);
  return g_test_run ();
}
