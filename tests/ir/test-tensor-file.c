/* test-tensor-file.c: .safetensors and .pb, whole and damaged. */
#include "config.h"

#include "tests/ir/onnx-bytes.h"
#include "tests/ir/tensor-file-support.h"

/* ---- .safetensors ------------------------------------------------------- */

#define W "\"w\": {\"dtype\": \"F32\", \"shape\": [2, 2], \"data_offsets\": "

/* @header, then 24 bytes: 1, 2, 3, 4 in float32 and zeros. */
static GByteArray *
safetensors_new (const char *header)
{
  static const float values[] = { 1, 2, 3, 4, 0, 0 };
  GByteArray *data = g_byte_array_new ();

  put (data, strlen (header), 8);
  g_byte_array_append (data, (const guint8 *) header, strlen (header));
  return g_byte_array_append (data, (const guint8 *) values, sizeof values);
}

static void
test_safetensors (void)
{
  g_autoptr (GByteArray) data = safetensors_new (
      "{\"__metadata__\": {\"format\": \"pt\"}, \"b\": {\"dtype\": \"BOOL\", "
      "\"shape\": [8], \"data_offsets\": [16, 24]}, " W "[0, 16]}}  ");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpTensorFile) file = NULL;
  TpFileTensor b;
  int n;

  data->data[data->len - 1] = 7;
  file = open_file (data, "m.safetensors", &error);
  g_assert_no_error (error);
  tp_tensor_file_get_keys (file, &n);
  g_assert_cmpint (n, ==, 2);
  check_w (file);
  g_assert_true (tp_tensor_file_get (file, "b", &b, &error));
  g_assert_cmpmem (b.data, b.size_bytes, "\0\0\0\0\0\0\0\1", 8);
  g_assert_false (tp_tensor_file_get (file, NULL, &b, &error));
  g_assert_cmpstr (error->message, ==, "m.safetensors: the file holds several "
                   "tensors: give the key of one: b, w");
  check_truncations (data, "m.safetensors");
}

static void
test_safetensors_bad (void)
{
  static const struct
  {
    const char *header;
    int code;
    const char *pattern;
  } cases[] = {
    { "[]", TPLAN_ERROR_INPUT, "not a .safetensors file*" },
    { "{", TPLAN_ERROR_INPUT, "*" },
    { "{}", TPLAN_ERROR_INPUT, "the bytes from 10 on belong to no tensor*" },
    { "{\"w\": 1}", TPLAN_ERROR_INPUT, "w: *" },
    { "{" W "[0, 16]}}", TPLAN_ERROR_INPUT, "the bytes from *" },
    { "{" W "[0, 16]}, \"v\": {\"dtype\": \"F64\", \"shape\": [1], "
      "\"data_offsets\": [16, 23]}}", TPLAN_ERROR_INPUT,
      "v.data_offsets: span 7 bytes, the shape takes 8" },
    { "{" W "[0, 16]}, \"v\": {\"dtype\": \"F64\", \"shape\": [2], "
      "\"data_offsets\": [8, 24]}}", TPLAN_ERROR_INPUT,
      "two tensors share bytes*" },
    { "{" W "[8, 24]}}", TPLAN_ERROR_INPUT, "the bytes from *" },
    { "{" W "[16, 0]}}", TPLAN_ERROR_INPUT, "w.data_offsets: are 16 and 0*" },
    { "{" W "[-1, 15]}}", TPLAN_ERROR_INPUT, "w.data_offsets: are -1*" },
    { "{" W "[16, 32]}}", TPLAN_ERROR_INPUT, "*24 bytes follow the header*" },
    { "{" W "[0, 9223372036854775807]}}", TPLAN_ERROR_INPUT, "*follow*" },
    { "{" W "[0]}}", TPLAN_ERROR_INPUT, "*must be two integers" },
    { "{" W "[0, 1.5]}}", TPLAN_ERROR_INPUT, "*must be two integers" },
    { "{" W "[0, 16], \"x\": 1}}", TPLAN_ERROR_INPUT, "w*x*" },
    { "{" W "[0, 16]}, " W "[0, 16]}}", TPLAN_ERROR_INPUT, "*" },
    { "{\"w\": {\"shape\": [6], \"data_offsets\": [0, 24]}}",
      TPLAN_ERROR_INPUT, "w.dtype: *" },
    { "{\"w\": {\"dtype\": \"Q4\", \"shape\": [6], \"data_offsets\": [0, "
      "24]}}", TPLAN_ERROR_INPUT, "w.dtype: is 'Q4'*" },
    { "{\"w\": {\"dtype\": \"F32\", \"shape\": [-6], \"data_offsets\": [0, "
      "24]}}", TPLAN_ERROR_INPUT, "w.shape: *" },
    { "{\"w\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296], "
      "\"data_offsets\": [0, 24]}}", TPLAN_ERROR_INPUT, "w.shape: *" },
    { "{\"w\": {\"dtype\": \"F32\", \"shape\": [6, 1, 1, 1, 1, 1, 1, 1, 1], "
      "\"data_offsets\": [0, 24]}}", TPLAN_ERROR_INPUT,
      "w.shape: has more than 8 dimensions" },
    { "{\"w\": {\"dtype\": \"U64\", \"shape\": [3], \"data_offsets\": [0, "
      "24]}}", TPLAN_ERROR_UNSUPPORTED, "tensor 'w' is U64; known are*" },
    { "{\"w\": {\"dtype\": \"F8_E4M3\", \"shape\": [24], \"data_offsets\": "
      "[0, 24]}}", TPLAN_ERROR_UNSUPPORTED, "tensor 'w' is F8_E4M3; known are*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) data = safetensors_new (cases[i].header);

      g_test_message ("%s", cases[i].header);
      if (strchr (cases[i].pattern, ':') == NULL && cases[i].pattern[1] == 0)
        {
          g_autoptr (GError) error = NULL;

          g_assert_false (read_all (data, "b.safetensors", &error));
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
          g_assert_true (g_str_has_prefix (error->message, "b.safetensors:"));
        }
      else
        assert_refused (data, "b.safetensors", cases[i].code,
                        cases[i].pattern);
    }
}

static void
test_safetensors_huge_header (void)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();

  put (data, G_MAXUINT64, 8);
  put (data, '{', 8);
  assert_refused (data, "h.safetensors", TPLAN_ERROR_INPUT, "*cut short*");
  g_byte_array_set_size (data, 0);
  put (data, 17 << 20, 8);
  put (data, '{', 1);
  g_byte_array_set_size (data, 18 << 20);
  assert_refused (data, "h.safetensors", TPLAN_ERROR_INPUT,
                  "its header has 17825792 bytes; at most*");
}

