/* calibrated.c: see calibrated.h. */
#include "config.h"

#include "cli/calibrated.h"

#include "cli/output.h"

/* Of what others had: -1 where it is not known. */
static double
get_processors (const TpCalibReport *report, gint64 us)
{
  return report->wall_us > 0 ? (double) us / report->wall_us : -1;
}

/* Of the time somebody waited; -1 where it is not known. */
static double
get_pressure (const TpCalibReport *report, TpPressureKind kind)
{
  gint64 wall_us = report->pressed_wall_us[kind];

  return wall_us > 0
             ? CLAMP ((double) report->pressed_us[kind] / wall_us, 0, 1) : -1;
}

/* ""; "; somebody waited for a processor 12 % of the time, for memory 0 %": as far as
 * that is known. */
static char *
format_pressure (const TpCalibReport *report)
{
  double cpu = get_pressure (report, TP_PRESSURE_CPU);
  double memory = get_pressure (report, TP_PRESSURE_MEMORY);
  g_autofree char *processors
      = g_strdup_printf ("for a processor %.0f %% of the time", 100 * cpu);
  g_autofree char *rest = g_strdup_printf ("for memory %.0f %%%s", 100 * memory,
                                           cpu < 0 ? " of the time" : "");

  if (cpu < 0 && memory < 0)
    return g_strdup ("");
  return g_strdup_printf ("; somebody waited %s%s%s", cpu < 0 ? "" : processors,
                          cpu < 0 || memory < 0 ? "" : ", ",
                          memory < 0 ? "" : rest);
}

static double
get_disturbed (const TpCalibReport *report)
{
  return report->n_samples > 0
             ? (double) report->n_disturbed / report->n_samples : 0;
}

/* "": there are no figures to grade. */
static const char *
get_grade (const TpCalibReport *report)
{
  static const char *const grades[] = { "A", "B", "C", "D" };

  return report->time_ns > 0
             ? grades[tp_calib_report_get_grade (report) - 'A'] : "";
}

gboolean
tp_calibrated_is_strained (const TpCalibReport *report)
{
  return tp_calib_report_get_strained (report) > 0
         && tp_calib_report_get_grade (report)
                > tp_calib_report_get_grade (&(TpCalibReport){
                    .time_ns = report->time_ns, .half_ns = report->half_ns });
}

/* What is more than a tenth of the samples. */
static const char *
describe_processors (const TpCalibReport *report)
{
  gboolean is_apart = 10 * report->n_apart > report->n_samples;
  gboolean is_contended = 10 * report->n_contended > report->n_samples;

  if (is_apart && is_contended)
    return ", and these were far from each other, and their cores used by others, "
           "at times";
  if (is_apart)
    return ", and these were far from each other at times";
  return is_contended ? ", and others used their cores at times" : "";
}

char *
tp_calibrated_format_load (const TpCalibReport *report)
{
  double others = get_processors (report, report->others_us);
  double stolen = get_processors (report, report->stolen_us);
  g_autofree char *pressure = format_pressure (report);

  if (others < 0)
    return g_strdup_printf ("what else ran is not known%s", pressure);
  return g_strdup_printf (
      "others kept %.2f of %u processors busy%s%s%s; %.0f %% of %d samples were "
      "disturbed", others, g_get_num_processors (),
      stolen > 0.05 ? ", a hypervisor took more" : "",
      describe_processors (report), pressure, 100 * get_disturbed (report),
      report->n_samples);
}

char *
tp_calibrated_format_grade (const TpCalibReport *report)
{
  if (report->time_ns <= 0)
    return g_strdup ("-");
  return g_strdup_printf ("%s: times within +-%.1f %%%s", get_grade (report),
                          100 * tp_calib_report_get_spread (report),
                          tp_calibrated_is_strained (report)
                              ? " of each other, on a machine under strain" : "");
}

json_t *
tp_calibrated_to_json (const TpCalibReport *report, const char *advice)
{
  static const char *const keys[TP_N_PRESSURES]
      = { "cpu_pressure", "memory_pressure", "group_cpu_pressure" };
  double spread = tp_calib_report_get_spread (report);
  json_t *object = json_pack (
      "{s:o, s:o, s:i, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:s, s:s}",
      "others_processors",
      tp_cli_real (get_processors (report, report->others_us)),
      "stolen_processors",
      tp_cli_real (get_processors (report, report->stolen_us)), "samples",
      report->n_samples, "disturbed", tp_cli_real (get_disturbed (report)),
      "apart", report->n_apart, "contended", report->n_contended, "settled",
      report->n_settled, "unsettled", report->n_unsettled, "failed",
      report->n_failed, "beaten", report->n_beaten, "spread",
      report->time_ns > 0 ? tp_cli_real (spread) : json_null (), "grade",
      get_grade (report), "advice", advice);

  for (int i = 0; i < TP_N_PRESSURES; i++)
    json_object_set_new (object, keys[i],
                         report->pressed_wall_us[i] > 0
                             ? tp_cli_real (get_pressure (report, i))
                             : json_null ());
  return object;
}
