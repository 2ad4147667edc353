/* wholes.c: by what factor the figures of a device are off, from whole plans.
 *
 * Kernels are measured one by one, so what is wrong with all of them (the state
 * of the clock that day, what happens between kernels) shows in whole plans
 * only. Two levels: the log of what the kernels of device d take in network n,
 * to what was said of them, is c_d + e_dn; c and e are normal with mean 0. A
 * whole tells of them, each by its share of the plan, with noise: its runs, its
 * figures each by itself, the sitting, for a process is never quite as fast as the
 * next, and the occasion, which sittings soon one after the other have in common:
 * half an hour later all of them would differ by more. All of this is jointly normal, so what is likely follows by
 * linear algebra (regression by a Gaussian process; C. E. Rasmussen and C. K.
 * I. Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
 *
 * How large c, e and the noise of a sitting are is not known either: each is
 * one of a few multiples of what is usual, weighed by how likely that makes the
 * wholes there are (empirical Bayes, with a prior for where there are few). */
#include "config.h"

#include "calib/wholes.h"

#include <math.h>

/* Usual standard deviations of c, e and a sitting. Networks on quiet machines
 * were off by 1 % to 40 %, most of it in one network and not in the next. */
static const double usual[3] = { 0.04, 0.09, 0.012 };

#define OCCASION 4.0          /* variances of a sitting in that of an occasion */

static const struct
{
  double multiple, weight;
} scales[] = { { 0.5, 0.25 }, { 1, 0.5 }, { 2, 0.2 }, { 4, 0.05 } };

#define N_SCALES ((int) G_N_ELEMENTS (scales))

typedef struct
{
  const TpWhole *wholes;
  int n, n_devices;
  gint64 network;
  double common, own, sitting, occasion; /* variances of c, e and the noise */
  double *factor;             /* [n * n]: Cholesky factor, lower */
  double *weights;            /* [n]: covariances, inverted, times errors */
  double *means, *covariances; /* by these variances */
} Guess;

static double
get_variance (const Guess *guess, gint64 network, gint64 other)
{
  return guess->common + (network == other ? guess->own : 0);
}

static double
get_covariance (const Guess *guess, int i, int k)
{
  const TpWhole *a = &guess->wholes[i], *b = &guess->wholes[k];
  double shared = 0;

  for (int d = 0; d < guess->n_devices; d++)
    shared += a->shares[d] * b->shares[d];
  shared *= get_variance (guess, a->network, b->network);
  if (a->network == b->network && a->occasion == b->occasion)
    shared += guess->occasion;
  return i == k ? shared + a->variance + guess->sitting : shared;
}

/* Of whole @i with the error of @device in the network asked for. */
static double
get_link (const Guess *guess, int i, int device)
{
  const TpWhole *it = &guess->wholes[i];

  return it->shares[device] * get_variance (guess, it->network, guess->network);
}

/* The noise of a sitting is on the diagonal, so that is positive. */
static void
factorize (Guess *guess)
{
  int n = guess->n;

  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++)
      {
        double *row = &guess->factor[i * n], *other = &guess->factor[k * n];
        double sum = get_covariance (guess, i, k);

        for (int j = 0; j < k; j++)
          sum -= row[j] * other[j];
        row[k] = k < i ? sum / other[k] : sqrt (MAX (sum, 1e-12));
      }
}

/* values := factor^-1 values */
static void
solve_forward (const Guess *guess, double *values)
{
  for (int i = 0; i < guess->n; i++)
    {
      for (int j = 0; j < i; j++)
        values[i] -= guess->factor[i * guess->n + j] * values[j];
      values[i] /= guess->factor[i * guess->n + i];
    }
}

/* Sets weights to factor^-1 errors; the log of how likely the errors are, but
 * for what is the same for all guesses. */
static double
weigh (Guess *guess)
{
  double likelihood = 0;

  for (int i = 0; i < guess->n; i++)
    guess->weights[i] = guess->wholes[i].error;
  solve_forward (guess, guess->weights);
  for (int i = 0; i < guess->n; i++)
    likelihood -= guess->weights[i] * guess->weights[i] / 2
                  + log (guess->factor[i * guess->n + i]);
  return likelihood;
}

