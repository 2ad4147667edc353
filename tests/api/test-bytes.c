/* test-bytes.c: models, plans and cost tables that are in memory, no files. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <tplan.h>

#define N 4

static const float weights[N] = { 1, -2, 3, 0.5f };

/* y = x + w; w is what the file "sub/w.bin" has. */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
      " \"shape\": [4]}], \"outputs\": [\"y\"], \"initializers\":"
      " [{\"name\": \"w\", \"file\": \"%s\"}], \"ops\": [{\"name\": \"sum\","
      " \"type\": \"Add\", \"inputs\": [\"x\", \"w\"], \"outputs\": [\"y\"]}]}";

static GBytes *
make_model (const char *file)
{
  GString *text = g_string_new (NULL);

  g_string_append (text, model);
  g_string_replace (text, "%s", file, 0);
  return g_string_free_to_bytes (text);
}

/* ---- files that are given ------------------------------------------------- */

typedef struct
{
  int n_calls;
  char *name;                 /* of the last */
  GBytes *bytes;              /* (nullable) */
  const char *message;        /* (nullable) */
} Store;

static GBytes *
give (const char *name, gpointer user_data, GError **error)
{
  Store *store = user_data;

  store->n_calls++;
  g_free (store->name);
  store->name = g_strdup (name);
  if (store->bytes != NULL)
    return g_bytes_ref (store->bytes);
  if (store->message != NULL)
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                         store->message);
  return NULL;
}

/* As numpy saves it. */
static GBytes *
make_npy (void)
{
  g_autofree char *header = g_strdup_printf (
      "%-117s\n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }");
  GByteArray *all = g_byte_array_new ();

  g_byte_array_append (all, (const guint8 *) "\x93NUMPY\x01\x00\x76\x00", 10);
  g_byte_array_append (all, (const guint8 *) header, 118);
  g_byte_array_append (all, (const guint8 *) weights, sizeof weights);
  return g_byte_array_free_to_bytes (all);
}

static void
expect_run (const TplanPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = tplan_session_new (plan, 1, &error);
  const float x[N] = { 10, 20, 30, 40 };
  float y[N] = { 0 };
  const void *const inputs[] = { x };
  void *const outputs[] = { y };

  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, x[i] + weights[i]);
}

static TplanPlan *
plan_on_ref (const TplanGraph *graph)
{
  const char *const devices[] = { "ref", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open ("/none/cost.db", devices, 1, &error);
  TplanPlan *plan;

  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_assert_no_error (error);
  return plan;
}

/* A model, its weights and its plan come and go without a file; what they were
 * read from may be given up. */
static void
test_round (void)
{
  GBytes *bytes = make_model ("sub/w.npy");
  Store store = { .bytes = make_npy () };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, &error);
  g_autoptr (TplanPlan) plan = NULL, again = NULL;
  g_autoptr (GBytes) text = NULL, same = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (store.n_calls, ==, 1);
  g_assert_cmpstr (store.name, ==, "sub/w.npy");
  plan = plan_on_ref (graph);
  text = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
  again = tplan_plan_new_from_bytes (text, bytes, &options, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_plan_check (again, &error));
  g_assert_no_error (error);
  same = tplan_plan_to_bytes (again, &error);
  g_assert_true (g_bytes_equal (text, same));
  g_bytes_unref (bytes);
  g_bytes_unref (store.bytes);
  expect_run (plan);
  expect_run (again);
  g_free (store.name);
}

/* ---- an ONNX model, by hand ------------------------------------------------ */

static void
put (GByteArray *to, int field, const void *data, gsize size)
{
  const guint8 head[] = { (guint8) (field << 3 | 2), (guint8) size };

  g_assert_cmpuint (size, <, 128);
  g_byte_array_append (to, head, 2);
  g_byte_array_append (to, data, size);
}

static void
put_text (GByteArray *to, int field, const char *text)
{
  put (to, field, text, strlen (text));
}

static void
put_number (GByteArray *to, int field, int value)
{
  const guint8 both[] = { (guint8) (field << 3), (guint8) value };

  g_byte_array_append (to, both, 2);
}

static void
put_part (GByteArray *to, int field, GByteArray *part)
{
  put (to, field, part->data, part->len);
  g_byte_array_unref (part);
}

static GByteArray *
make_tensor (void)
{
  GByteArray *tensor = g_byte_array_new ();
  GByteArray *location = g_byte_array_new ();

  put_number (tensor, 1, N);       /* dims */
  put_number (tensor, 2, 1);       /* float */
  put_text (tensor, 8, "w");
  put_text (location, 1, "location");
  put_text (location, 2, "w.bin");
  put_part (tensor, 13, location);
  put_number (tensor, 14, 1);      /* external */
  return tensor;
}

