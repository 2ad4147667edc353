/* pressure.c: see pressure.h. */
#include "config.h"

#include "calib/pressure.h"

#include <string.h>

#define SYSTEM_CPU "/proc/pressure/cpu"
#define SYSTEM_MEMORY "/proc/pressure/memory"
#define GROUPS "/sys/fs/cgroup"
#define SHORT 0.01            /* of the time: as much as figures may be off by */
#define DIGITS 18             /* that surely fit */

/* Digits up to the end of the line. */
static gint64
parse_total (const char *text)
{
  gsize n = strspn (text, "0123456789");

  return n == 0 || n > DIGITS || (text[n] != '\n' && text[n] != '\0')
             ? -1
             : g_ascii_strtoll (text, NULL, 10);
}

gint64
tp_pressure_read_file (const char *path)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (path == NULL || !g_file_get_contents (path, &text, NULL, NULL))
    return -1;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      const char *total = strstr (*line, " total=");

      if (g_str_has_prefix (*line, "some ") && total != NULL)
        return parse_total (total + strlen (" total="));
    }
  return -1;
}

char *
tp_pressure_find_group (const char *list, const char *root)
{
  g_auto (GStrv) lines = g_strsplit (list, "\n", -1);

  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, "0::/"))
      return g_build_filename (root, *line + strlen ("0::"), "cpu.pressure",
                               NULL);
  return NULL;
}

void
tp_pressure_read_memory (TpPressure *out_now)
{
  for (int i = 0; i < TP_N_PRESSURES; i++)
    out_now->some_us[i] = -1;
  out_now->some_us[TP_PRESSURE_MEMORY] = tp_pressure_read_file (SYSTEM_MEMORY);
}

void
tp_pressure_read (TpPressure *out_now)
{
  g_autofree char *list = NULL, *group = NULL;

  tp_pressure_read_memory (out_now);
  out_now->some_us[TP_PRESSURE_CPU] = tp_pressure_read_file (SYSTEM_CPU);
  if (g_file_get_contents ("/proc/self/cgroup", &list, NULL, NULL))
    group = tp_pressure_find_group (list, GROUPS);
  out_now->some_us[TP_PRESSURE_GROUP] = tp_pressure_read_file (group);
}

gint64
tp_pressure_get_us (const TpPressure *begin, const TpPressure *end,
                    TpPressureKind kind)
{
  gint64 first_us = begin->some_us[kind], last_us = end->some_us[kind];

  return first_us < 0 || last_us < first_us ? -1 : last_us - first_us;
}

gboolean
tp_pressure_was_short (const TpPressure *begin, const TpPressure *end,
                       gint64 wall_us)
{
  gint64 waited_us = tp_pressure_get_us (begin, end, TP_PRESSURE_MEMORY);

  return waited_us > 0 && (double) waited_us > SHORT * (double) wall_us;
}
