/* test-opencl-pinned.c: copies through pinned memory bring the same bytes as others,
 * of every size, in both directions, at once where a device is shared; what a driver
 * refuses is copied as before; a call that fails is an error, and the next copy is
 * right. The loader takes the layer from OPENCL_LAYERS. */
#include "config.h"

#include "opencl-layered.h"
#include "runtime/devices.h"

#include <string.h>

#define LEAST 65536           /* as TP_OPENCL_PINNED_LEAST */
#define PIECE (1 << 20)       /* as in runtime/opencl-pinned.c */
#define MOST (9 * PIECE + 1)
#define MOST_CALLS 40

/* Of LEAST + 2 pieces; more than a slot each, fewer than there are. */
#define SOME (2 * PIECE + LEAST)

static void
fill (char *bytes, gint64 size_bytes)
{
  guint32 state = g_test_rand_int ();

  for (gint64 i = 0; i < size_bytes; i++)
    bytes[i] = (state = state * 1664525 + 1013904223) >> 24;
}

static TpDevice *
open_device (const char *wanted, gboolean is_shared)
{
  const TpDeviceOptions options = { .n_threads = 4, .is_shared = is_shared };
  g_autoptr (GError) error = NULL;
  TpDevice *device;

  g_setenv ("TPLAN_OPENCL_PINNED", wanted, TRUE);
  g_setenv ("TPLAN_OPENCL_SHARE", "no", TRUE);
  device = tp_device_open ("opencl:0", &options, &error);
  g_assert_no_error (error);
  return device;
}

static TpBuf *
new_buf (TpDevice *device, gint64 size_bytes)
{
  g_autoptr (GError) error = NULL;
  TpBuf *buf = device->ops->alloc (device, NULL, 0, size_bytes, &error);

  g_assert_no_error (error);
  return buf;
}

/* There and back. */
static gboolean
copy_both (TpDevice *device, TpBuf *buf, gint64 size_bytes, GError **error)
{
  g_autofree char *from = g_malloc (size_bytes + 1);
  g_autofree char *to = g_malloc0 (size_bytes + 1);

  fill (from, size_bytes);
  to[size_bytes] = 77;
  if (!tp_device_write (device, buf, from, size_bytes, error)
      || !tp_device_read (device, buf, to, size_bytes, error))
    return FALSE;
  g_assert_true (memcmp (from, to, size_bytes) == 0);
  g_assert_cmpint (to[size_bytes], ==, 77);
  return TRUE;
}

static void
check_copy (TpDevice *device, TpBuf *buf, gint64 size_bytes)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (copy_both (device, buf, size_bytes, &error));
  g_assert_no_error (error);
}

/* ---- sizes ------------------------------------------------------------------ */

static void
test_sizes (gconstpointer wanted)
{
  static const gint64 edges[] = { 0, 1, LEAST, 2 * LEAST, PIECE, 2 * PIECE,
                                  4 * PIECE, 5 * PIECE, 8 * PIECE };
  g_autoptr (TpDevice) device = open_device (wanted, FALSE);
  TpBuf *buf = new_buf (device, MOST);

  for (gsize i = 0; i < G_N_ELEMENTS (edges); i++)
    for (int more = -1; more <= 1; more++)
      if (edges[i] + more >= 0)
        check_copy (device, buf, edges[i] + more);
  for (int i = 0; i < 20; i++)
    check_copy (device, buf, g_test_rand_int_range (LEAST, MOST));
  check_copy (device, buf, MOST);
  device->ops->free_buf (device, buf);
}

/* Parts of a buffer, as arenas have them; a small one is not touched beyond. */
static void
test_parts (void)
{
  g_autoptr (TpDevice) device = open_device ("yes", FALSE);
  g_autoptr (GError) error = NULL;
  g_autofree char *zeros = g_malloc0 (MOST), *all = g_malloc (MOST);
  TpBuf *whole = new_buf (device, MOST), *part;

  g_assert_true (tp_device_write (device, whole, zeros, MOST, &error));
  part = device->ops->alloc (device, whole, PIECE, SOME, &error);
  g_assert_no_error (error);
  check_copy (device, part, SOME);
  g_assert_true (tp_device_read (device, whole, all, MOST, &error));
  g_assert_true (memcmp (all, zeros, PIECE) == 0);
  g_assert_true (memcmp (all + PIECE + SOME, zeros, MOST - PIECE - SOME) == 0);
  device->ops->free_buf (device, part);
  device->ops->free_buf (device, whole);
}

/* ---- both directions at once ------------------------------------------------- */

typedef struct
{
  TpDevice *device;
  TpBuf *buf;
  char *bytes;
} Reader;

static gpointer
read_often (gpointer data)
{
  const Reader *reader = data;
  g_autofree char *to = g_malloc (MOST);

  for (int i = 0; i < 20; i++)
    {
      g_autoptr (GError) error = NULL;

      memset (to, i, MOST);
      tp_device_read (reader->device, reader->buf, to, MOST, &error);
      g_assert_no_error (error);
      g_assert_true (memcmp (to, reader->bytes, MOST) == 0);
    }
  return NULL;
}

