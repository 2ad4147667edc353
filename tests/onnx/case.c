/* case.c: see case.h. */
#include "config.h"

#include "tests/onnx/case.h"

#include <string.h>

#include "format/file.h"
#include "format/tensor-file.h"

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, NODE_TYPE = 4 };
enum { TENSOR_NAME = 8 };
enum { SEQUENCE_TENSORS = 3 };

const char *
onnx_cases_get_folder (void)
{
  const char *folder = g_getenv ("TPLAN_ONNX_TESTDATA");

  return folder != NULL ? folder : "/usr/share/libonnx-testdata/data";
}

void
onnx_case_free (OnnxCase *onnx_case)
{
  g_free (onnx_case->name);
  g_free (onnx_case->folder);
  g_free (onnx_case->op);
  g_free (onnx_case);
}

/* ---- which op a model tests ------------------------------------------------
 * Also of models the reader refuses, so the file is walked here. */

typedef struct
{
  const guint8 *pos, *end;
  guint field;                /* of the last step */
  const guint8 *data;         /* its bytes, if it has any */
  gsize size;
} Walk;

static guint64
take_varint (Walk *walk)
{
  guint64 value = 0;

  for (int shift = 0; walk->pos < walk->end && shift < 64; shift += 7)
    {
      guint8 byte = *walk->pos++;

      value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        break;
    }
  return value;
}

/* Goes to the next field. */
static gboolean
step (Walk *walk)
{
  static const gsize sizes[8] = { [1] = 8, [5] = 4 };
  guint64 tag;

  if (walk->pos >= walk->end)
    return FALSE;
  tag = take_varint (walk);
  walk->field = tag >> 3;
  walk->size = sizes[tag & 7];
  if ((tag & 7) == 2)
    walk->size = take_varint (walk);
  else if ((tag & 7) == 0)
    take_varint (walk);
  walk->data = walk->pos;
  if (walk->size > (gsize) (walk->end - walk->pos))
    return FALSE;
  walk->pos += walk->size;
  return TRUE;
}

static char *
dup_node_type (const Walk *graph)
{
  Walk node = { graph->data, graph->data + graph->size, 0, NULL, 0 };

  while (step (&node))
    if (node.field == NODE_TYPE)
      return g_strndup ((const char *) node.data, node.size);
  return g_strdup ("");
}

/* The only op of the graph that is no Constant; NULL: there are several. */
static char *
find_only_op (const Walk *model)
{
  Walk graph = { model->data, model->data + model->size, 0, NULL, 0 };
  g_autofree char *only = NULL;

  while (step (&graph))
    {
      g_autofree char *type
          = graph.field == GRAPH_NODE ? dup_node_type (&graph) : NULL;

      if (type == NULL || strcmp (type, "Constant") == 0)
        continue;
      if (only != NULL)
        return NULL;
      only = g_steal_pointer (&type);
    }
  return only != NULL ? g_steal_pointer (&only) : g_strdup ("Constant");
}

static char *
name_op (const char *name, const char *data, gsize size)
{
  Walk model = { (const guint8 *) data, (const guint8 *) data + size, 0, NULL,
                 0 };
  char *op = NULL;

  while (step (&model))
    if (model.field == MODEL_GRAPH)
      op = find_only_op (&model);
  if (op != NULL)
    return op;
  return g_strdup (strstr (name, "_expanded") != NULL ? "(function bodies)"
                                                      : "(several ops)");
}

/* ---- which tests there are ------------------------------------------------- */

static void
add_case (GPtrArray *cases, const char *group, const char *test)
{
  g_autofree char *folder
      = g_build_filename (onnx_cases_get_folder (), group, test, NULL);
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *data = NULL;
  OnnxCase *onnx_case;
  gsize size;

  if (!g_file_get_contents (model, &data, &size, NULL))
    return;
  onnx_case = g_new0 (OnnxCase, 1);
  onnx_case->name = g_build_filename (group, test, NULL);
  onnx_case->folder = g_steal_pointer (&folder);
  onnx_case->op = name_op (onnx_case->name, data, size);
  g_ptr_array_add (cases, onnx_case);
}