/* ---- .pb ---------------------------------------------------------------- */

static void
test_pb (void)
{
  static const gint64 dims[] = { 2, 2 };
  static const float values[] = { 1, 2, 3, 4 };
  g_autoptr (GByteArray) raw = tensor_new ("w", 1, 2, dims);
  g_autoptr (GByteArray) listed = tensor_new ("w", 1, 2, dims);
  g_autoptr (GByteArray) byte = tensor_new ("w", 13, 2, dims);
  g_autoptr (GError) error = NULL;
  TpFileTensor w;

  msg_bytes (raw, 9, values, sizeof values);
  for (int i = 0; i < 4; i++)
    msg_float (listed, 4, values[i]);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TpTensorFile) file
          = open_file (i == 0 ? raw : listed, "t.pb", &error);

      g_assert_no_error (error);
      g_assert_true (tp_tensor_file_get (file, NULL, &w, &error));
      g_assert_cmpint (w.dims[1], ==, 2);
      g_assert_cmpmem (w.data, w.size_bytes, values, sizeof values);
      g_assert_false (tp_tensor_file_get (file, "w", &w, &error));
      g_assert_cmpstr (error->message, ==, "t.pb: one tensor without a key is "
                       "in such a file: leave out the key 'w'");
      g_clear_error (&error);
    }
  check_truncations (raw, "t.pb");
  check_truncations (listed, "t.pb");
  assert_refused (byte, "h.pb", TPLAN_ERROR_UNSUPPORTED,
                  "tensor: not supported: tensor 'w' is uint64 (ONNX*");
}

static void
test_pb_external (void)
{
  static const gint64 dims[] = { 4 };
  g_autoptr (GByteArray) tensor = tensor_new ("w", 1, 1, dims);
  Msg *entry = msg_new ();

  msg_string (entry, 1, "location");
  msg_string (entry, 2, "/etc/passwd");
  msg_take (tensor, 13, entry);
  msg_int (tensor, 14, 1);
  assert_refused (tensor, "e.pb", TPLAN_ERROR_UNSUPPORTED,
                  "tensor: not supported: external data of a lone tensor*");
}

/* ---- names -------------------------------------------------------------- */

static void
test_kinds (void)
{
  g_autoptr (GByteArray) data = bytes_new ("hello", 5);

  assert_refused (data, "t.csv", TPLAN_ERROR_UNSUPPORTED,
                  "tensors are read from .npy, .npz, .safetensors and .pb*");
  assert_refused (data, "t.npy", TPLAN_ERROR_INPUT, "not a .npy file*");
  assert_refused (data, "t.npz", TPLAN_ERROR_INPUT, "not a .npz file*");
}

static void
test_split (void)
{
  static const char *const cases[][3] = {
    { "a.npy", "a.npy", NULL },      { "a.npz", "a.npz", NULL },
    { "a.npz:w", "a.npz", "w" },     { "a:b.npz:w:x", "a:b.npz", "w:x" },
    { "c:/a.pb", "c:/a.pb", NULL },  { "a.safetensors:", "a.safetensors", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = NULL, *key = NULL;

      tp_tensor_file_split (cases[i][0], &path, &key);
      g_assert_cmpstr (path, ==, cases[i][1]);
      g_assert_cmpstr (key, ==, cases[i][2]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor-file/safetensors/good", test_safetensors);
  g_test_add_func ("/tensor-file/safetensors/bad", test_safetensors_bad);
  g_test_add_func ("/tensor-file/safetensors/huge-header",
                   test_safetensors_huge_header);
  g_test_add_func ("/tensor-file/pb/good", test_pb);
  g_test_add_func ("/tensor-file/pb/external", test_pb_external);
  g_test_add_func ("/tensor-file/kinds", test_kinds);
  g_test_add_func ("/tensor-file/split", test_split);
  return g_test_run ();
}
