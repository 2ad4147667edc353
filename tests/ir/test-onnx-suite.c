/* test-onnx-suite.c: ONNX's own cases as an oracle, where they are installed
 * (Debian: libonnx-testdata), else skipped.
 *
 * The inputs of a case are put into the model as initializers, its expected
 * outputs as further ones; then the whole graph is folded or run by references
 * and compared. */
#include "config.h"

#include "ir/op.h"
#include "tests/ir/onnx-bytes.h"

#include <math.h>

#define MIN_CASES 600 /* of those installed, that must be known and right */

static const char *
get_folder (void)
{
  const char *folder = g_getenv ("TPLAN_ONNX_TESTDATA");

  return folder != NULL ? folder : "/usr/share/libonnx-testdata/data";
}

static guint64
take_varint (const guint8 **pos, const guint8 *end)
{
  guint64 value = 0;

  for (int shift = 0; *pos < end; shift += 7)
    {
      guint8 byte = *(*pos)++;

      value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        break;
    }
  return value;
}

/* Adds the tensor in @path to @graph, called @name if not NULL. */
static gboolean
add_file (Msg *graph, const char *path, const char *name)
{
  g_autoptr (GByteArray) tensor = msg_new ();
  g_autofree char *data = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, NULL))
    return FALSE;
  g_byte_array_append (tensor, (guint8 *) data, size);
  if (name != NULL)
    msg_string (tensor, 8, name);
  msg_bytes (graph, 5, tensor->data, tensor->len);
  return TRUE;
}

/* Inputs and expected outputs; returns how many outputs. Some files do not say
 * which input they are: it is known where the bare model loads. */
static int
add_values (Msg *graph, const char *folder)
{
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (TpGraph) bare = tp_graph_load (model, NULL, NULL);

  for (int i = 0;; i++)
    {
      g_autofree char *path
          = g_strdup_printf ("%s/test_data_set_0/input_%d.pb", folder, i);
      const char *name = bare != NULL && i < bare->n_inputs
                             ? bare->tensors[bare->inputs[i]].name
                             : NULL;
      if (!add_file (graph, path, name))
        break;
    }
  for (int i = 0;; i++)
    {
      g_autofree char *name = g_strdup_printf ("expected:%d", i);
      g_autofree char *path
          = g_strdup_printf ("%s/test_data_set_0/output_%d.pb", folder, i);
      if (!add_file (graph, path, name))
        return i;
    }
}

/* The model of @folder with its values inside. */
static Msg *
model_with_values (const char *folder, int *out_n_outputs)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *data = NULL;
  Msg *model = msg_new ();
  const guint8 *pos, *end;
  gsize size;

  *out_n_outputs = 0;
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  pos = (const guint8 *) data;
  end = pos + size;
  while (pos < end)
    {
      guint64 tag = take_varint (&pos, end), value = take_varint (&pos, end);

      if ((tag & 7) != 2)
        {
          msg_int (model, tag >> 3, value);
          continue;
        }
      if (tag >> 3 == 7)
        {
          Msg *graph = msg_new ();

          g_byte_array_append (graph, pos, value);
          *out_n_outputs = add_values (graph, folder);
          msg_take (model, 7, graph);
        }
      else
        msg_bytes (model, tag >> 3, pos, value);
      pos += value;
    }
  return model;
}

static int
find_tensor (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, name) == 0)
      return i;
  return -1;
}

static double *
dup_value (const TpGraph *graph, GPtrArray *values, int tensor)
{
  gint64 count = graph->tensors[tensor].count;
  double *copy = g_new (double, count + 1);

  if (tp_tensor_is_constant (&graph->tensors[tensor]))
    tp_tensor_write_doubles (&graph->tensors[tensor], copy);
  else
    memcpy (copy, g_ptr_array_index (values, tensor), count * sizeof (double));
  return copy;
}

static gboolean
is_close (double a, double b)
{
  return a == b || (isnan (a) && isnan (b))
         || fabs (a - b) <= 1e-6 + 1e-3 * fabs (b);
}

static gboolean
check_output (const TpGraph *graph, GPtrArray *values, int i)
{
  g_autofree char *name = g_strdup_printf ("expected:%d", i);
  int expected = find_tensor (graph, name), found = graph->outputs[i];
  const TpTensor *e = &graph->tensors[expected], *f = &graph->tensors[found];
  g_autofree double *wanted = dup_value (graph, values, expected);
  g_autofree double *got = dup_value (graph, values, found);

  if (e->dtype != f->dtype || e->rank != f->rank || e->count != f->count
      || memcmp (e->dims, f->dims, e->rank * sizeof (gint64)) != 0)
    return FALSE;
  for (gint64 j = 0; j < e->count; j++)
    if (!is_close (got[j], wanted[j]))
      {
        g_test_message ("element %d: %g, expected %g", (int) j, got[j],
                        wanted[j]);
        return FALSE;
      }
  return TRUE;
}

/* Whether @folder is a case we know; fails the test when it comes out wrong. */
static gboolean
check_case (const char *folder)
{
  int n_outputs;
  g_autoptr (GByteArray) model = model_with_values (folder, &n_outputs);
  g_autoptr (GBytes) bytes = g_bytes_new (model->data, model->len);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = tp_graph_load_onnx ("model.onnx", bytes, NULL, &error);
  g_autoptr (GPtrArray) values = NULL;

  if (graph == NULL)
    {
      g_test_message ("%s: %s", folder, error->message);
      return FALSE;
    }
  if (graph->n_inputs > 0 || graph->n_outputs != n_outputs)
    return FALSE;
  values = tp_graph_run_reference (graph, NULL, TRUE, &error);
  g_assert_no_error (error);
  for (int i = 0; i < n_outputs; i++)
    if (!check_output (graph, values, i))
      {
        g_test_message ("%s: output %d is wrong", folder, i);
        g_test_fail ();
      }
  return TRUE;
}

static int
check_group (const char *group)
{
  g_autofree char *path = g_build_filename (get_folder (), group, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  int n_known = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (path, name, NULL);
      g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);

      if (g_file_test (model, G_FILE_TEST_EXISTS))
        n_known += check_case (folder);
    }
  return n_known;
}

static void
test_suite (void)
{
  static const char *const groups[]
      = { "node", "simple", "pytorch-operator", "pytorch-converted" };
  int n_known = 0;

  if (!g_file_test (get_folder (), G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    n_known += check_group (groups[i]);
  g_test_message ("%d cases known", n_known);
  g_assert_cmpint (n_known, >=, MIN_CASES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx/suite", test_suite);
  return g_test_run ();
}