static int
compare_cases (gconstpointer a, gconstpointer b)
{
  const OnnxCase *const *first = a, *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

GPtrArray *
onnx_cases_list (void)
{
  GPtrArray *cases
      = g_ptr_array_new_with_free_func ((GDestroyNotify) onnx_case_free);
  g_autoptr (GDir) groups = g_dir_open (onnx_cases_get_folder (), 0, NULL);
  const char *group, *test;

  while (groups != NULL && (group = g_dir_read_name (groups)) != NULL)
    {
      g_autofree char *path
          = g_build_filename (onnx_cases_get_folder (), group, NULL);
      g_autoptr (GDir) tests = g_dir_open (path, 0, NULL);

      while (tests != NULL && (test = g_dir_read_name (tests)) != NULL)
        add_case (cases, group, test);
    }
  g_ptr_array_sort (cases, compare_cases);
  return cases;
}

/* ---- inputs and outputs of a run ------------------------------------------- */

static void
tensor_free (OnnxTensor *tensor)
{
  g_free (tensor->name);
  g_free (tensor->data);
  g_free (tensor);
}

static char *
dup_tensor_name (const char *data, gsize size)
{
  Walk tensor = { (const guint8 *) data, (const guint8 *) data + size, 0, NULL,
                  0 };

  while (step (&tensor))
    if (tensor.field == TENSOR_NAME)
      return g_strndup ((const char *) tensor.data, tensor.size);
  return g_strdup ("");
}

static OnnxTensor *
tensor_read (GBytes *bytes, const char *path, GError **error)
{
  g_autoptr (TpTensorFile) file = tp_tensor_file_new (bytes, path, NULL, error);
  OnnxTensor *tensor;
  TpFileTensor inner;
  const char *data;
  gsize size;

  if (file == NULL || !tp_tensor_file_get (file, NULL, &inner, error))
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  tensor = g_new0 (OnnxTensor, 1);
  tensor->name = dup_tensor_name (data, size);
  tensor->count = inner.count;
  tensor->size_bytes = inner.size_bytes;
  tensor->data = g_memdup2 (inner.data, inner.size_bytes);
  tensor->value.dtype = inner.dtype;
  tensor->value.rank = inner.rank;
  memcpy (tensor->value.dims, inner.dims, sizeof inner.dims);
  tensor->value.data = tensor->data;
  return tensor;
}

/* The elements of a SequenceProto of tensors; there are none in a tensor, whose field 3
 * is a segment, which nobody writes. */
static GPtrArray *
find_elements (GBytes *bytes)
{
  GPtrArray *elements
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Walk walk = { data, data + size, 0, NULL, 0 };

  while (step (&walk))
    if (walk.field == SEQUENCE_TENSORS)
      g_ptr_array_add (elements,
                       g_bytes_new_from_bytes (bytes, walk.data - data, walk.size));
  return elements;
}

/* A tensor, or those of a sequence. */
static gboolean
add_tensors (GPtrArray *tensors, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, TP_FILE_PLAIN, error);
  g_autoptr (GPtrArray) elements = bytes == NULL ? NULL : find_elements (bytes);

  if (bytes == NULL)
    return FALSE;
  if (elements->len == 0)
    g_ptr_array_add (elements, g_bytes_ref (bytes));
  for (guint i = 0; i < elements->len; i++)
    {
      OnnxTensor *tensor = tensor_read (elements->pdata[i], path, error);

      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (tensors, tensor);
    }
  return TRUE;
}

GPtrArray *
onnx_tensors_load (const char *folder, const char *stem, GError **error)
{
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tensor_free);

  for (int i = 0;; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/test_data_set_0/%s_%d.pb",
                                               folder, stem, i);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&tensors);
      if (!add_tensors (tensors, path, error))
        return NULL;
    }
}