static GByteArray *
make_value (const char *name)
{
  GByteArray *value = g_byte_array_new (), *type = g_byte_array_new ();
  GByteArray *tensor = g_byte_array_new (), *shape = g_byte_array_new ();
  GByteArray *dim = g_byte_array_new ();

  put_number (dim, 1, N);
  put_part (shape, 1, dim);
  put_number (tensor, 1, 1);
  put_part (tensor, 2, shape);
  put_part (type, 1, tensor);
  put_text (value, 1, name);
  put_part (value, 2, type);
  return value;
}

static GByteArray *
make_node (void)
{
  GByteArray *node = g_byte_array_new ();

  put_text (node, 1, "x");
  put_text (node, 1, "w");
  put_text (node, 2, "y");
  put_text (node, 4, "Add");
  return node;
}

/* The same model, with its weights in "w.bin". */
static GBytes *
make_onnx (void)
{
  GByteArray *whole = g_byte_array_new (), *graph = g_byte_array_new ();
  GByteArray *opset = g_byte_array_new ();

  put_part (graph, 1, make_node ());
  put_text (graph, 2, "g");
  put_part (graph, 5, make_tensor ());
  put_part (graph, 11, make_value ("x"));
  put_part (graph, 12, make_value ("y"));
  put_number (whole, 1, 8);        /* version of the format */
  put_part (whole, 7, graph);
  put_number (opset, 2, 17);
  put_part (whole, 8, opset);
  return g_byte_array_free_to_bytes (whole);
}

static void
test_onnx (void)
{
  g_autoptr (GBytes) bytes = make_onnx ();
  g_autoptr (GBytes) values
      = g_bytes_new_static (weights, sizeof weights);
  Store store = { .bytes = values };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, &error);
  g_autoptr (TplanPlan) plan = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (store.name, ==, "w.bin");
  plan = plan_on_ref (graph);
  expect_run (plan);
  g_free (store.name);
}

/* ---- what is wrong ---------------------------------------------------------- */

static void
expect_no_graph (GBytes *bytes, const TplanLoadOptions *options,
                 const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tplan_graph_new_from_bytes (bytes, options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_true (g_str_has_prefix (error->message, "model: "));
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in: %s", part, error->message);
}

static void
test_refused (void)
{
  g_autoptr (GBytes) bytes = make_model ("w.npy");
  g_autoptr (GBytes) onnx = make_onnx ();
  g_autoptr (GBytes) up = make_model ("../w.npy");
  g_autoptr (GBytes) root = make_model ("/w.npy");
  g_autoptr (GBytes) few = g_bytes_new_static (weights, 5);
  g_autoptr (GBytes) none = g_bytes_new (NULL, 0);
  Store store = { .message = "not in the archive" };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };

  expect_no_graph (none, NULL, "empty");
  expect_no_graph (few, NULL, "model: ");
  expect_no_graph (bytes, NULL, "load_file");
  expect_no_graph (onnx, NULL, "load_file");
  expect_no_graph (up, &options, "leads out");
  expect_no_graph (root, &options, "leads out");
  g_assert_cmpint (store.n_calls, ==, 0);
  expect_no_graph (bytes, &options, "not in the archive");
  expect_no_graph (onnx, &options, "not in the archive");
  store.message = NULL;
  expect_no_graph (bytes, &options, "no reason");
  store.bytes = few;
  expect_no_graph (bytes, &options, "w.npy");
  expect_no_graph (onnx, &options, "ends at byte 16 of 'w.bin', which has 5");
  g_free (store.name);
}

/* However the text is cut or changed, it is refused. */
static void
test_broken_plan (void)
{
  g_autoptr (GBytes) bytes = make_model ("w.npy");
  g_autoptr (GBytes) file = make_npy ();
  Store store = { .bytes = file };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, NULL);
  g_autoptr (TplanPlan) plan = plan_on_ref (graph);
  g_autoptr (GBytes) text = tplan_plan_to_bytes (plan, NULL);
  gsize size = g_bytes_get_size (text);

  for (gsize n = 0; n < size; n += 1 + size / 50)
    {
      g_autoptr (GBytes) cut = g_bytes_new_from_bytes (text, 0, n);
      g_autoptr (GError) error = NULL;

      g_assert_null (tplan_plan_new_from_bytes (cut, bytes, &options, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, "plan: "));
    }
  g_free (store.name);
}

#define GZIP_HEADER 10          /* bytes, of which some mean nothing */

