/* machine-info.c: see machine-info.h. */
#include "config.h"

#include "calib/machine-info.h"

#include "runtime/host.h"

#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"
#define MAX_PROCESSORS 4096

/* What the file of cache @index of processor @cpu says, without its end; NULL:
 * there is none. */
static char *
read_cache (int cpu, int index, const char *name)
{
  g_autofree char *path = g_strdup_printf (CPU_FOLDER "/cpu%d/cache/index%d/%s",
                                           cpu, index, name);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_strchomp (text)
                                                       : NULL;
}

/* "48K", "2048K", "1M"; 0: no such size. */
static gint64
parse_size (const char *text)
{
  char *end;
  gint64 n = text == NULL ? 0 : g_ascii_strtoll (text, &end, 10);

  if (n <= 0 || n > G_MAXINT32)
    return 0;
  return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : n;
}

/* Of a list such as "0-3,8-11"; 0: it is none. */
static int
count_processors (const char *list)
{
  g_auto (GStrv) parts = g_strsplit (list == NULL ? "" : list, ",", -1);
  gint64 n = 0;

  for (int i = 0; parts[i] != NULL; i++)
    {
      char *end;
      gint64 first = g_ascii_strtoll (parts[i], &end, 10), last = first;

      if (end == parts[i])
        return 0;
      if (*end == '-')
        last = g_ascii_strtoll (end + 1, NULL, 10);
      n += CLAMP (last - first + 1, 0, MAX_PROCESSORS);
    }
  return (int) MIN (n, MAX_PROCESSORS);
}

static gboolean
read_kind (int cpu, int index, TpMachineCache *cache)
{
  g_autofree char *level = read_cache (cpu, index, "level");
  g_autofree char *kind = read_cache (cpu, index, "type");
  g_autofree char *size = read_cache (cpu, index, "size");
  g_autofree char *shared = read_cache (cpu, index, "shared_cpu_list");

  *cache = (TpMachineCache){ .count = 1 };
  if (level == NULL || kind == NULL)
    return FALSE;
  cache->level = (int) CLAMP (g_ascii_strtoll (level, NULL, 10), 0, 99);
  for (gsize i = 0; i + 1 < sizeof cache->kind && kind[i] != 0; i++)
    cache->kind[i] = g_ascii_tolower (kind[i]);
  cache->size_bytes = parse_size (size);
  cache->shared_by = count_processors (shared);
  return TRUE;
}

/* Each is seen from every processor that shares it, and counted by the first. */
static gboolean
is_first (int cpu, int index)
{
  g_autofree char *shared = read_cache (cpu, index, "shared_cpu_list");

  return shared == NULL || g_ascii_strtoll (shared, NULL, 10) == cpu;
}

static void
add_cache (GArray *caches, const TpMachineCache *cache)
{
  for (guint i = 0; i < caches->len; i++)
    {
      TpMachineCache *it = &g_array_index (caches, TpMachineCache, i);

      if (it->level == cache->level && it->size_bytes == cache->size_bytes
          && it->shared_by == cache->shared_by
          && strcmp (it->kind, cache->kind) == 0)
        {
          it->count++;
          return;
        }
    }
  g_array_append_val (caches, *cache);
}

static int
compare_levels (gconstpointer a, gconstpointer b)
{
  return ((const TpMachineCache *) a)->level
         - ((const TpMachineCache *) b)->level;
}

static GArray *
gather_caches (int n_processors)
{
  GArray *caches = g_array_new (FALSE, FALSE, sizeof (TpMachineCache));
  TpMachineCache cache;

  for (int cpu = 0; cpu < MIN (n_processors, MAX_PROCESSORS); cpu++)
    for (int i = 0; i < 16 && read_kind (cpu, i, &cache); i++)
      if (is_first (cpu, i))
        add_cache (caches, &cache);
  g_array_sort (caches, compare_levels);
  return caches;
}

static int
read_online (void)
{
  g_autofree char *path = g_build_filename (CPU_FOLDER, "online", NULL);
  g_autofree char *text = NULL;
  int n = g_file_get_contents (path, &text, NULL, NULL)
              ? count_processors (text)
              : 0;

  return n > 0 ? n : (int) g_get_num_processors ();
}

TpMachineInfo *
tp_machine_info_gather (void)
{
  TpMachineInfo *info = g_new0 (TpMachineInfo, 1);

  info->cpu = tp_host_get_cpu_name ();
  info->processors = read_online ();
  info->memory_bytes = tp_host_get_memory_bytes ();
  info->caches = gather_caches (info->processors);
  return info;
}

void
tp_machine_info_free (TpMachineInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->cpu);
  g_clear_pointer (&info->caches, g_array_unref);
  g_clear_pointer (&info->rates, g_hash_table_unref);
  g_free (info);
}
