/* test-tuned.c: what tuning won, and how well the model ranks, of made-up kernels
 * whose answers are known. */
#include "config.h"

#include "calib/tuned.h"

#include <math.h>
#include <string.h>

static void
choice_free (gpointer data)
{
  g_free (((TpTunedChoice *) data)->schedule);
  g_free (data);
}

static void
kernel_free (gpointer data)
{
  tp_pointers_free (((TpTunedKernel *) data)->choices);
  g_free (data);
}

static TpTuned *
new_tuned (void)
{
  TpTuned *tuned = g_new0 (TpTuned, 1);

  tuned->kernels = tp_pointers_new (kernel_free);
  return tuned;
}

static TpTunedKernel *
add_kernel (TpTuned *tuned)
{
  TpTunedKernel *kernel = g_new0 (TpTunedKernel, 1);

  kernel->choices = tp_pointers_new (choice_free);
  tp_pointers_add (tuned->kernels, kernel);
  return kernel;
}

static TpTunedChoice *
add_choice (TpTunedKernel *kernel, int rank, gint64 median_ns)
{
  TpTunedChoice *choice = g_new0 (TpTunedChoice, 1);

  choice->rank = rank;
  choice->stats = (TpStats){ .n = 9, .median_ns = median_ns,
                             .half_ns = median_ns / 50 };
  tp_pointers_add (kernel->choices, choice);
  return choice;
}

static void
test_order (void)
{
  static const int ranks[] = { 0, 3, 1, 0, 2 }, sorted[] = { 1, 2, 3, 0, 0 };
  g_autoptr (TpTuned) tuned = new_tuned ();
  TpTunedKernel *kernel = add_kernel (tuned);

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    add_choice (kernel, ranks[i], 100);
  tp_tuned_judge (tuned);
  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    g_assert_cmpint (((TpTunedChoice *) kernel->choices->pdata[i])->rank, ==,
                     sorted[i]);
}

/* The model's first takes 300, what is used 100 and 200: gains of 3 and 1.5. */
static void
test_gain (void)
{
  g_autoptr (TpTuned) tuned = new_tuned ();
  TpTunedKernel *good = add_kernel (tuned), *fair = add_kernel (tuned);
  TpTunedKernel *first = add_kernel (tuned), *none = add_kernel (tuned);

  add_choice (good, 1, 300);
  add_choice (good, 4, 100)->is_used = TRUE;
  add_choice (fair, 0, 200)->is_used = TRUE;
  add_choice (fair, 1, 300);
  add_choice (first, 1, 500)->is_used = TRUE;
  add_choice (first, 2, 100);
  add_choice (none, 2, 100)->is_used = TRUE; /* its first could not be timed */
  tp_tuned_judge (tuned);
  g_assert_cmpfloat_with_epsilon (good->gain.ratio, 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (good->gain.half, sqrt (2) / 50, 1e-12);
  g_assert_cmpfloat_with_epsilon (fair->gain.ratio, 1.5, 1e-12);
  g_assert_cmpfloat (first->gain.ratio, ==, 1);
  g_assert_cmpfloat (first->gain.half, ==, 0);
  g_assert_true (isnan (none->gain.ratio));
  g_assert_cmpfloat_with_epsilon (tuned->gain.ratio, cbrt (4.5), 1e-12);
  g_assert_cmpfloat_with_epsilon (tuned->gain.half, 2.0 / 50 / 3, 1e-12);
}

/* Without ties it is 1 - 6 sum (d^2) / (n (n^2 - 1)). */
static void
test_correlation (void)
{
  for (int run = 0; run < 100; run++)
    {
      int n = g_test_rand_int_range (3, 14), times[13];
      double squares = 0;
      g_autoptr (TpTuned) tuned = new_tuned ();
      TpTunedKernel *kernel = add_kernel (tuned);

      for (int i = 0; i < n; i++)
        {
          int at = g_test_rand_int_range (0, i + 1);

          times[i] = times[at];
          times[at] = i + 1;
        }
      for (int i = 0; i < n; i++)
        {
          squares += (times[i] - i - 1) * (times[i] - i - 1);
          add_choice (kernel, i + 1, 1000 * times[i]);
        }
      add_choice (kernel, 0, 1); /* without a rank it says nothing */
      tp_tuned_judge (tuned);
      g_assert_cmpfloat_with_epsilon (
          kernel->correlation, 1 - 6 * squares / n / (n * n - 1.0), 1e-9);
    }
}

/* 1, 2, 3, 4 against 1, 2.5, 2.5, 4: Pearson's is 4.5 / sqrt (5 * 4.5). */
static void
test_ties (void)
{
  static const int times[] = { 10, 20, 20, 30 };
  g_autoptr (TpTuned) tuned = new_tuned ();
  TpTunedKernel *kernel = add_kernel (tuned), *equal = add_kernel (tuned);
  TpTunedKernel *few = add_kernel (tuned);

  for (int i = 0; i < 4; i++)
    add_choice (kernel, i + 1, times[i]);
  for (int i = 0; i < 4; i++)
    add_choice (equal, i + 1, 7);
  for (int i = 0; i < 2; i++)
    add_choice (few, i + 1, times[i]);
  tp_tuned_judge (tuned);
  g_assert_cmpfloat_with_epsilon (kernel->correlation, 4.5 / sqrt (22.5),
                                  1e-12);
  g_assert_true (isnan (equal->correlation));
  g_assert_true (isnan (few->correlation));
  g_assert_cmpfloat (tuned->correlation, ==, kernel->correlation);
}

static void
test_nothing (void)
{
  g_autoptr (TpTuned) tuned = new_tuned ();

  tp_tuned_judge (tuned);
  g_assert_true (isnan (tuned->gain.ratio));
  g_assert_true (isnan (tuned->correlation));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tuned/order", test_order);
  g_test_add_func ("/tuned/gain", test_gain);
  g_test_add_func ("/tuned/correlation", test_correlation);
  g_test_add_func ("/tuned/ties", test_ties);
  g_test_add_func ("/tuned/nothing", test_nothing);
  return g_test_run ();
}
