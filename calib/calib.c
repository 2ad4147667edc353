/* calib.c: what a calibration says of itself. */
#include "config.h"

#include "calib/calib.h"

#define STRAINED 0.1          /* of the samples: 'C' at best */
#define STRAINED_MOST 0.5     /* 'D' */

double
tp_calib_report_get_spread (const TpCalibReport *report)
{
  return report->time_ns > 0 ? (double) report->half_ns / report->time_ns : 1;
}

double
tp_calib_report_get_strained (const TpCalibReport *report)
{
  return report->n_samples > 0
             ? (double) MAX (report->n_apart, report->n_contended)
                   / report->n_samples : 0;
}

/* Spreads tell how figures agree with each other, not what processors that are far
 * from each other, or shared, cost all of them alike. */
char
tp_calib_report_get_grade (const TpCalibReport *report)
{
  static const double limits[] = { 0.02, 0.05, 0.1 };
  double spread = tp_calib_report_get_spread (report);
  double strained = tp_calib_report_get_strained (report);
  guint i = strained > STRAINED_MOST ? 3 : strained > STRAINED ? 2 : 0;

  while (i < G_N_ELEMENTS (limits) && spread > limits[i])
    i++;
  return 'A' + i;
}

void
tp_calib_report_add (TpCalibReport *sum, const TpCalibReport *report)
{
  sum->wall_us += report->wall_us;
  sum->others_us += report->others_us;
  sum->stolen_us += report->stolen_us;
  for (int i = 0; i < TP_N_PRESSURES; i++)
    {
      sum->pressed_us[i] += report->pressed_us[i];
      sum->pressed_wall_us[i] += report->pressed_wall_us[i];
    }
  sum->n_samples += report->n_samples;
  sum->n_disturbed += report->n_disturbed;
  sum->n_apart += report->n_apart;
  sum->n_contended += report->n_contended;
  sum->n_settled += report->n_settled;
  sum->n_unsettled += report->n_unsettled;
  sum->n_failed += report->n_failed;
  sum->n_beaten += report->n_beaten;
  sum->n_lost += report->n_lost;
  sum->time_ns += report->time_ns;
  sum->half_ns += report->half_ns;
}