static double
multiply (const double *a, const double *b, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Of the network asked for, by the variances of @guess. */
static void
find_moments (Guess *guess)
{
  int n = guess->n, n_devices = guess->n_devices;
  g_autofree double *links = g_new (double, (gsize) n * n_devices + 1);

  for (int d = 0; d < n_devices; d++)
    {
      for (int i = 0; i < n; i++)
        links[d * n + i] = get_link (guess, i, d);
      solve_forward (guess, &links[d * n]);
      guess->means[d] = multiply (&links[d * n], guess->weights, n);
      for (int k = 0; k <= d; k++)
        guess->covariances[d * n_devices + k]
            = guess->covariances[k * n_devices + d]
            = (k == d ? guess->common + guess->own : 0)
              - multiply (&links[d * n], &links[k * n], n);
    }
}

static void
set_scales (Guess *guess, int which)
{
  double variances[3];

  for (int i = 0; i < 3; i++, which /= N_SCALES)
    variances[i] = pow (usual[i] * scales[which % N_SCALES].multiple, 2);
  guess->common = variances[0];
  guess->own = variances[1];
  guess->sitting = variances[2];
  guess->occasion = OCCASION * variances[2];
}

static double
get_prior (int which)
{
  double weight = 1;

  for (int i = 0; i < 3; i++, which /= N_SCALES)
    weight *= scales[which % N_SCALES].weight;
  return weight;
}

#define N_GUESSES (N_SCALES * N_SCALES * N_SCALES)

/* How likely each guess is, given the wholes; they add up to 1. */
static void
find_odds (Guess *guess, double *odds)
{
  double most = -HUGE_VAL, sum = 0;

  for (int i = 0; i < N_GUESSES; i++)
    {
      set_scales (guess, i);
      factorize (guess);
      odds[i] = weigh (guess) + log (get_prior (i));
      most = MAX (most, odds[i]);
    }
  for (int i = 0; i < N_GUESSES; i++)
    sum += odds[i] = exp (odds[i] - most);
  for (int i = 0; i < N_GUESSES; i++)
    odds[i] /= sum;
}

/* The moments of a mixture: within the guesses, and between them. */
static void
mix (Guess *guess, const double *odds, TpWholeErrors *errors)
{
  int n = guess->n_devices;

  for (int i = 0; i < N_GUESSES; i++)
    {
      set_scales (guess, i);
      factorize (guess);
      weigh (guess);
      find_moments (guess);
      errors->run_variance += odds[i] * (guess->sitting + guess->occasion);
      for (int d = 0; d < n; d++)
        errors->means[d] += odds[i] * guess->means[d];
      for (int k = 0; k < n * n; k++)
        errors->covariances[k]
            += odds[i] * (guess->covariances[k]
                          + guess->means[k / n] * guess->means[k % n]);
    }
  for (int k = 0; k < n * n; k++)
    errors->covariances[k] -= errors->means[k / n] * errors->means[k % n];
}

void
tp_wholes_infer (const TpWhole *wholes, int n_wholes, int n_devices,
                 gint64 network, TpWholeErrors *out_errors)
{
  gsize n = MIN (n_wholes, TP_WHOLES_MOST), n_cells = (gsize) n_devices + 1;
  g_autofree double *factor = g_new (double, n * n + 1);
  g_autofree double *weights = g_new (double, n + 1);
  g_autofree double *means = g_new (double, n_cells);
  g_autofree double *covariances = g_new (double, n_cells * n_cells);
  double odds[N_GUESSES];
  Guess guess = { .wholes = wholes,
                  .n = (int) n,
                  .n_devices = n_devices,
                  .network = network,
                  .factor = factor,
                  .weights = weights,
                  .means = means,
                  .covariances = covariances };

  *out_errors = (TpWholeErrors){ g_new0 (double, n_cells),
                                 g_new0 (double, n_cells * n_cells), 0 };
  find_odds (&guess, odds);
  mix (&guess, odds, out_errors);
}

void
tp_whole_errors_clear (TpWholeErrors *errors)
{
  g_clear_pointer (&errors->means, g_free);
  g_clear_pointer (&errors->covariances, g_free);
}
