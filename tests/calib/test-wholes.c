/* test-wholes.c: errors of devices from whole plans, against the truth these
 * were made from. */
#include "config.h"

#include "calib/wholes.h"

#include <math.h>
#include <string.h>

#define COMMON 0.04           /* standard deviations of the truth */
#define OWN 0.09
#define SITTING 0.02
#define N_NETWORKS 6

/* Of a normal distribution, nearly: twelve of a uniform one. */
static double
draw_normal (double sd)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += g_test_rand_double ();
  return sum * sd;
}

/* Two devices; a whole on each, and one on both, of every network. */
typedef struct
{
  double common[2], own[N_NETWORKS][2];
  TpWhole wholes[3 * N_NETWORKS];
  double shares[3 * N_NETWORKS][2];
} World;

static void
world_init (World *world)
{
  static const double shares[3][2] = { { 1, 0 }, { 0, 1 }, { 0.6, 0.3 } };

  for (int d = 0; d < 2; d++)
    world->common[d] = draw_normal (COMMON);
  for (int i = 0; i < 3 * N_NETWORKS; i++)
    {
      TpWhole *it = &world->wholes[i];
      int network = i / 3;

      it->network = network;
      it->occasion = i;
      it->variance = 0.01 * 0.01;
      it->shares = world->shares[i];
      it->error = draw_normal (SITTING) + draw_normal (0.01);
      for (int d = 0; d < 2; d++)
        {
          if (i % 3 == 0)
            world->own[network][d] = draw_normal (OWN);
          it->shares[d] = shares[i % 3][d];
          it->error
              += it->shares[d] * (world->common[d] + world->own[network][d]);
        }
    }
}

/* What nobody measured is as said, give or take what is usual. */
static void
test_no_data (void)
{
  g_auto (TpWholeErrors) errors = { 0 };
  double sd;

  tp_wholes_infer (NULL, 0, 2, 0, &errors);
  sd = sqrt (errors.covariances[0]);
  g_assert_cmpfloat (errors.means[0], ==, 0);
  g_assert_cmpfloat (errors.means[1], ==, 0);
  g_assert_cmpfloat (errors.covariances[1], ==, 0);
  g_assert_cmpfloat (errors.covariances[0], ==, errors.covariances[3]);
  g_assert_cmpfloat (sd, >, hypot (COMMON, OWN));
  g_assert_cmpfloat (sd, <, 2 * hypot (COMMON, OWN));
  g_assert_cmpfloat (errors.run_variance, >, 0);
}

/* Wholes that say nothing change nothing. */
static void
test_noise_only (void)
{
  double shares[2] = { 1, 0 };
  TpWhole whole = { 0, 0, 0.5, 1e9, shares };
  g_auto (TpWholeErrors) none = { 0 };
  g_auto (TpWholeErrors) errors = { 0 };

  tp_wholes_infer (NULL, 0, 2, 0, &none);
  tp_wholes_infer (&whole, 1, 2, 0, &errors);
  g_assert_cmpfloat (fabs (errors.means[0]), <, 1e-6);
  g_assert_cmpfloat (fabs (errors.covariances[0] - none.covariances[0]), <,
                     1e-6);
}

/* A network's own wholes say most of it; those of others less, and of the other
 * device nothing. */
static void
test_levels (void)
{
  double shares[2] = { 1, 0 };
  TpWhole whole = { 7, 0, 0.1, 1e-6, shares };
  g_auto (TpWholeErrors) same = { 0 };
  g_auto (TpWholeErrors) other = { 0 };

  tp_wholes_infer (&whole, 1, 2, 7, &same);
  tp_wholes_infer (&whole, 1, 2, 8, &other);
  g_assert_cmpfloat (same.means[0], >, 0.08);
  g_assert_cmpfloat (same.means[0], <, 0.1);
  g_assert_cmpfloat (other.means[0], >, 0.005);
  g_assert_cmpfloat (other.means[0], <, same.means[0] / 2);
  g_assert_cmpfloat (same.covariances[0], <, other.covariances[0] / 3);
  g_assert_cmpfloat (same.means[1], ==, 0);
}

/* Many networks off alike are the device's; each its own way, they are not. */
static void
test_scales (void)
{
  double shares[1] = { 1 };
  TpWhole wholes[8];
  g_auto (TpWholeErrors) alike = { 0 };
  g_auto (TpWholeErrors) mixed = { 0 };

  for (int i = 0; i < 8; i++)
    wholes[i] = (TpWhole){ i, i, 0.2 + 0.01 * (i % 3), 1e-6, shares };
  tp_wholes_infer (wholes, 8, 1, 99, &alike);
  for (int i = 0; i < 8; i++)
    wholes[i].error = i % 2 == 0 ? 0.2 : -0.2;
  tp_wholes_infer (wholes, 8, 1, 99, &mixed);
  g_assert_cmpfloat (fabs (alike.means[0] - 0.21), <, 0.04);
  g_assert_cmpfloat (fabs (mixed.means[0]), <, 0.02);
  g_assert_cmpfloat (sqrt (mixed.covariances[0]), >, 0.15);
  g_assert_cmpfloat (alike.covariances[0], <, mixed.covariances[0] / 4);
}

