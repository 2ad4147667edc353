/* test-npz.c: .npz archives, whole, damaged and made to harm. */
#include "config.h"

#include "tests/ir/tensor-file-support.h"

#include <string.h>
#include <zlib.h>

#define N_LIMIT_BYTES (200 << 20)

/* What Python's zipfile writes, deflated and with zip64 fields, as NumPy asks it
 * to: w.npy is float32 [[1, 2], [3, 4]], fc/b.npy int64 [-1, 0, 7]. */
static const guint8 python_npz[] = {
  0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
  0x21, 0x00, 0x4e, 0xfb, 0x20, 0x75, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xff, 0xff, 0x05, 0x00, 0x14, 0x00, 0x77, 0x2e, 0x6e, 0x70, 0x79, 0x01,
  0x00, 0x10, 0x00, 0x90, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x53,
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b,
  0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c,
  0xa4, 0x6e, 0xa5, 0xa0, 0x6e, 0x93, 0x66, 0xa2, 0xae, 0xa3, 0xa0, 0x9e,
  0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a,
  0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16,
  0xa4, 0x02, 0xf9, 0x1a, 0x46, 0x3a, 0x0a, 0x46, 0x9a, 0x3a, 0x0a, 0xb5,
  0x0a, 0x64, 0x03, 0x2e, 0x06, 0x86, 0x06, 0x7b, 0x06, 0x06, 0x06, 0x07,
  0x20, 0x02, 0xe2, 0x06, 0x07, 0x00, 0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00,
  0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xaf, 0x8e, 0x8e, 0xa0,
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x08, 0x00, 0x14, 0x00,
  0x66, 0x63, 0x2f, 0x62, 0x2e, 0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00,
  0x98, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4c, 0x00, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b, 0x10, 0xc9, 0xc8,
  0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5,
  0xa0, 0x6e, 0x93, 0x69, 0xa1, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54,
  0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b,
  0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16, 0xa4, 0x02, 0xf9,
  0x1a, 0xc6, 0x3a, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0x14, 0x00, 0xae, 0xff,
  0x50, 0xc0, 0x00, 0x05, 0xec, 0x50, 0x1a, 0x00, 0x50, 0x4b, 0x01, 0x02,
  0x2d, 0x03, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00,
  0x4e, 0xfb, 0x20, 0x75, 0x53, 0x00, 0x00, 0x00, 0x90, 0x00, 0x00, 0x00,
  0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x77, 0x2e, 0x6e, 0x70, 0x79, 0x50,
  0x4b, 0x01, 0x02, 0x2d, 0x03, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00,
  0x00, 0x21, 0x00, 0xaf, 0x8e, 0x8e, 0xa0, 0x4c, 0x00, 0x00, 0x00, 0x98,
  0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x00, 0x00, 0x00, 0x80, 0x01, 0x8a, 0x00, 0x00, 0x00, 0x66, 0x63, 0x2f,
  0x62, 0x2e, 0x6e, 0x70, 0x79, 0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00,
  0x00, 0x02, 0x00, 0x02, 0x00, 0x69, 0x00, 0x00, 0x00, 0x10, 0x01, 0x00,
  0x00, 0x00, 0x00,
};

/* An archive being written: members, and the directory to be. */
typedef struct
{
  GByteArray *all, *directory;
  int n;
} Zip;

static void
zip_add (Zip *zip, const char *name, const void *data, gsize size,
         gsize unpacked_size, guint32 crc)
{
  gsize offset = zip->all->len;
  int method = size == unpacked_size ? 0 : 8;

  put (zip->all, 0x04034b50, 4);
  put (zip->all, 20, 4); /* version, flags */
  put (zip->all, method, 2);
  put (zip->all, 0, 4); /* time */
  put (zip->all, crc, 4);
  put (zip->all, size, 4);
  put (zip->all, unpacked_size, 4);
  put (zip->all, strlen (name), 4); /* and no extra field */
  g_byte_array_append (zip->all, (const guint8 *) name, strlen (name));
  g_byte_array_append (zip->all, data, size);
  put (zip->directory, 0x02014b50, 4);
  put (zip->directory, 20 | 20 << 16, 4);
  put (zip->directory, 0, 2);
  put (zip->directory, method, 2);
  put (zip->directory, 0, 4);
  put (zip->directory, crc, 4);
  put (zip->directory, size, 4);
  put (zip->directory, unpacked_size, 4);
  put (zip->directory, strlen (name), 4);
  put (zip->directory, 0, 10);
  put (zip->directory, offset, 4);
  g_byte_array_append (zip->directory, (const guint8 *) name, strlen (name));
  zip->n++;
}

