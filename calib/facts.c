/* facts.c: cheap facts that tell whether a measurement still holds.
 *
 * A device says its full identity only once it is open, and opening one may
 * load a driver of a hundred megabytes. So the facts name what can be looked up
 * in microseconds: the CPU, the threads, the sources of our kernels, what the
 * device's record names as its drivers', and the files of the drivers as they
 * were mapped when the device was measured. */
#include "config.h"

#include "calib/facts.h"

#include "ir/compare.h"
#include "ir/name-hash.h"
#include "runtime/device.h"
#include "runtime/devices.h"
#include "runtime/threads.h"
#include "schedule/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_KEY "file:"

/* The first processor's part of /proc/cpuinfo is enough; all of it takes
 * milliseconds on a large machine. */
static char *
read_cpuinfo (void)
{
  char text[16384];
  int file = open ("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  gssize n = file >= 0 ? read (file, text, sizeof text - 1) : 0;
  char *end;

  if (file >= 0)
    close (file);
  text[MAX (n, 0)] = '\0';
  end = strstr (text, "\n\n");
  if (end != NULL)
    *end = '\0';
  return g_strdup (text);
}

/* Value of the first of @keys that is there. */
static char *
find_cpu_value (const char *cpuinfo, const char *const *keys)
{
  g_auto (GStrv) lines = g_strsplit (cpuinfo, "\n", -1);

  for (; *keys != NULL; keys++)
    for (int i = 0; lines[i] != NULL; i++)
      {
        char *colon = strchr (lines[i], ':');
        gsize n = strlen (*keys);

        if (colon != NULL && strncmp (lines[i], *keys, n) == 0
            && strspn (lines[i] + n, " \t") == (gsize) (colon - lines[i]) - n)
          return g_strdup (g_strstrip (colon + 1));
      }
  return g_strdup ("");
}

static void
add_cpu (GString *facts)
{
  static const char *const parts[][4] = {
    { "model name", "Hardware", "CPU implementer", NULL },
    { "cpu family", "CPU part", NULL }, { "model", "CPU variant", NULL },
    { "stepping", "CPU revision", NULL },
  };
  static const char *const flags[] = { "flags", "Features", "isa", NULL };
  g_autofree char *cpuinfo = read_cpuinfo ();
  g_autofree char *features = find_cpu_value (cpuinfo, flags);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256,
                                                           features, -1);

  g_string_append (facts, TP_FACT_PROCESSOR "=");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *value = find_cpu_value (cpuinfo, parts[i]);

      g_string_append_printf (facts, "%s%s", i > 0 ? " " : "", value);
    }
  g_string_append_printf (facts, "\ncpu-features=%.16s\n", digest);
}

/* Names and contents of the files of @path. */
static void
add_folder (GString *facts, const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autofree char *text = NULL;

      if (g_file_get_contents (file, &text, NULL, NULL))
        g_ptr_array_add (found, g_strdelimit (g_strconcat (name, ":",
                                              g_strstrip (text), NULL),
                                              "\n=", ' '));
    }
  g_ptr_array_sort (found, tp_compare_text);
  g_string_append (facts, "drivers=");
  for (guint i = 0; i < found->len; i++)
    g_string_append_printf (facts, "%s%s", i > 0 ? ", " : "",
                            (char *) g_ptr_array_index (found, i));
  g_string_append_c (facts, '\n');
}

static void
add_drivers (GString *facts, const TpDeviceDrivers *drivers)
{
  if (drivers->folder != NULL)
    add_folder (facts, drivers->folder);
  for (int i = 0; drivers->variables != NULL && drivers->variables[i] != NULL;
       i++)
    if (secure_getenv (drivers->variables[i]) != NULL)
      g_string_append_printf (facts, "%s=%s\n", drivers->variables[i],
                              secure_getenv (drivers->variables[i]));
  if (drivers->get_chosen != NULL && drivers->get_chosen () != NULL)
    g_string_append_printf (facts, "drivers-used=%s\n",
                            drivers->get_chosen ());
}

