/* speeds.c: see speeds.h. */
#include "config.h"

#include "cli/speeds.h"

#include "calib/speeds.h"
#include "cli/output.h"

#define N TP_SPEEDS_MAX_ENGINES

/* Engines of two devices, the other one first. */
enum
{
  ITS_KERNELS,
  OWN_KERNELS,
  FIRST_COPIES,               /* to that one, to this one, from both */
};

static char *
name_engine (int engine, const char *const *devices)
{
  static const char *const forms[]
      = { "%s: kernels", "%s: copies to it", "%s: copies from it" };

  return g_strdup_printf (forms[engine / 2], devices[engine % 2]);
}

static void
add_pair (json_t *list, const int *speeds, const char *const *devices)
{
  for (int i = 0; i < N * N; i++)
    {
      g_autofree char *engine = name_engine (i / N, devices);
      g_autofree char *beside = name_engine (i % N, devices);

      if (speeds[i] < TP_SPEED_ALONE)
        json_array_append_new (
            list, json_pack ("{s:o, s:o, s:o}", "engine", tp_cli_string (engine),
                             "beside", tp_cli_string (beside), "speed",
                             tp_cli_real (speeds[i] / (double) TP_SPEED_ALONE)));
    }
}

json_t *
tp_cli_speeds_to_json (const TpDeviceRow *row)
{
  json_t *list = json_array ();
  int speeds[TP_SPEEDS_N];
  char *other;

  for (int i = 0; (other = tp_speeds_dup_other (row, i, speeds)) != NULL; i++)
    {
      const char *const devices[] = { other, row->name };

      add_pair (list, speeds, devices);
      g_free (other);
    }
  return list;
}

/* The least of any kernels beside any copies, or of copies beside kernels. */
static double
find_least (const int *speeds, gboolean are_copies)
{
  int least = TP_SPEED_ALONE;

  for (int k = ITS_KERNELS; k <= OWN_KERNELS; k++)
    for (int c = FIRST_COPIES; c < N; c++)
      least = MIN (least, are_copies ? speeds[c * N + k] : speeds[k * N + c]);
  return least / (double) TP_SPEED_ALONE;
}

void
tp_cli_describe_speeds (const TpDeviceRow *row, GPtrArray *out)
{
  int speeds[TP_SPEEDS_N];
  char *other;

  for (int i = 0; (other = tp_speeds_dup_other (row, i, speeds)) != NULL; i++)
    {
      g_ptr_array_add (
          out,
          g_strdup_printf (
              "%s and %s at once: kernels at %.2f and %.2f of their speeds, copies "
              "beside kernels at %.2f, kernels beside copies at %.2f",
              other, row->name,
              speeds[ITS_KERNELS * N + OWN_KERNELS] / (double) TP_SPEED_ALONE,
              speeds[OWN_KERNELS * N + ITS_KERNELS] / (double) TP_SPEED_ALONE,
              find_least (speeds, TRUE), find_least (speeds, FALSE)));
      g_free (other);
    }
}

json_t *
tp_cli_list_speeds (const TpDeviceRow *row)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  json_t *list = json_array ();

  tp_cli_describe_speeds (row, texts);
  for (guint i = 0; i < texts->len; i++)
    json_array_append_new (list, tp_cli_string (texts->pdata[i]));
  return list;
}
