/* test-npy.c: .npy files, there and back, and damaged ones. */
#include "config.h"

#include "format/file.h"
#include "format/npy.h"

#include <glib/gstdio.h>
#include <string.h>

/* What numpy.save writes for numpy.array ([[1, 2], [3, 4]], 'float32'). */
static GBytes *
numpy_file (const char *header)
{
  static const float values[] = { 1, 2, 3, 4 };
  g_autoptr (GString) file = g_string_new_len ("\x93NUMPY\1\0v\0", 10);

  g_string_append (file, header);
  while (file->len < 127)
    g_string_append_c (file, ' ');
  g_string_append_c (file, '\n');
  g_string_append_len (file, (const char *) values, sizeof values);
  return g_string_free_to_bytes (g_steal_pointer (&file));
}

static void
test_numpy (void)
{
  g_autoptr (GBytes) bytes = numpy_file (
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }");
  g_autoptr (GError) error = NULL;
  TpFileTensor npy;

  tp_npy_parse (bytes, "a.npy", &npy, &error);
  g_assert_no_error (error);
  g_assert_cmpint (npy.dtype, ==, TPLAN_DTYPE_FLOAT32);
  g_assert_cmpint (npy.rank, ==, 2);
  g_assert_cmpint (npy.dims[1], ==, 2);
  g_assert_cmpint (npy.size_bytes, ==, 16);
  g_assert_cmpfloat (((const float *) npy.data)[3], ==, 4);
}

static void
test_there_and_back (void)
{
  static const gint64 dims[] = { 2, 3, 1, 5 };
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (folder, "t.npy", NULL);
  guint8 values[240];

  for (gsize i = 0; i < sizeof values; i++)
    values[i] = g_test_rand_int_range (0, 2);
  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    for (int rank = 0; rank <= 4; rank++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GBytes) bytes = NULL;
        TpTensor tensor = { .dtype = dtype, .rank = rank, .dims = dims };
        TpFileTensor npy;

        tp_npy_save (path, &tensor, values, &error);
        g_assert_no_error (error);
        bytes = tp_file_load (path, TP_FILE_PLAIN, &error);
        g_assert_no_error (error);
        g_assert_true (tp_npy_parse (bytes, path, &npy, &error));
        g_assert_cmpint (npy.dtype, ==, dtype);
        g_assert_cmpint (npy.rank, ==, rank);
        g_assert_cmpmem (npy.dims, rank * 8, dims, rank * 8);
        g_assert_cmpmem (npy.data, npy.size_bytes, values, npy.size_bytes);
        g_assert_cmpint ((guintptr) npy.data % 64, ==, 0);
      }
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_bad_headers (void)
{
  static const struct
  {
    const char *header;
    int code;
  } cases[] = {
    { "", TPLAN_ERROR_INPUT },
    { "{}", TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False}", TPLAN_ERROR_INPUT },
    { "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2)}",
      TPLAN_ERROR_UNSUPPORTED },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}",
      TPLAN_ERROR_UNSUPPORTED },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
      TPLAN_ERROR_UNSUPPORTED },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
      TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -2)}",
      TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)",
      TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'descr': '<f4', 'shape': (2, 2)}", TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': 7, 'shape': (2, 2)}",
      TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(9999999999, 9999999999)}", TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(99999999999999999999,)}", TPLAN_ERROR_INPUT },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(1,1,1,1,1,1,1,1,4)}", TPLAN_ERROR_UNSUPPORTED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = numpy_file (cases[i].header);
      g_autoptr (GError) error = NULL;
      TpFileTensor npy;

      g_assert_false (tp_npy_parse (bytes, "a.npy", &npy, &error));
      g_assert_error (error, TPLAN_ERROR, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, "a.npy: "));
    }
}

/* Cut short or changed: an error or a right answer, never a crash. */
static void
test_damaged (void)
{
  g_autoptr (GBytes) whole = numpy_file (
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }");
  gsize size;
  const guint8 *data = g_bytes_get_data (whole, &size);
  TpFileTensor npy;

  for (gsize n = 0; n < size; n++)
    {
      g_autoptr (GBytes) cut = g_bytes_new (data, n);
      g_assert_false (tp_npy_parse (cut, "a.npy", &npy, NULL));
    }
  for (int i = 0; i < 20000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) bytes = NULL;

      copy[g_test_rand_int_range (0, 70)] = g_test_rand_int_range (0, 256);
      bytes = g_bytes_new (copy, size);
      if (tp_npy_parse (bytes, "a.npy", &npy, NULL))
        g_assert_cmpint (npy.size_bytes, ==, 16);
    }
}

/* A failed save leaves nothing behind. */
static void
test_failed_save (void)
{
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (folder, "d", NULL);
  TpTensor scalar = { .dtype = TPLAN_DTYPE_FLOAT32 };
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GError) error = NULL;

  g_mkdir (path, 0700);
  g_assert_false (tp_npy_save (path, &scalar, "abcd", &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_cmpstr (g_dir_read_name (dir), ==, "d");
  g_assert_null (g_dir_read_name (dir));
  g_rmdir (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npy/numpy", test_numpy);
  g_test_add_func ("/npy/there-and-back", test_there_and_back);
  g_test_add_func ("/npy/bad-headers", test_bad_headers);
  g_test_add_func ("/npy/damaged", test_damaged);
  g_test_add_func ("/npy/failed-save", test_failed_save);
  return g_test_run ();
}