char *
tp_facts_gather (const char *name, int n_threads)
{
  const TpDeviceOps *kind = tp_device_find_kind (name, NULL);
  GString *facts = g_string_new (NULL);

  add_cpu (facts);
  g_string_append_printf (facts, "codegen=%s\nthreads=%d\n",
                          tp_codegen_get_id (), tp_threads_count (n_threads));
  if (kind != NULL && kind->drivers != NULL)
    add_drivers (facts, kind->drivers);
  return g_string_free (facts, FALSE);
}

/* ---- files of drivers --------------------------------------------------- */

static gboolean
has_part (const char *base, const char *const *parts)
{
  for (int i = 0; parts != NULL && parts[i] != NULL; i++)
    if (strstr (base, parts[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Of any kind: a process may have several devices open. */
static gboolean
is_driver (const char *path)
{
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);
  const char *base = strrchr (path, '/');

  for (int i = 0; base != NULL && i < n; i++)
    if (kinds[i]->drivers != NULL
        && has_part (base, kinds[i]->drivers->libraries))
      return TRUE;
  return FALSE;
}

static char *
stat_file (const char *path)
{
  struct stat status;

  if (stat (path, &status) != 0)
    return NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
                          (gint64) status.st_size, (gint64) status.st_mtime);
}

/* Paths in /proc/self/maps that name a driver, each once, sorted. */
static GPtrArray *
list_drivers (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/self/maps", &text, NULL, NULL))
    return g_steal_pointer (&paths);
  lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      const char *path = strchr (lines[i], '/');

      if (path != NULL && is_driver (path) && strchr (path, '=') == NULL
          && !g_ptr_array_find_with_equal_func (paths, path, g_str_equal, NULL))
        g_ptr_array_add (paths, g_strdup (path));
    }
  g_ptr_array_sort (paths, tp_compare_text);
  return g_steal_pointer (&paths);
}

char *
tp_facts_gather_opened (const char *name, int n_threads)
{
  g_autofree char *now = tp_facts_gather (name, n_threads);
  g_autoptr (GPtrArray) paths = list_drivers ();
  GString *facts = g_string_new (now);

  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autofree char *value = stat_file (path);

      if (value != NULL)
        g_string_append_printf (facts, FILE_KEY "%s=%s\n", path, value);
    }
  return g_string_free (facts, FALSE);
}

/* ---- reading ------------------------------------------------------------ */

char *
tp_facts_find (const char *facts, const char *key)
{
  g_auto (GStrv) lines = g_strsplit (facts, "\n", -1);
  gsize n = strlen (key);

  for (int i = 0; lines[i] != NULL; i++)
    if (strncmp (lines[i], key, n) == 0 && lines[i][n] == '=')
      return g_strdup (lines[i] + n + 1);
  return NULL;
}

char *
tp_facts_dup_lasting (const char *facts)
{
  g_auto (GStrv) lines = g_strsplit (facts, "\n", -1);
  GString *text = g_string_new (NULL);

  for (int i = 0; lines[i] != NULL; i++)
    if (*lines[i] != 0 && !g_str_has_prefix (lines[i], FILE_KEY))
      g_string_append_printf (text, "%s\n", lines[i]);
  return g_string_free (text, FALSE);
}

/* Name, family, model and stepping are parted by spaces; only a name has more. Some
 * have a number for a name. */
char *
tp_facts_dup_cpu_of (const char *facts)
{
  char *cpu = tp_facts_find (facts, TP_FACT_PROCESSOR);

  for (int i = 0; cpu != NULL && i < 3; i++)
    {
      char *space = strrchr (cpu, ' ');

      if (space != NULL)
        *space = 0;
    }
  if (cpu != NULL && g_str_has_prefix (cpu, "0x"))
    *cpu = 0;
  return cpu == NULL ? g_strdup ("") : cpu;
}

/* ---- comparing ---------------------------------------------------------- */