static GBytes *
save_packed (const TplanPlan *plan)
{
  g_autofree char *path
      = g_build_filename (g_get_tmp_dir (), "tplan-XXXXXX.json.gz", NULL);
  g_autoptr (GError) error = NULL;
  int fd = g_mkstemp (path);
  char *packed;
  gsize size;

  g_assert_true (fd >= 0 && g_close (fd, NULL));
  g_assert_true (tplan_plan_save (plan, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &packed, &size, NULL));
  g_remove (path);
  return g_bytes_new_take (packed, size);
}

/* Packed it is the same plan; any byte behind the header, changed, is found out. */
static void
test_packed_plan (void)
{
  g_autoptr (GBytes) bytes = make_model ("w.npy");
  g_autoptr (GBytes) file = make_npy ();
  Store store = { .bytes = file };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, NULL);
  g_autoptr (TplanPlan) plan = plan_on_ref (graph), again = NULL;
  g_autoptr (GBytes) text = tplan_plan_to_bytes (plan, NULL), same = NULL;
  g_autoptr (GBytes) packed = save_packed (plan);
  gsize size = g_bytes_get_size (packed);

  g_assert_cmpuint (size, <, g_bytes_get_size (text));
  again = tplan_plan_new_from_bytes (packed, bytes, &options, &error);
  g_assert_no_error (error);
  same = tplan_plan_to_bytes (again, NULL);
  g_assert_true (g_bytes_equal (text, same));
  for (gsize at = GZIP_HEADER; at < size; at += 1 + size / 50)
    {
      guint8 *changed = g_memdup2 (g_bytes_get_data (packed, NULL), size);
      g_autoptr (GBytes) other = g_bytes_new_take (changed, size);
      g_autoptr (GError) refused = NULL;

      changed[at] ^= 1;
      g_assert_null (tplan_plan_new_from_bytes (other, bytes, &options,
                                                &refused));
      g_assert_error (refused, TPLAN_ERROR, TPLAN_ERROR_INPUT);
    }
  g_free (store.name);
}

/* Made in memory, it names no file. */
static void
test_plan_without_graph (void)
{
  g_autoptr (GBytes) bytes = make_onnx ();
  g_autoptr (GBytes) values = g_bytes_new_static (weights, sizeof weights);
  Store store = { .bytes = values };
  const TplanLoadOptions options
      = { .load_file = give, .load_file_data = &store };
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, NULL);
  g_autoptr (TplanPlan) plan = plan_on_ref (graph);
  g_autoptr (GBytes) text = tplan_plan_to_bytes (plan, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (tplan_plan_new_from_bytes (text, NULL, &options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "names no file"));
  g_free (store.name);
}

/* ---- cost tables ------------------------------------------------------------ */

static TplanCosts *
open_table (const char *path)
{
  const char *const devices[] = { "ref", NULL };
  g_autoptr (GError) error = NULL;
  TplanCosts *costs = tplan_costs_open (path, devices, 1, &error);

  g_assert_no_error (error);
  return costs;
}

/* A calibrated table goes through memory into another, which then says the
 * same; broken ones leave it as it is. */
static void
test_table (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-bytes-XXXXXX", NULL);
  g_autofree char *first_path = g_build_filename (folder, "a.db", NULL);
  g_autofree char *second_path = g_build_filename (folder, "b.db", NULL);
  g_autoptr (TplanCosts) first = open_table (first_path);
  g_autoptr (TplanCosts) second = open_table (second_path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) text = NULL, same = NULL, cut = NULL;
  int n = -1;

  g_assert_true (tplan_costs_calibrate (first, NULL, 0, NULL, &error));
  g_assert_no_error (error);
  text = tplan_costs_export (first, &error);
  g_assert_no_error (error);
  cut = g_bytes_new_from_bytes (text, 0, g_bytes_get_size (text) / 2);
  g_assert_false (tplan_costs_import (second, cut, &n, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_true (g_str_has_prefix (error->message, "table: "));
  g_assert_cmpint (n, ==, 0);
  g_clear_error (&error);
  g_assert_true (tplan_costs_import (second, text, &n, &error));
  g_assert_no_error (error);
  same = tplan_costs_export (second, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (text, same));
  g_remove (first_path);
  g_remove (second_path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytes/table", test_table); /* before there are threads */
  g_test_add_func ("/bytes/round", test_round);
  g_test_add_func ("/bytes/onnx", test_onnx);
  g_test_add_func ("/bytes/refused", test_refused);
  g_test_add_func ("/bytes/broken-plan", test_broken_plan);
  g_test_add_func ("/bytes/packed-plan", test_packed_plan);
  g_test_add_func ("/bytes/plan-without-graph", test_plan_without_graph);
  return g_test_run ();
}