static GByteArray *
zip_finish (Zip *zip)
{
  gsize offset = zip->all->len;

  g_byte_array_append (zip->all, zip->directory->data, zip->directory->len);
  put (zip->all, 0x06054b50, 4);
  put (zip->all, 0, 4);
  put (zip->all, zip->n, 2);
  put (zip->all, zip->n, 2);
  put (zip->all, zip->directory->len, 4);
  put (zip->all, offset, 4);
  put (zip->all, 0, 2);
  g_byte_array_unref (zip->directory);
  return zip->all;
}

/* A .npy file of @shape; @size bytes of zeros, or of 1, 2, 3, 4 in float32. */
static GByteArray *
npy_new (const char *descr, const char *shape)
{
  static const float values[] = { 1, 2, 3, 4 };
  g_autofree char *header
      = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': %s, "
                         "}", descr, shape);
  GByteArray *npy = bytes_new ("\x93NUMPY\1\0v\0", 10);

  g_byte_array_append (npy, (const guint8 *) header, strlen (header));
  while (npy->len < 128)
    g_byte_array_append (npy, (const guint8 *) " ", 1);
  npy->data[127] = '\n';
  return g_byte_array_append (npy, (const guint8 *) values, sizeof values);
}

static Zip
zip_new (void)
{
  return (Zip){ g_byte_array_new (), g_byte_array_new (), 0 };
}

static void
zip_add_stored (Zip *zip, const char *name, const GByteArray *data)
{
  zip_add (zip, name, data->data, data->len, data->len,
           crc32 (0, data->data, data->len));
}

/* w.npy and a text, stored. */
static GByteArray *
stored_npz (void)
{
  g_autoptr (GByteArray) npy = npy_new ("<f4", "(2, 2)");
  g_autoptr (GByteArray) text = bytes_new ("hello", 5);
  Zip zip = zip_new ();

  zip_add_stored (&zip, "w.npy", npy);
  zip_add_stored (&zip, "readme.txt", text);
  return zip_finish (&zip);
}

static void
test_npz_python (void)
{
  static const gint64 values[] = { -1, 0, 7 };
  g_autoptr (GByteArray) data = bytes_new (python_npz, sizeof python_npz);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpTensorFile) file = open_file (data, "p.npz", &error);
  TpFileTensor b;
  int n;

  g_assert_no_error (error);
  g_assert_cmpstr (tp_tensor_file_get_keys (file, &n)[1], ==, "fc/b");
  g_assert_cmpint (n, ==, 2);
  check_w (file);
  g_assert_true (tp_tensor_file_get (file, "fc/b", &b, &error));
  g_assert_cmpint (b.dtype, ==, TPLAN_DTYPE_INT64);
  g_assert_cmpmem (b.data, b.size_bytes, values, sizeof values);
  check_truncations (data, "p.npz");
}

static void
test_npz_stored (void)
{
  g_autoptr (GByteArray) data = stored_npz ();
  g_autoptr (GBytes) bytes = g_bytes_new (data->data, data->len);
  g_autoptr (TpTensorFile) file = tp_tensor_file_new (bytes, "s.npz", NULL, NULL);
  const guint8 *base = g_bytes_get_data (bytes, NULL), *at;
  TpFileTensor w;

  check_w (file);
  g_assert_true (tp_tensor_file_get (file, NULL, &w, NULL)); /* the only one */
  at = w.data;
  g_assert_true (at > base && at < base + data->len);
  check_truncations (data, "s.npz");
}

/* A byte that changes is found, or meant nothing. */
static void
check_flips (const GByteArray *good)
{
  int n_found = 0;

  for (guint i = 0; i < good->len; i++)
    {
      g_autoptr (GByteArray) data = bytes_new (good->data, good->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpTensorFile) file = NULL;
      TpFileTensor w;

      data->data[i] ^= 1 << g_test_rand_int_range (0, 8);
      file = open_file (data, "f.npz", &error);
      if (file != NULL && tp_tensor_file_get (file, "w", &w, &error))
        check_w (file);
      else
        n_found++;
    }
  g_assert_cmpint (n_found, >, (int) good->len / 2);
}