static GHashTable *
split_facts (const char *facts)
{
  GHashTable *table = g_hash_table_new_full (tp_name_hash, g_str_equal, g_free,
                                             g_free);
  g_auto (GStrv) lines = g_strsplit (facts, "\n", -1);

  for (int i = 0; lines[i] != NULL; i++)
    {
      char *equals = strchr (lines[i], '=');

      if (equals != NULL)
        g_hash_table_insert (table, g_strndup (lines[i], equals - lines[i]),
                             g_strdup (equals + 1));
    }
  return table;
}

static char *
compare_file (const char *path, const char *value)
{
  g_autofree char *now = stat_file (path);

  if (now == NULL)
    return g_strdup_printf ("driver file %s is gone", path);
  if (strcmp (now, value) != 0)
    return g_strdup_printf ("driver file %s has changed", path);
  return NULL;
}

static char *
compare_fact (const char *key, const char *value, GHashTable *now)
{
  const char *other = g_hash_table_lookup (now, key);

  if (g_str_has_prefix (key, FILE_KEY))
    return compare_file (key + strlen (FILE_KEY), value);
  if (g_strcmp0 (other, value) == 0)
    return NULL;
  return g_strdup_printf ("%s was '%s', is '%s'", key, value,
                          other != NULL ? other : "");
}

/* The alphabetically first, so that it is always the same one. */
static void
take_first (char **first, char *difference)
{
  if (difference != NULL
      && (*first == NULL || strcmp (difference, *first) < 0))
    {
      g_free (*first);
      *first = g_steal_pointer (&difference);
    }
  g_free (difference);
}

char *
tp_facts_compare (const char *stored, const char *now)
{
  g_autoptr (GHashTable) old = split_facts (stored);
  g_autoptr (GHashTable) new = split_facts (now);
  GHashTableIter iter;
  gpointer key, value;
  char *first = NULL;

  g_hash_table_iter_init (&iter, old);
  while (g_hash_table_iter_next (&iter, &key, &value))
    take_first (&first, compare_fact (key, value, new));
  if (first != NULL)
    return first;
  g_hash_table_iter_init (&iter, new);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (!g_hash_table_contains (old, key))
      take_first (&first, g_strdup_printf ("%s was '', is '%s'", (char *) key,
                                           (char *) value));
  return first;
}

/* Vector lanes by the instruction sets of @features. */
static int
count_lanes (const char *features)
{
  return strstr (features, "avx512f") != NULL ? 16
         : strstr (features, "avx2") != NULL  ? 8
                                              : 4;
}

/* 0: @cpuinfo does not say, or something else. */
static double
find_ghz (const char *cpuinfo)
{
  static const char *const clock[] = { "cpu MHz", NULL };
  g_autofree char *mhz = find_cpu_value (cpuinfo, clock);
  double ghz = g_ascii_strtod (mhz, NULL) / 1000;

  return ghz < 0.3 || ghz > 10 ? 0 : ghz;
}

void
tp_facts_guess_cpu (int *out_lanes, double *out_ghz)
{
  static const char *const flags[] = { "flags", "Features", NULL };
  g_autofree char *cpuinfo = read_cpuinfo ();
  g_autofree char *features = find_cpu_value (cpuinfo, flags);
  double ghz = find_ghz (cpuinfo);

  *out_lanes = count_lanes (features);
  *out_ghz = ghz > 0 ? ghz : 2.5;
}

double
tp_facts_bound_gflops_by (const char *cpuinfo)
{
  static const char *const flags[] = { "flags", NULL };
  g_autofree char *features = find_cpu_value (cpuinfo, flags);
  int lanes = *features == '\0' ? 16 : count_lanes (features);

  return lanes * 2 * 2 * MAX (2 * find_ghz (cpuinfo), 5);
}

double
tp_facts_bound_gflops (void)
{
  g_autofree char *cpuinfo = read_cpuinfo ();

  return tp_facts_bound_gflops_by (cpuinfo);
}
