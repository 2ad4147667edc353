/* threads.c: how many threads to use: what the caller asks, else the
 * environment, else what the kernel would let this process have. */
#include "config.h"

#include "runtime/threads.h"

#include "runtime/pool.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number above 0, or the first of a list such as OMP_NUM_THREADS=4,2. */
static int
count_from_environment (const char *name)
{
  const char *text = secure_getenv (name);
  char *end;
  long n;

  if (text == NULL)
    return 0;
  n = strtol (text, &end, 10);
  return end != text && (*end == '\0' || *end == ',') && n > 0
         && n <= TP_POOL_MAX_THREADS ? (int) n : 0;
}

static int
count_from_affinity (void)
{
  cpu_set_t mask;
  long n;

  CPU_ZERO (&mask);
  if (sched_getaffinity (0, sizeof mask, &mask) == 0)
    return CPU_COUNT (&mask);
  n = sysconf (_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int) MIN (n, TP_POOL_MAX_THREADS) : 1;
}

/* Processors granted by "quota period" (cgroup 2) or by a pair of files
 * (cgroup 1), rounded up; 0: no limit. */
static int
count_from_quota (const char *quota_text, const char *period_text)
{
  gint64 quota = g_ascii_strtoll (quota_text, NULL, 10);
  gint64 period = g_ascii_strtoll (period_text, NULL, 10);

  if (quota <= 0 || period <= 0)
    return 0;
  return (int) MIN ((quota + period - 1) / period, TP_POOL_MAX_THREADS);
}

static int
read_quota (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "cpu.max", NULL);
  g_autofree char *quota_path
      = g_build_filename (folder, "cpu.cfs_quota_us", NULL);
  g_autofree char *period_path
      = g_build_filename (folder, "cpu.cfs_period_us", NULL);
  g_autofree char *quota = NULL, *period = NULL;

  if (g_file_get_contents (path, &quota, NULL, NULL))
    {
      const char *space = strchr (quota, ' ');

      return space != NULL ? count_from_quota (quota, space + 1) : 0;
    }
  if (g_file_get_contents (quota_path, &quota, NULL, NULL)
      && g_file_get_contents (period_path, &period, NULL, NULL))
    return count_from_quota (quota, period);
  return 0;
}

/* The tightest limit from the group at @path up to the root of @mount. */
static int
find_quota (const char *mount, const char *path)
{
  g_autofree char *folder = g_build_filename (mount, path, NULL);
  int least = 0;

  while (strlen (folder) >= strlen (mount))
    {
      int n = read_quota (folder);
      char *slash = strrchr (folder, '/');

      if (n > 0 && (least == 0 || n < least))
        least = n;
      if (slash == NULL)
        break;
      *slash = '\0';
    }
  return least;
}

/* 0: no limit. Lines are "number:controllers:path". */
static int
count_from_cgroup (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/self/cgroup", &text, NULL, NULL))
    return 0;
  lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], ":", 3);
      g_auto (GStrv) controllers = NULL;
      int n = 0;

      if (g_strv_length (parts) != 3)
        continue;
      controllers = g_strsplit (parts[1], ",", -1);
      if (g_strv_contains ((const char *const *) controllers, "cpu"))
        n = find_quota ("/sys/fs/cgroup/cpu", parts[2]);
      else if (strcmp (parts[0], "0") == 0)
        n = find_quota ("/sys/fs/cgroup", parts[2]);
      if (n > 0)
        return n;
    }
  return 0;
}

int
tp_threads_count_processors (void)
{
  int n = count_from_affinity (), limit = count_from_cgroup ();

  return limit > 0 ? MIN (n, limit) : n;
}

int
tp_threads_count (int wanted)
{
  int n = wanted;

  if (n <= 0)
    n = count_from_environment ("TPLAN_THREADS");
  if (n <= 0)
    n = count_from_environment ("OMP_NUM_THREADS");
  if (n <= 0)
    n = tp_threads_count_processors ();
  return CLAMP (n, 1, TP_POOL_MAX_THREADS);
}
