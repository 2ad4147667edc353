/* test-jit.c: machine code against the interpreter, bit for bit. */
#include "config.h"

#include "kernel/jit.h"
#include "kernel/kernel-interpret.h"
#include "kernel/kernel-verify.h"
#include "kernel/object.h"
#include "random-kernel.h"

#include <stdlib.h>
#include <string.h>

static gboolean
skip_without_module (const GError *error)
{
  if (error == NULL || tp_jit_get_identity () != NULL)
    return FALSE;
  g_test_skip (error->message);
  return TRUE;
}

static void
run (const TpKernel *kernel, TpJitFunc function, void **buffers,
     gint64 iteration)
{
  gint64 bytes = tp_jit_local_bytes (kernel);
  void *local = aligned_alloc (64, bytes + 64);

  for (gint64 group = 0; group < kernel->n_groups; group++)
    function ((void *const *)buffers, group, local, iteration);
  free (local);
}

static void
check (const TpKernel *kernel, TpJitFunc function)
{
  void **buffers = random_buffers_new (kernel);
  void **expected = random_buffers_copy (kernel, buffers);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < kernel->n_iterations; i++)
    {
      g_assert_true (tp_kernel_interpret (kernel, expected, i, &error));
      g_assert_no_error (error);
      run (kernel, function, buffers, i);
    }
  random_buffers_assert_equal (kernel, expected, buffers);
  random_buffers_free (kernel, buffers);
  random_buffers_free (kernel, expected);
}

#define N_KERNELS 60

static void
test_random (void)
{
  TpKernel *kernels[N_KERNELS];
  g_autoptr (TpJit) jit = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N_KERNELS; i++)
    {
      kernels[i] = random_kernel_new (10 + i);
      tp_kernel_verify (kernels[i], &error);
      g_assert_no_error (error);
    }
  jit = tp_jit_new ((const TpKernel *const *)kernels, N_KERNELS, &error);
  if (!skip_without_module (error))
    {
      g_assert_no_error (error);
      for (int i = 0; i < N_KERNELS; i++)
        check (kernels[i], tp_jit_get (jit, i));
    }
  for (int i = 0; i < N_KERNELS; i++)
    tp_kernel_free (kernels[i]);
}

/* ---- processors with less ------------------------------------------------ */

typedef struct
{
  int next, n;
  GBytes **objects;
} Made;

static int
take_next (gpointer data)
{
  Made *made = data;

  return made->next < made->n ? made->next++ : -1;
}

static void
keep (gpointer data, int kernel, const TpObject *object)
{
  const Made *made = data;

  made->objects[kernel] = g_bytes_new (object->bytes, object->size);
}

#define N_WITHOUT 16

/* Integers of two widths, stored in the wider one: LLVM 15 makes that of shuffles. */
static TpKernel *
new_narrowing (void)
{
  TpKernel *kernel = tp_kernel_new ("narrowing");
  TpValue a, b;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT16, 16, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, 16, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT16, 16, TRUE);
  a = tp_k_load (kernel, 0, tp_k_index (kernel, 0), 16, -1);
  b = tp_k_load (kernel, 1, tp_k_index (kernel, 0), 16, -1);
  tp_k_store (kernel, 2, tp_k_index (kernel, 0),
              tp_k_binary (kernel, TP_I_IXOR, a, b), -1);
  return kernel;
}

/* What others have no instructions for is done with those they have. */
static void
test_without (gconstpointer data)
{
  TpKernel *kernels[N_WITHOUT];
  GBytes *bytes[N_WITHOUT] = { NULL };
  TpObject objects[N_WITHOUT];
  g_autoptr (TpJit) jit = NULL;
  g_autoptr (GError) error = NULL;
  Made made = { 0, N_WITHOUT, bytes };
  const TpJitWork work = { take_next, keep, &made, data };

  for (int i = 0; i < N_WITHOUT; i++)
    kernels[i] = i == 0 ? new_narrowing () : random_kernel_new (30 + i);
  tp_jit_compile ((const TpKernel *const *) kernels, &work, &error);
  if (!skip_without_module (error))
    {
      g_assert_no_error (error);
      for (int i = 0; i < N_WITHOUT; i++)
        objects[i].bytes = g_bytes_get_data (bytes[i], &objects[i].size);
      jit = tp_object_link (objects, N_WITHOUT, &error);
      g_assert_no_error (error);
      for (int i = 0; i < N_WITHOUT; i++)
        check (kernels[i], tp_jit_get (jit, i));
    }
  for (int i = 0; i < N_WITHOUT; i++)
    {
      tp_kernel_free (kernels[i]);
      g_clear_pointer (&bytes[i], g_bytes_unref);
    }
}

/* The processor has @feature, and can do without. */
static void
add_without (const char *feature)
{
  const char *identity = tp_jit_get_identity ();
  g_autofree char *path = g_strconcat ("/jit/without-", feature, NULL);
  g_autofree char *flag = g_strconcat ("+", feature, NULL);

  if (identity != NULL && strstr (identity, flag) != NULL)
    g_test_add_data_func (path, feature, test_without);
}

/* The CPU has no work-items within a group. */
static void
test_items (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("items");
  const TpKernel *kernels[] = { kernel };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpJit) jit = NULL;

  kernel->local_size = 4;
  jit = tp_jit_new (kernels, 1, &error);
  g_assert_null (jit);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
}

/* None is fine, and so are several at once. */
static void
test_lifetimes (void)
{
  g_autoptr (TpKernel) kernel = random_kernel_new (5);
  const TpKernel *kernels[] = { kernel };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpJit) none = tp_jit_new (kernels, 0, &error);
  g_autoptr (TpJit) one = NULL, two = NULL;

  if (skip_without_module (error))
    return;
  g_assert_no_error (error);
  one = tp_jit_new (kernels, 1, &error);
  two = tp_jit_new (kernels, 1, &error);
  g_assert_no_error (error);
  check (kernel, tp_jit_get (one, 0));
  g_clear_pointer (&one, tp_jit_free);
  check (kernel, tp_jit_get (two, 0));
}

static void
test_describe (void)
{
  TpTarget target = { .n_units = 3 };

  tp_jit_describe_cpu (&target);
  g_assert_true (target.lanes == 4 || target.lanes == 8 || target.lanes == 16);
  g_assert_true (target.n_registers == 16 || target.n_registers == 32);
  g_assert_cmpint (target.l1_bytes, >=, 4096);
  g_assert_cmpint (target.l2_bytes, >=, target.l1_bytes);
  g_assert_cmpint (target.local_size, ==, 1);
  g_assert_cmpint (target.n_units, ==, 3);
  g_assert_cmpint (strlen (tp_jit_get_cpu ()), >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jit/random", test_random);
  add_without ("avx512f");
  add_without ("avx2");
  add_without ("sse4.1");
  g_test_add_func ("/jit/items", test_items);
  g_test_add_func ("/jit/lifetimes", test_lifetimes);
  g_test_add_func ("/jit/describe", test_describe);
  return g_test_run ();
}
