/* test-beside.c: a call beside another is made once, waited for, and guarded. */
#include "config.h"

#include "ir/beside.h"
#include "ir/guard.h"
#include "include/tplan.h"

typedef struct
{
  int n_calls;                /* (atomic) */
  gboolean is_slow, leaves;
} Call;

static void
count (gpointer data)
{
  Call *call = data;

  if (call->is_slow)
    g_usleep (20000);
  if (call->leaves)
    tp_guard_leave (12345);
  g_atomic_int_inc (&call->n_calls);
}

static void
test_once (void)
{
  for (int is_slow = 0; is_slow < 2; is_slow++)
    {
      Call call = { .is_slow = is_slow };
      g_auto (TpBeside) beside = { 0 };
      g_autoptr (GError) error = NULL;

      tp_beside_begin (&beside, count, &call, "to count", is_slow);
      g_assert_true (tp_beside_end (&beside, &error));
      g_assert_no_error (error);
      g_assert_cmpint (call.n_calls, ==, 1);
    }
}

static gpointer
help (gpointer beside)
{
  tp_beside_help (beside);
  return NULL;
}

/* Many help, with a thread of its own and without: one of them makes the call, the others
 * go on, and who waits for it finds it made. */
static void
test_help (void)
{
  for (int has_thread = 0; has_thread < 2; has_thread++)
    {
      Call call = { .is_slow = TRUE };
      g_auto (TpBeside) beside = { 0 };
      GThread *threads[4];

      tp_beside_begin (&beside, count, &call, "to count", has_thread);
      for (int i = 0; i < 4; i++)
        threads[i] = g_thread_new ("help", help, &beside);
      tp_beside_help (&beside);
      g_assert_true (tp_beside_end (&beside, NULL));
      g_assert_cmpint (g_atomic_int_get (&call.n_calls), ==, 1);
      for (int i = 0; i < 4; i++)
        g_thread_join (threads[i]);
      g_assert_cmpint (call.n_calls, ==, 1);
    }
}

/* As where no thread could be had. */
static void
test_without_thread (void)
{
  Call call = { 0 };
  g_auto (TpBeside) beside = { .call = count, .data = &call,
                               .what = "to count" };

  g_assert_true (tp_beside_end (&beside, NULL));
  g_assert_cmpint (call.n_calls, ==, 1);
}

static void
test_no_memory (void)
{
  Call call = { .leaves = TRUE };
  g_auto (TpBeside) beside = { 0 };
  g_autoptr (GError) error = NULL;

  tp_beside_begin (&beside, count, &call, "to count", TRUE);
  g_assert_false (tp_beside_end (&beside, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_assert_cmpint (call.n_calls, ==, 0);
}

/* What the call works on may go once it is cleared. */
static void
test_cleared (void)
{
  for (int leaves = 0; leaves < 2; leaves++)
    {
      Call call = { .is_slow = TRUE, .leaves = leaves };
      TpBeside beside = { 0 };
      gboolean had_thread;

      tp_beside_begin (&beside, count, &call, "to count", TRUE);
      had_thread = beside.thread != NULL;
      tp_beside_clear (&beside);
      g_assert_cmpint (call.n_calls, ==, had_thread && !leaves);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/beside/once", test_once);
  g_test_add_func ("/beside/help", test_help);
  g_test_add_func ("/beside/without-thread", test_without_thread);
  g_test_add_func ("/beside/no-memory", test_no_memory);
  g_test_add_func ("/beside/cleared", test_cleared);
  return g_test_run ();
}