static void
test_at_once (void)
{
  g_autoptr (TpDevice) device = open_device ("yes", TRUE);
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = g_malloc (MOST), *others = g_malloc (MOST);
  g_autofree char *back = g_malloc (MOST);
  Reader reader = { device, new_buf (device, MOST), bytes };
  TpBuf *written = new_buf (device, MOST);
  GThread *thread;

  fill (bytes, MOST);
  fill (others, MOST);
  g_assert_true (tp_device_write (device, reader.buf, bytes, MOST, &error));
  thread = g_thread_new ("reader", read_often, &reader);
  for (int i = 0; i < 20; i++)
    g_assert_true (tp_device_write (device, written, others, MOST, &error));
  g_thread_join (thread);
  g_assert_true (tp_device_read (device, written, back, MOST, &error));
  g_assert_true (memcmp (back, others, MOST) == 0);
  device->ops->free_buf (device, reader.buf);
  device->ops->free_buf (device, written);
}

/* ---- faults ------------------------------------------------------------------- */

/* A driver that cannot have such memory has copies as before, in one piece. */
static void
test_refused (gconstpointer fault)
{
  g_autoptr (TpDevice) device = open_device ("yes", FALSE);
  TpBuf *buf;

  g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
  buf = new_buf (device, SOME);
  g_setenv ("TEST_OPENCL_FAIL", "clEnqueueWriteBuffer 2 -5", TRUE);
  check_copy (device, buf, SOME);
  g_unsetenv ("TEST_OPENCL_FAIL");
  device->ops->free_buf (device, buf);
}

/* The calls of one copy each way fail one after the other; there are @least. */
static void
check_fault (const char *function, const char *what, int least)
{
  g_autoptr (TpDevice) device = open_device ("yes", FALSE);
  TpBuf *buf = new_buf (device, SOME);
  int n_failed = 0;

  for (int call = 1; call < MOST_CALLS; call++)
    {
      g_autofree char *fault = g_strdup_printf ("%s %d %s", function, call, what);
      g_autoptr (GError) error = NULL;
      gboolean is_good;

      g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
      is_good = copy_both (device, buf, SOME, &error);
      g_unsetenv ("TEST_OPENCL_FAIL");
      if (is_good)
        break;
      n_failed++;
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, "opencl:0"));
      check_copy (device, buf, SOME);
    }
  g_assert_cmpint (n_failed, >=, least);
  g_assert_cmpint (n_failed, <, MOST_CALLS - 1);
  device->ops->free_buf (device, buf);
}

static void
test_faults (void)
{
  check_fault ("clEnqueueWriteBuffer", "-4", 3);
  check_fault ("clEnqueueWriteBuffer", "lie", 3);
  check_fault ("clEnqueueReadBuffer", "-5", 3);
  check_fault ("clEnqueueReadBuffer", "lie", 3);
  check_fault ("clFlush", "-36", 6);
  check_fault ("clWaitForEvents", "-14", 6);
}

/* Unless it is wanted, a device that is a CPU has none; "no" is for all. */
static void
test_wanted (void)
{
  static const char *const none[] = { "no", "", "what" };

  for (gsize i = 0; i < G_N_ELEMENTS (none); i++)
    {
      g_autoptr (TpDevice) device = open_device (none[i], FALSE);
      TpBuf *buf = new_buf (device, SOME);

      g_setenv ("TEST_OPENCL_FAIL", "clEnqueueWriteBuffer 2 -5", TRUE);
      check_copy (device, buf, SOME);
      g_unsetenv ("TEST_OPENCL_FAIL");
      device->ops->free_buf (device, buf);
    }
}

/* A GPU with memory of its own has them unasked; one that shares it does not. */
static void
test_claimed (void)
{
  static const char *const claims[]
      = { "CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 0",
          "CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 1" };

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TpDevice) device = NULL;
      g_autoptr (GError) error = NULL;
      TpBuf *buf;

      g_setenv ("TEST_OPENCL_CLAIM", claims[i], TRUE);
      device = open_device ("", FALSE);
      buf = new_buf (device, SOME);
      g_setenv ("TEST_OPENCL_FAIL", "clEnqueueWriteBuffer 3 -5", TRUE);
      g_assert_true (copy_both (device, buf, SOME, &error) == (i == 1));
      g_unsetenv ("TEST_OPENCL_FAIL");
      check_copy (device, buf, SOME);
      device->ops->free_buf (device, buf);
      g_unsetenv ("TEST_OPENCL_CLAIM");
    }
}

static void
add_faults (void)
{
  g_test_add_data_func ("/opencl-pinned/refused/buffer",
                        "clCreateBuffer 1 -4", test_refused);
  g_test_add_data_func ("/opencl-pinned/refused/host-memory",
                        "clCreateBuffer 1 -6", test_refused);
  g_test_add_data_func ("/opencl-pinned/refused/nothing-made",
                        "clCreateBuffer 1 lie", test_refused);
  g_test_add_data_func ("/opencl-pinned/refused/map", "clEnqueueMapBuffer 1 -12",
                        test_refused);
  g_test_add_data_func ("/opencl-pinned/refused/not-mapped",
                        "clEnqueueMapBuffer 1 lie", test_refused);
  g_test_add_func ("/opencl-pinned/faults", test_faults);
  g_test_add_func ("/opencl-pinned/wanted", test_wanted);
  g_test_add_func ("/opencl-pinned/claimed", test_claimed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!opencl_layered_begin ())
    return 0;
  g_test_add_data_func ("/opencl-pinned/sizes/pinned", "yes", test_sizes);
  g_test_add_data_func ("/opencl-pinned/sizes/not", "no", test_sizes);
  g_test_add_func ("/opencl-pinned/parts", test_parts);
  g_test_add_func ("/opencl-pinned/at-once", test_at_once);
  add_faults ();
  return g_test_run ();
}
