/* joules.c: see joules.h. */
#include "config.h"

#include "calib/joules.h"

#include "ir/clock.h"
#include "ir/compare.h"

#include <stdlib.h>
#include <string.h>

#define SYSFS "TPLAN_SYSFS"
#define MICRO 1e-6            /* counters are in microjoules and microwatts */

typedef struct
{
  char *path;
  gboolean is_power;          /* not energy */
  double range_j;             /* of energy: it begins anew there; 0: never */
  double last;                /* joules, or watts */
} Counter;

struct TpJoules
{
  GArray *counters;           /* Counter */
  GString *source;
  gint64 began_ns, looked_ns;
  double sum_j;
};

static void
counter_clear (gpointer data)
{
  g_free (((Counter *) data)->path);
}

void
tp_joules_free (TpJoules *joules)
{
  g_array_unref (joules->counters);
  g_string_free (joules->source, TRUE);
  g_free (joules);
}

const char *
tp_joules_get_source (const TpJoules *joules)
{
  return joules->source->str;
}

/* ---- finding them --------------------------------------------------------- */

/* A file of one line; NULL: there is none, or it may not be read. */
static char *
read_line (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_strchomp (text)
                                                       : NULL;
}

/* FALSE: it is no whole number, or below 0. */
static gboolean
read_micro (const char *path, double *out_value)
{
  g_autofree char *text = NULL;
  guint64 value;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || !g_ascii_string_to_unsigned (g_strchomp (text), 10, 0, G_MAXUINT64,
                                      &value, NULL))
    return FALSE;
  *out_value = (double) value * MICRO;
  return TRUE;
}

/* FALSE: @folder has no such counter. */
static gboolean
add_counter (TpJoules *joules, const char *folder, const char *file,
             const char *label)
{
  Counter counter = { .path = g_build_filename (folder, file, NULL),
                      .is_power = g_str_has_prefix (file, "power") };
  g_autofree char *range
      = g_build_filename (folder, "max_energy_range_uj", NULL);

  if (!read_micro (counter.path, &counter.last))
    {
      g_free (counter.path);
      return FALSE;
    }
  if (!read_micro (range, &counter.range_j))
    counter.range_j = 0;
  g_array_append_val (joules->counters, counter);
  g_string_append_printf (joules->source, "%s%s",
                          joules->source->len == 0 ? "" : "+", label);
  return TRUE;
}

/* What is in @folder, by name. */
static GPtrArray *
list_folder (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, tp_compare_text);
  return names;
}

/* Packages, and memory beside them. What else there is (cores, graphics) is a part of
 * a package, "psys" is all of it again, and a zone of "intel-rapl-mmio" is one that
 * was listed already. */
static void
add_processors (TpJoules *joules, const char *sysfs)
{
  g_autofree char *folder
      = g_build_filename (sysfs, "class", "powercap", NULL);
  g_autoptr (GPtrArray) zones = list_folder (folder);

  for (guint i = 0; i < zones->len; i++)
    {
      const char *zone = g_ptr_array_index (zones, i);
      g_autofree char *path = g_build_filename (folder, zone, NULL);
      g_autofree char *name = read_line (path, "name");

      if (g_str_has_prefix (zone, "intel-rapl:") && name != NULL
          && (g_str_has_prefix (name, "package") || strcmp (name, "dram") == 0))
        add_counter (joules, path, "energy_uj", name);
    }
}

/* Of one sensor, energy before power. */
static void
add_card (TpJoules *joules, const char *sysfs, const char *pci)
{
  static const char *const files[]
      = { "energy1_input", "power1_average", "power1_input" };
  g_autofree char *folder = g_build_filename (sysfs, "bus", "pci", "devices",
                                              pci, "hwmon", NULL);
  g_autoptr (GPtrArray) sensors = list_folder (folder);

  for (guint i = 0; i < sensors->len; i++)
    {
      g_autofree char *path = g_build_filename (
          folder, (char *) g_ptr_array_index (sensors, i), NULL);
      g_autofree char *name = read_line (path, "name");

      for (gsize k = 0; k < G_N_ELEMENTS (files); k++)
        if (add_counter (joules, path, files[k], name == NULL ? "?" : name))
          return;
    }
}

TpJoules *
tp_joules_open (const char *sysfs, const char *pci)
{
  g_autoptr (TpJoules) joules = g_new0 (TpJoules, 1);

  if (sysfs == NULL)
    sysfs = secure_getenv (SYSFS);
  if (sysfs == NULL)
    sysfs = "/sys";
  joules->source = g_string_new (NULL);
  joules->counters = g_array_new (FALSE, FALSE, sizeof (Counter));
  g_array_set_clear_func (joules->counters, counter_clear);
  if (pci == NULL)
    add_processors (joules, sysfs);
  else
    add_card (joules, sysfs, pci);
  return joules->counters->len == 0 ? NULL : g_steal_pointer (&joules);
}

/* ---- reading them --------------------------------------------------------- */

/* Adds what @counter says was drawn in @seconds since it was read last. */
static gboolean
look_at (TpJoules *joules, Counter *counter, double seconds)
{
  double value, before = counter->last;

  if (!read_micro (counter->path, &value))
    return FALSE;
  counter->last = value;
  if (counter->is_power)
    joules->sum_j += (before + value) / 2 * seconds;
  else if (value < before && counter->range_j < before)
    return FALSE;
  else
    joules->sum_j
        += value - before + (value < before ? counter->range_j : 0);
  return TRUE;
}

gboolean
tp_joules_look (TpJoules *joules)
{
  gint64 now_ns = tp_clock_get_ns ();
  double seconds = (double) (now_ns - joules->looked_ns) / 1e9;

  joules->looked_ns = now_ns;
  for (guint i = 0; i < joules->counters->len; i++)
    if (!look_at (joules, &g_array_index (joules->counters, Counter, i),
                  seconds))
      return FALSE;
  return TRUE;
}

gboolean
tp_joules_start (TpJoules *joules)
{
  joules->looked_ns = tp_clock_get_ns ();
  if (!tp_joules_look (joules))
    return FALSE;
  joules->began_ns = joules->looked_ns;
  joules->sum_j = 0;
  return TRUE;
}

gboolean
tp_joules_stop (TpJoules *joules, double *out_watts)
{
  double seconds;

  if (!tp_joules_look (joules))
    return FALSE;
  seconds = (double) (joules->looked_ns - joules->began_ns) / 1e9;
  *out_watts = seconds > 0 ? joules->sum_j / seconds : 0;
  return *out_watts > 0;
}