static void
test_npz_flips (void)
{
  g_autoptr (GByteArray) stored = stored_npz ();
  g_autoptr (GByteArray) deflated = bytes_new (python_npz, sizeof python_npz);

  check_flips (stored);
  check_flips (deflated);
}

/* Numbers of the stored archive changed, in the entry of the directory and, if
 * so said, in the header before the member too. */
static void
test_npz_lies (void)
{
  static const struct
  {
    int entry, at, n;           /* byte of that entry of the directory */
    int local;                  /* byte of the local header; 0: left alone */
    guint64 value;
    int code;
    const char *pattern;
  } lies[] = {
    { 0, 0, 4, 0, 0, TPLAN_ERROR_INPUT, "byte *: no entry of the directory*" },
    { 0, 8, 2, 0, 1, TPLAN_ERROR_UNSUPPORTED, "member 'w.npy': is neither*" },
    { 0, 10, 2, 8, 12, TPLAN_ERROR_UNSUPPORTED, "*numpy.savez" },
    { 0, 10, 2, 0, 8, TPLAN_ERROR_INPUT, "member 'w.npy': *disagree:*" },
    { 0, 10, 2, 8, 8, TPLAN_ERROR_INPUT, "member 'w.npy': its packed bytes*" },
    { 0, 16, 4, 0, 1, TPLAN_ERROR_INPUT, "*disagree on its size or checksum*" },
    { 0, 16, 4, 14, 1, TPLAN_ERROR_INPUT, "*its checksum is wrong*" },
    { 0, 20, 4, 18, 143, TPLAN_ERROR_INPUT, "*it is stored, and has two sizes*" },
    { 0, 24, 4, 22, 1 << 30, TPLAN_ERROR_INPUT, "*it is stored*" },
    { 0, 28, 2, 0, 60000, TPLAN_ERROR_INPUT, "*no entry of the directory*" },
    { 0, 28, 2, 26, 0, TPLAN_ERROR_INPUT, "*its name is empty*" },
    { 0, 42, 4, 0, 1, TPLAN_ERROR_INPUT, "*its header is not where*" },
    { 0, 42, 4, 0, 0xfffffff0, TPLAN_ERROR_INPUT, "*its header is not where*" },
    { 0, 42, 4, 0, 0xffffffff, TPLAN_ERROR_INPUT, "*its header is not where*" },
    { 0, 46, 1, 30, 0, TPLAN_ERROR_INPUT, "*not UTF-8" },
    { 0, 46, 1, 30, 0xff, TPLAN_ERROR_INPUT, "*not UTF-8" },
    { 1, 42, 4, 0, 0, TPLAN_ERROR_INPUT, "member 'readme.txt': *disagree*" },
    { 2, 10, 2, 0, 1, TPLAN_ERROR_INPUT, "*has more than its 1 entries" },
    { 2, 10, 2, 0, 3, TPLAN_ERROR_INPUT, "*does not fit*" },
    { 2, 10, 2, 0, 65535, TPLAN_ERROR_INPUT, "*does not fit*" },
    { 2, 12, 4, 0, 0x7fffffff, TPLAN_ERROR_INPUT, "*does not fit*" },
    { 2, 16, 4, 0, 0xffffffff, TPLAN_ERROR_INPUT, "*does not fit*" },
    { 2, 20, 2, 0, 1, TPLAN_ERROR_INPUT, "not a .npz file*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      g_autoptr (GByteArray) data = stored_npz ();
      /* w.npy: 30 + 5 + 144 bytes; readme.txt: 30 + 10 + 5. */
      gsize entries[] = { 224, 224 + 51, 224 + 51 + 56 };
      gsize at = entries[lies[i].entry] + lies[i].at;

      for (int k = 0; k < lies[i].n; k++)
        {
          data->data[at + k] = lies[i].value >> (8 * k);
          if (lies[i].local > 0)
            data->data[lies[i].local + k] = lies[i].value >> (8 * k);
        }
      g_test_message ("lie %d", (int) i);
      assert_refused (data, "l.npz", lies[i].code, lies[i].pattern);
    }
}

static void
test_npz_names (void)
{
  g_autoptr (GByteArray) npy = npy_new ("<f4", "(2, 2)");
  g_autoptr (GByteArray) half = npy_new ("<u8", "(2, 1)");
  g_autoptr (GByteArray) data = NULL;
  Zip zip = zip_new ();

  zip_add_stored (&zip, "w.npy", npy);
  zip_add_stored (&zip, "w.npy", npy);
  data = zip_finish (&zip);
  assert_refused (data, "d.npz", TPLAN_ERROR_INPUT,
                  "there are two tensors 'w'");
  g_byte_array_unref (data);
  zip = zip_new ();
  zip_add_stored (&zip, "h.npy", half);
  data = zip_finish (&zip);
  assert_refused (data, "h.npz", TPLAN_ERROR_UNSUPPORTED,
                  "member 'h.npy': header byte *: element type must be*");
}

/* Two entries of the directory for one member: the second lies inside it. */
static void
test_npz_overlap (void)
{
  g_autoptr (GByteArray) inner = npy_new ("<f4", "(2, 2)");
  g_autoptr (GByteArray) data = NULL;
  Zip inside = zip_new (), zip = zip_new ();

  zip_add_stored (&inside, "i.npy", inner);
  zip_add_stored (&zip, "o.npy", inside.all);
  /* The entry of i.npy, whose header begins where the bytes of o.npy do. */
  inside.directory->data[42] = 30 + 5;
  g_byte_array_append (zip.directory, inside.directory->data,
                       inside.directory->len);
  zip.n++;
  data = zip_finish (&zip);
  assert_refused (data, "o.npz", TPLAN_ERROR_INPUT,
                  "two members share bytes*");
  g_byte_array_unref (inside.all);
  g_byte_array_unref (inside.directory);
}

/* 200 MiB of zeros in 200 kB: more than a file of its size may ask for. */
static GByteArray *
deflate_zeros (gsize size, guint32 *out_crc)
{
  static guint8 zeros[65536];
  static guint8 out[65536];
  z_stream stream = { .next_in = zeros };
  GByteArray *packed = g_byte_array_new ();
  int status = deflateInit2 (&stream, 9, Z_DEFLATED, -MAX_WBITS, 9,
                             Z_DEFAULT_STRATEGY);

  *out_crc = 0;
  while (status == Z_OK)
    {
      gsize left = size - stream.total_in;

      stream.next_in = zeros;
      stream.avail_in = MIN (left, sizeof zeros);
      *out_crc = crc32 (*out_crc, zeros, stream.avail_in);
      stream.next_out = out;
      stream.avail_out = sizeof out;
      status = deflate (&stream, left <= sizeof zeros ? Z_FINISH : Z_NO_FLUSH);
      g_byte_array_append (packed, out, sizeof out - stream.avail_out);
    }
  deflateEnd (&stream);
  return packed;
}

static void
test_npz_bomb (void)
{
  guint32 crc;
  g_autoptr (GByteArray) packed = deflate_zeros (N_LIMIT_BYTES, &crc);
  g_autoptr (GByteArray) data = NULL;
  g_autoptr (GByteArray) lie = NULL;
  Zip zip = zip_new ();

  zip_add (&zip, "z.npy", packed->data, packed->len, N_LIMIT_BYTES, crc);
  data = zip_finish (&zip);
  assert_refused (data, "z.npz", TPLAN_ERROR_LIMIT, "member 'z.npy': *");
  zip = zip_new ();
  zip_add (&zip, "z.npy", "\3", 1, 1 << 30, 0);
  lie = zip_finish (&zip);
  assert_refused (lie, "r.npz", TPLAN_ERROR_INPUT,
                  "member 'z.npy': its size is more than deflate can pack*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npz/python", test_npz_python);
  g_test_add_func ("/npz/stored", test_npz_stored);
  g_test_add_func ("/npz/flips", test_npz_flips);
  g_test_add_func ("/npz/lies", test_npz_lies);
  g_test_add_func ("/npz/names", test_npz_names);
  g_test_add_func ("/npz/overlap", test_npz_overlap);
  g_test_add_func ("/npz/bomb", test_npz_bomb);
  return g_test_run ();
}
