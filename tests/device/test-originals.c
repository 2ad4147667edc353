/* test-originals.c: weights that sessions have copied or packed are not in memory
 * twice, where the originals are in a file; what is computed is the same. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "nets.h"
#include "tests/present-pages.h"
#include "tests/remove-all.h"

#include <math.h>
#include <string.h>

#define ROWS 64
#define INNER 256
#define COLUMNS 512
#define TOLERANCE 1e-4

/* "w" is packed for a product; "v", which is added, is read as it is. */
static const char model[]
    = "{'format': 'tplan-graph/1', 'name': 'product', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [64, 256]}],"
      " 'outputs': ['y'], 'initializers': [{'name': 'w', 'file': 'w.npy'},"
      " {'name': 'v', 'file': 'v.npy'}], 'ops': ["
      " {'type': 'MatMul', 'inputs': ['x', 'w'], 'outputs': ['h']},"
      " {'type': 'Add', 'inputs': ['h', 'v'], 'outputs': ['y']}]}";

typedef struct
{
  char *folder, *model;
} Fixture;

/* Values begin @head bytes after the first. */
static void
write_weights (const Fixture *f, const char *name, int n_rows, gsize head)
{
  g_autofree char *path = g_build_filename (f->folder, name, NULL);
  g_autofree char *words = g_strdup_printf (
      "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", n_rows,
      COLUMNS);
  gsize n = (gsize) n_rows * COLUMNS;
  g_autofree char *bytes = g_malloc (head + n * sizeof (float));

  memcpy (bytes, "\x93NUMPY\1", 8);
  bytes[7] = 0;
  bytes[8] = (char) (head - 10);
  bytes[9] = 0;
  memset (bytes + 10, ' ', head - 11);
  memcpy (bytes + 10, words, strlen (words));
  bytes[head - 1] = '\n';
  for (gsize i = 0; i < n; i++)
    {
      float value = (float) sin ((double) i * 0.37);

      memcpy (bytes + head + i * sizeof value, &value, sizeof value);
    }
  g_assert_true (g_file_set_contents (path, bytes, head + n * sizeof (float),
                                      NULL));
}

/* @data: where the values begin, as a number. */
static void
set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *text = g_strdelimit (g_strdup (model), "'", '"');

  f->folder = g_dir_make_tmp ("tplan-originals-XXXXXX", NULL);
  f->model = g_build_filename (f->folder, "m.json", NULL);
  g_assert_true (g_file_set_contents (f->model, text, -1, NULL));
  write_weights (f, "w.npy", INNER, GPOINTER_TO_SIZE (data));
  write_weights (f, "v.npy", ROWS, GPOINTER_TO_SIZE (data));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  tp_test_remove_all (f->folder);
  g_free (f->folder);
  g_free (f->model);
}

static TpGraph *
load (const Fixture *f, TpFileFlags flags)
{
  const TpLoadOptions options = { .files = flags };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_read (f->model, &options, &error);
  TpGraph *prepared = NULL;

  g_assert_no_error (error);
  prepared = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  return prepared;
}

static const TpTensor *
find_weights (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, name) == 0)
      return &graph->tensors[i];
  return NULL;
}

static gint64
count_present (const TpGraph *graph, const char *name)
{
  const TpTensor *it = find_weights (graph, name);

  return tp_test_count_present (it->init.data, it->size_bytes);
}

/* Has both in memory. */
static double
read_weights (const TpGraph *graph)
{
  double sum = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].init.kind == TP_INIT_DATA)
      for (gint64 k = 0; k < graph->tensors[i].size_bytes; k++)
        sum += ((const guint8 *) graph->tensors[i].init.data)[k];
  return sum;
}

static TpSession *
begin (TpGraph *graph, const char *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = net_plan (graph, device, "0");
  TpSession *session = tp_session_new (graph, plan, NULL, &error);

  g_assert_no_error (error);
  return session;
}

/* What @session makes of the inputs of @run; free it. */
static float *
compute (TpSession *session, const NetRun *run)
{
  g_autoptr (GError) error = NULL;
  float *y = g_new0 (float, ROWS * COLUMNS);
  void *outputs[] = { y };

  tp_session_run (session, (const void *const *) run->inputs, outputs, &error);
  g_assert_no_error (error);
  return y;
}

static gboolean
is_same (const float *a, const float *b)
{
  return memcmp (a, b, ROWS * COLUMNS * sizeof *a) == 0;
}

/* Pages of what is packed go, but for those at both ends. */
static void
test_packed (Fixture *f, gconstpointer data)
{
  g_autoptr (TpGraph) graph = load (f, TP_FILE_PLAIN);
  gint64 n_read;

  if (!net_need_devices ("cpu"))
    return;
  g_assert_cmpfloat (read_weights (graph), >, 0);
  n_read = count_present (graph, "w");
  if (n_read * sysconf (_SC_PAGESIZE) < INNER * COLUMNS * 4)
    {
      g_test_skip ("the system does not say which pages are there");
      return;
    }
  {
    g_autoptr (TpSession) session = begin (graph, "cpu");

    g_assert_cmpint (count_present (graph, "w"), <=, 2);
  }
  /* The references read it where it is, if they can. */
  g_assert_cmpfloat (read_weights (graph), >, 0);
  {
    g_autoptr (TpSession) session = begin (graph, "ref");

    g_assert_cmpint (count_present (graph, "w"), ==,
                     GPOINTER_TO_SIZE (data) % 4 == 0 ? n_read : 2);
  }
}

/* Sessions after the first, and the first after them, as of a copy of the file,
 * and as the references have it. */
static void
check_results (const Fixture *f, const char *device)
{
  g_autoptr (TpGraph) graph = load (f, TP_FILE_PLAIN);
  g_autoptr (TpGraph) copied = load (f, TP_FILE_COPY);
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpSession) first = begin (graph, device);
  g_autofree float *y = compute (first, run);
  g_autoptr (TpSession) second = begin (graph, device);
  g_autoptr (TpSession) other = begin (copied, device);
  g_autoptr (TpSession) another = begin (copied, device);
  g_autofree float *y2 = compute (second, run), *y3 = compute (other, run);
  g_autofree float *y4 = compute (another, run), *y5 = compute (first, run);

  memcpy (run->outputs[0], y, ROWS * COLUMNS * sizeof *y);
  g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
  g_assert_true (is_same (y, y2));
  g_assert_true (is_same (y, y3));
  g_assert_true (is_same (y, y4));
  g_assert_true (is_same (y, y5));
}

static void
test_results (Fixture *f, gconstpointer data)
{
  static const char *const devices[] = { "cpu", "ref", "opencl:0" };

  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    if (net_need_devices (devices[i]))
      check_results (f, devices[i]);
}

int
main (int argc, char **argv)
{
  /* As numpy aligns them, and not even as floats are. */
  static const gsize heads[] = { 128, 83 };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autofree char *packed = g_strdup_printf ("/originals/packed/%zu", heads[i]);
      g_autofree char *results = g_strdup_printf ("/originals/results/%zu", heads[i]);
      gconstpointer data = GSIZE_TO_POINTER (heads[i]);

      g_test_add (packed, Fixture, data, set_up, test_packed, tear_down);
      g_test_add (results, Fixture, data, set_up, test_results, tear_down);
    }
  return g_test_run ();
}
