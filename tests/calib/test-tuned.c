/* test-tuned.c: what tuning won, and how well the model ranks, of made-up kernels
 * whose answers are known; and sums of such, against plain ones. */
#include "config.h"

#include "calib/tuned-sums.h"

#include <math.h>
#include <stdlib.h>
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
  TpTunedKernel *kernel = data;

  tp_pointers_free (kernel->choices);
  g_free (kernel->label);
  g_free (kernel->digest);
  g_free (kernel->family);
  g_free (kernel);
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

/* ---- by device and family -------------------------------------------------- */

#define N_KERNELS 12          /* there are, on each device */

static const char *const devices[] = { "cpu", "opencl:0" };
static const char *const families[] = { "contract", "items", "reduce+items" };

/* The @which-th on a device: what it is depends on nothing else, so several models may
 * have it. One of four was not tuned. */
static void
add_drawn (TpTuned *tuned, int which)
{
  TpTunedKernel *kernel = add_kernel (tuned);
  int n = 2 + which % 5;

  kernel->digest = g_strdup_printf ("%d", which);
  kernel->label = g_strdup_printf ("Conv %d", which);
  kernel->family = g_strdup (families[which % G_N_ELEMENTS (families)]);
  kernel->is_tuned = which % 4 != 3;
  for (int i = 0; i < n; i++)
    add_choice (kernel, i + 1, 100 + (which * 37 + i * 53) % 91)->is_used = i == n - 1;
}

static TpTuned *
draw_model (const char *device)
{
  TpTuned *tuned = new_tuned ();

  tuned->device = g_strdup (device);
  for (int i = 0; i < N_KERNELS; i++)
    if (g_test_rand_int_range (0, 2) == 1)
      add_drawn (tuned, i);
  tp_tuned_judge (tuned);
  return tuned;
}

/* Of each kernel that any model has on the device of @sum, by number; NULL: none has,
 * or it is of another family, or not tuned. */
static void
find_kernels (const TpTunedSum *sum, const TpPointers *all,
              const TpTunedKernel **found)
{
  for (guint i = 0; i < all->len; i++)
    {
      const TpTuned *of = all->pdata[i];

      for (guint k = 0; k < of->kernels->len; k++)
        {
          const TpTunedKernel *it = of->kernels->pdata[k];

          if (strcmp (of->device, sum->device) == 0 && it->is_tuned
              && strcmp (it->family, sum->family) == 0)
            found[atoi (it->digest)] = it;
        }
    }
}

/* What @sum is to be, counted anew. */
static void
check_sum (const TpTunedSum *sum, const TpPointers *all)
{
  const TpTunedKernel *found[N_KERNELS] = { NULL };
  int n = 0, n_schedules = 0, n_gains = 0, n_correlations = 0;
  double product = 1, total = 0, least = 2;

  find_kernels (sum, all, found);
  for (int i = 0; i < N_KERNELS; i++)
    {
      if (found[i] == NULL)
        continue;
      n++;
      n_schedules += found[i]->choices->len;
      n_gains += !isnan (found[i]->gain.ratio);
      product *= isnan (found[i]->gain.ratio) ? 1 : found[i]->gain.ratio;
      n_correlations += !isnan (found[i]->correlation);
      total += isnan (found[i]->correlation) ? 0 : found[i]->correlation;
      if (found[i]->correlation < least)
        least = found[i]->correlation;
    }
  g_assert_cmpint (n, >, 0);
  g_assert_cmpint (sum->n_kernels, ==, n);
  g_assert_cmpint (sum->n_schedules, ==, n_schedules);
  g_assert_cmpint (n_gains, >, 0);
  g_assert_cmpfloat_with_epsilon (tp_tuned_mean_get_gain (&sum->mean).ratio,
                                  pow (product, 1.0 / n_gains), 1e-9);
  g_assert_true ((sum->worst == NULL) == (n_correlations == 0));
  if (n_correlations == 0)
    return;
  g_assert_cmpfloat_with_epsilon (tp_tuned_mean_get_correlation (&sum->mean),
                                  total / n_correlations, 1e-9);
  g_assert_cmpfloat (sum->worst->correlation, ==, least);
}

/* Kernels that were tuned in any of @all, each once. */
static int
count_tuned (const TpPointers *all)
{
  gboolean is_there[G_N_ELEMENTS (devices) * N_KERNELS] = { FALSE };
  int n = 0;

  for (guint i = 0; i < all->len; i++)
    {
      const TpTuned *of = all->pdata[i];
      int at = strcmp (of->device, devices[0]) == 0 ? 0 : N_KERNELS;

      for (guint k = 0; k < of->kernels->len; k++)
        {
          const TpTunedKernel *it = of->kernels->pdata[k];

          is_there[at + atoi (it->digest)] |= it->is_tuned;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (is_there); i++)
    n += is_there[i];
  return n;
}

static gboolean
is_before (const TpTunedSum *a, const TpTunedSum *b)
{
  int by_device = strcmp (a->device, b->device);

  return by_device < 0
         || (by_device == 0 && strcmp (a->family, b->family) != 0
             && a->n_kernels >= b->n_kernels);
}

/* Each kernel is in one sum, and each sum is right. */
static void
test_families (void)
{
  for (int run = 0; run < 100; run++)
    {
      g_autoptr (TpPointers) all
          = tp_pointers_new ((GDestroyNotify) tp_tuned_free);
      g_autoptr (TpPointers) sums = NULL;
      int n = 0;

      for (int i = 0; i < 4; i++)
        tp_pointers_add (all, draw_model (devices[i % 2]));
      sums = tp_tuned_sums_list (all);
      for (guint i = 0; i < sums->len; i++)
        {
          check_sum (sums->pdata[i], all);
          g_assert_true (i == 0 || is_before (sums->pdata[i - 1], sums->pdata[i]));
          n += ((const TpTunedSum *) sums->pdata[i])->n_kernels;
        }
      g_assert_cmpint (n, ==, count_tuned (all));
    }
}

static void
test_nothing (void)
{
  g_autoptr (TpTuned) tuned = new_tuned ();
  g_autoptr (TpPointers) all = tp_pointers_new ((GDestroyNotify) tp_tuned_free);
  g_autoptr (TpPointers) sums = NULL;

  tp_tuned_judge (tuned);
  g_assert_true (isnan (tuned->gain.ratio));
  g_assert_true (isnan (tuned->correlation));
  tuned->device = g_strdup ("cpu");
  add_drawn (tuned, 3); /* not tuned */
  tp_pointers_add (all, g_steal_pointer (&tuned));
  sums = tp_tuned_sums_list (all);
  g_assert_cmpuint (sums->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tuned/order", test_order);
  g_test_add_func ("/tuned/gain", test_gain);
  g_test_add_func ("/tuned/correlation", test_correlation);
  g_test_add_func ("/tuned/ties", test_ties);
  g_test_add_func ("/tuned/families", test_families);
  g_test_add_func ("/tuned/nothing", test_nothing);
  return g_test_run ();
}
