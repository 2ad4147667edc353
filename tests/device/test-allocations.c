/* test-allocations.c: a run allocates nothing. Counted by standing in front of
 * malloc, for all threads. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "nets.h"

static atomic_int n_allocations;
static atomic_int is_counting;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_COUNT TRUE

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);
void *__libc_memalign (size_t align, size_t size);

static void
count (void)
{
  if (atomic_load (&is_counting))
    atomic_fetch_add (&n_allocations, 1);
}

void *
malloc (size_t size)
{
  count ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  count ();
  return __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  count ();
  return __libc_realloc (old, size);
}

int
posix_memalign (void **out, size_t align, size_t size)
{
  count ();
  *out = __libc_memalign (align, size);
  return *out != NULL ? 0 : 12;
}

void *
aligned_alloc (size_t align, size_t size)
{
  count ();
  return __libc_memalign (align, size);
}
#else
#define CAN_COUNT FALSE
#endif

static gboolean
is_ready (const char *device)
{
  g_autofree char *reason = NULL;
  g_autoptr (TpDevice) opened = net_try_device (device, &reason);

  if (!CAN_COUNT)
    g_test_skip ("malloc cannot be replaced here");
  else if (opened == NULL)
    g_test_skip (reason);
  return CAN_COUNT && opened != NULL;
}

static void
check_runs (TpGraph *graph, const char *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = net_plan (graph, device, "0");
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);
  gboolean is_good = TRUE;

  g_assert_no_error (error);
  atomic_store (&n_allocations, 0);
  for (int i = 0; i < 3 && is_good; i++)
    {
      atomic_store (&is_counting, i > 0);
      is_good = tp_session_run (session, (const void *const *) run->inputs,
                                run->outputs, &error);
      atomic_store (&is_counting, 0);
    }
  g_assert_no_error (error);
  g_assert_cmpint (atomic_load (&n_allocations), ==, 0);
}

static void
test_runs (gconstpointer device)
{
  g_autoptr (TpGraph) image = net_load_prepared (net_image);
  g_autoptr (TpGraph) mlp = net_load_prepared (net_mlp);

  /* References allocate; a simulated machine runs on them without the cpu. */
  if (!is_ready ("cpu") || !is_ready (device))
    return;
  check_runs (image, device);
  check_runs (mlp, device);
}

/* The counter counts. */
static void
test_counter (void)
{
  void *volatile block;

  if (!CAN_COUNT)
    {
      g_test_skip ("malloc cannot be replaced here");
      return;
    }
  atomic_store (&n_allocations, 0);
  atomic_store (&is_counting, 1);
  block = g_malloc (1);
  atomic_store (&is_counting, 0);
  g_free (block);
  g_assert_cmpint (atomic_load (&n_allocations), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/allocations/counter", test_counter);
  g_test_add_data_func ("/allocations/run/cpu", "cpu", test_runs);
  g_test_add_data_func ("/allocations/run/sim", "sim:server-gpu", test_runs);
  return g_test_run ();
}