/* Sittings that differ much make for wide intervals. */
static void
test_sittings (void)
{
  double shares[1] = { 1 };
  TpWhole wholes[8];
  g_auto (TpWholeErrors) quiet = { 0 };
  g_auto (TpWholeErrors) noisy = { 0 };

  for (int i = 0; i < 8; i++)
    wholes[i] = (TpWhole){ 1, i, i % 2 == 0 ? 0.101 : 0.099, 1e-6, shares };
  tp_wholes_infer (wholes, 8, 1, 1, &quiet);
  for (int i = 0; i < 8; i++)
    wholes[i].error = i % 2 == 0 ? 0.18 : 0.02;
  tp_wholes_infer (wholes, 8, 1, 1, &noisy);
  g_assert_cmpfloat (quiet.run_variance, <, 0.02 * 0.02);
  g_assert_cmpfloat (noisy.run_variance, >, 0.05 * 0.05);
  g_assert_cmpfloat (fabs (noisy.means[0] - 0.1), <, 0.02);
}

/* What was measured in one go says less of later than as much of several days. */
static void
test_occasions (void)
{
  double shares[1] = { 1 };
  TpWhole wholes[4];
  g_auto (TpWholeErrors) once = { 0 };
  g_auto (TpWholeErrors) apart = { 0 };

  for (int i = 0; i < 4; i++)
    wholes[i] = (TpWhole){ 1, 0, 0.1 + 0.001 * i, 1e-6, shares };
  tp_wholes_infer (wholes, 4, 1, 1, &once);
  for (int i = 0; i < 4; i++)
    wholes[i].occasion = i;
  tp_wholes_infer (wholes, 4, 1, 1, &apart);
  g_assert_cmpfloat (once.covariances[0], >, 2 * apart.covariances[0]);
  g_assert_cmpfloat (once.run_variance, >, apart.run_variance);
}

/* Three sittings of each network in one go, as a calibration has them: 90 % intervals
 * of later ones have 85 to 95 % of them. */
static void
test_later (void)
{
  double shares[1] = { 1 };
  int n = 0, n_within = 0;

  for (int round = 0; round < 1000; round++)
    {
      TpWhole wholes[12];
      double common = draw_normal (COMMON), own = 0, occasion = 0, off;
      g_auto (TpWholeErrors) errors = { 0 };

      for (int i = 0; i < 12; i++)
        {
          if (i % 3 == 0)
            {
              own = draw_normal (OWN);
              occasion = draw_normal (SITTING);
            }
          wholes[i] = (TpWhole){ i / 3, 0, common + own + occasion
                                 + draw_normal (SITTING / 2), 1e-8, shares };
        }
      tp_wholes_infer (wholes, 12, 1, 3, &errors);
      off = common + own + draw_normal (SITTING) + draw_normal (SITTING / 2)
            - errors.means[0];
      n++;
      n_within += fabs (off) <= 1.645 * sqrt (errors.covariances[0]
                                              + errors.run_variance);
    }
  g_test_message ("%d of %d within", n_within, n);
  g_assert_cmpint (100 * n_within, >=, 84 * n);
  g_assert_cmpint (100 * n_within, <=, 96 * n);
}

/* Whether 90 % intervals of sittings to come have 85 to 95 % of them: of
 * networks that were run, in other places too, and of new ones. */
static void
test_coverage (void)
{
  int n[2] = { 0 }, n_within[2] = { 0 };

  for (int round = 0; round < 400; round++)
    {
      World world;

      world_init (&world);
      for (int network = 0; network <= N_NETWORKS; network += N_NETWORKS / 2)
        {
          gboolean is_new = network == N_NETWORKS;
          g_auto (TpWholeErrors) errors = { 0 };

          /* of the first, what both devices had together is not known */
          tp_wholes_infer (world.wholes + 1, 3 * N_NETWORKS - 1, 2, network,
                           &errors);
          for (int d = 0; d < 2; d++)
            {
              double own = is_new ? draw_normal (OWN) : world.own[network][d];
              double off = world.common[d] + own + draw_normal (SITTING)
                           - errors.means[d];
              double sd = sqrt (errors.covariances[3 * d]
                                + errors.run_variance);

              n[is_new]++;
              n_within[is_new] += fabs (off) <= 1.645 * sd;
            }
        }
    }
  for (int i = 0; i < 2; i++)
    {
      g_test_message ("%d of %d within", n_within[i], n[i]);
      g_assert_cmpint (100 * n_within[i], >=, 85 * n[i]);
      g_assert_cmpint (100 * n_within[i], <=, 95 * n[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wholes/no-data", test_no_data);
  g_test_add_func ("/wholes/noise-only", test_noise_only);
  g_test_add_func ("/wholes/levels", test_levels);
  g_test_add_func ("/wholes/scales", test_scales);
  g_test_add_func ("/wholes/sittings", test_sittings);
  g_test_add_func ("/wholes/occasions", test_occasions);
  g_test_add_func ("/wholes/later", test_later);
  g_test_add_func ("/wholes/coverage", test_coverage);
  return g_test_run ();
}
