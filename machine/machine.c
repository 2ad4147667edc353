/* machine.c: machines as a handful of constants, and how to write one down.
 *
 *   server-gpu                                    a built-in profile
 *   gflops=2000,gbps=200,launch=8us,link=12GB/s+8us
 *   ./box.conf                                    the same keys as a GKeyFile:
 *     [machine]
 *     gflops=2000
 *     link=12GB/s+8us
 *     map=5us
 *     missing=Softmax;Erf
 *     pool=host
 *     watts=350:50
 *     price=2.5/h
 */
#include "config.h"

#include "machine/machine.h"

#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/rate-text.h"
#include "machine/machine-profiles.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define MACHINE_GROUP "machine"

typedef struct
{
  const char *suffix;
  double factor;
} MachineUnit;

static const MachineUnit time_units[]
    = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 } };
static const MachineUnit rate_units[]
    = { { "GB/s", 1 }, { "MB/s", 1e-3 }, { "TB/s", 1e3 }, { "", 1 },
        { NULL, 0 } };
static const MachineUnit flop_units[]
    = { { "TFLOP/s", 1e3 }, { "GFLOP/s", 1 }, { "", 1 }, { NULL, 0 } };
static const MachineUnit size_units[]
    = { { "KiB", 1024.0 },        { "MiB", 1048576.0 },
        { "GiB", 1073741824.0 },  { "TiB", 1099511627776.0 },
        { "KB", 1e3 },            { "MB", 1e6 },
        { "GB", 1e9 },            { "B", 1 },
        { "", 1 },                { NULL, 0 } };
static const MachineUnit plain_units[] = { { "", 1 }, { NULL, 0 } };

/* Reads @length bytes such as "12GB/s"; the number must be finite and not negative. */
static gboolean
machine_parse_number (const char *text, gsize length,
                      const MachineUnit *units, double *out_value)
{
  g_autofree char *copy = g_strndup (text, length);
  char *rest = NULL;
  double value = g_ascii_strtod (g_strstrip (copy), &rest);

  if (rest == copy || !isfinite (value) || value < 0)
    return FALSE;
  while (*rest == ' ')
    rest++;
  for (; units->suffix != NULL; units++)
    if (strcmp (rest, units->suffix) == 0)
      {
        *out_value = value * units->factor;
        return isfinite (*out_value);
      }
  return FALSE;
}

static gboolean
machine_parse_link (TpMachine *machine, const char *value)
{
  const char *plus = strchr (value, '+');
  gsize length = plus == NULL ? strlen (value) : (gsize) (plus - value);

  if (!machine_parse_number (value, length, rate_units, &machine->link_gbps))
    return FALSE;
  return plus == NULL
         || machine_parse_number (plus + 1, strlen (plus + 1), time_units,
                                  &machine->link_latency_ns);
}

static gboolean
machine_parse_memory (TpMachine *machine, const char *value)
{
  double bytes;

  if (!machine_parse_number (value, strlen (value), size_units, &bytes)
      || bytes >= 0x1p62)
    return FALSE;
  machine->memory_bytes = (gint64) bytes;
  return TRUE;
}

/* A word: it stands beside devices, whose names have more in them. */
static gboolean
machine_parse_pool (TpMachine *machine, const char *value)
{
  if (*value == 0
      || strspn (value, "abcdefghijklmnopqrstuvwxyz0123456789-")
             != strlen (value))
    return FALSE;
  g_free (machine->pool);
  machine->pool = g_strdup (value);
  return TRUE;
}

static gboolean
machine_refuse_key (const TpMachine *machine, const char *key, GError **error)
{
  static const char *const keys[] = { "gflops", "double", "gbps", "launch", "link",
                                      "map", "full", "memory", "pool", "missing",
                                      "watts", "price", NULL };
  g_autofree char *near = tp_near_name_ask (key, keys);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "machine '%s': unknown key '%s'%s: use gflops, double, gbps, launch, "
               "link, map, full, memory, pool, missing, watts or price",
               machine->name, key, near);
  return FALSE;
}

static gboolean
machine_parse_watts (TpMachine *machine, const char *value)
{
  return tp_rate_parse_watts (value, &machine->rate);
}

static gboolean
machine_parse_price (TpMachine *machine, const char *value)
{
  return tp_rate_parse_price (value, &machine->rate);
}

static gboolean
machine_parse_missing (TpMachine *machine, const char *value)
{
  g_strfreev (machine->missing_ops);
  machine->missing_ops = g_strsplit_set (value, ";+", -1);
  return TRUE;
}

/* Of keys that are more than a number. */
static gboolean
machine_parse_other (TpMachine *machine, const char *key, const char *value,
                     const char **out_example)
{
  static const struct
  {
    const char *key;
    gboolean (*parse) (TpMachine *machine, const char *value);
    const char *example;
  } others[] = {
    { "link", machine_parse_link, "12GB/s+8us" },
    { "memory", machine_parse_memory, "8GiB" },
    { "pool", machine_parse_pool, "host" },
    { "missing", machine_parse_missing, "Softmax;Erf" },
    { "watts", machine_parse_watts, "350:50" },
    { "price", machine_parse_price, "2.5/h" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (key, others[i].key) == 0)
      {
        *out_example = others[i].example;
        return others[i].parse (machine, value);
      }
  return FALSE;
}

static gboolean
machine_parse_key (TpMachine *machine, const char *key, const char *value,
                   GError **error)
{
  const struct
  {
    const char *key;
    double *target;
    const MachineUnit *units;
    const char *example;
  } numbers[] = {
    { "gflops", &machine->peak_gflops, flop_units, "2000 or 2TFLOP/s" },
    { "double", &machine->double_rate, plain_units, "0.5" },
    { "gbps", &machine->bandwidth_gbps, rate_units, "200 or 200GB/s" },
    { "launch", &machine->launch_ns, time_units, "8us" },
    { "map", &machine->map_ns, time_units, "5us" },
    { "full", &machine->full_points, plain_units, "16384" },
  };
  const char *example = NULL;
  gboolean good = machine_parse_other (machine, key, value, &example);

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (key, numbers[i].key) == 0)
      {
        example = numbers[i].example;
        good = machine_parse_number (value, strlen (value), numbers[i].units,
                                     numbers[i].target);
      }
  if (example == NULL)
    return machine_refuse_key (machine, key, error);
  if (!good)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "machine '%s': %s='%s' is no such quantity: write for "
                 "example %s=%s",
                 machine->name, key, value, key, example);
  return good;
}

static TpMachine *
machine_new (const char *name, const char *description)
{
  TpMachine *machine = g_new0 (TpMachine, 1);

  machine->name = g_strdup (name);
  machine->description = g_strdup (description);
  machine->full_points = 1;
  machine->double_rate = 0.5;
  tp_rate_init (&machine->rate);
  return machine;
}

void
tp_machine_free (TpMachine *machine)
{
  if (machine == NULL)
    return;
  g_free (machine->name);
  g_free (machine->description);
  g_free (machine->pool);
  g_strfreev (machine->missing_ops);
  g_free (machine);
}

static TpMachine *
machine_finish (TpMachine *machine, GError **error)
{
  g_autoptr (TpMachine) owned = machine;

  if (owned->peak_gflops > 0 && owned->double_rate > 0
      && owned->bandwidth_gbps > 0 && owned->full_points > 0)
    return g_steal_pointer (&owned);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "machine '%s': gflops, double, gbps and full must be above zero",
               owned->name);
  return NULL;
}

static TpMachine *
machine_parse_list (const char *name, const char *description,
                    const char *figures, GError **error)
{
  g_autoptr (TpMachine) machine = machine_new (name, description);
  g_auto (GStrv) parts = g_strsplit (figures, ",", -1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (int i = 0; parts[i] != NULL; i++)
    {
      char *equals = strchr (parts[i], '=');

      if (equals == NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "machine '%s': '%s' is not key=value", name, parts[i]);
          return NULL;
        }
      *equals = 0;
      if (!g_hash_table_add (seen, g_strstrip (parts[i])))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "machine '%s': '%s' stands twice", name, parts[i]);
          return NULL;
        }
      if (!machine_parse_key (machine, parts[i], equals + 1, error))
        return NULL;
    }
  return machine_finish (g_steal_pointer (&machine), error);
}

/* What stands in another group would be overlooked. */
static gboolean
machine_check_groups (const TpMachine *machine, GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (int i = 0; groups[i] != NULL; i++)
    if (strcmp (groups[i], MACHINE_GROUP) != 0)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "machine '%s': unknown group [%s]: a machine file has "
                     "[" MACHINE_GROUP "] alone",
                     machine->name, groups[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
machine_read_keys (TpMachine *machine, GKeyFile *file, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, MACHINE_GROUP, NULL, error);

  if (keys == NULL || !machine_check_groups (machine, file, error))
    return FALSE;
  for (int i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *value
          = g_key_file_get_string (file, MACHINE_GROUP, keys[i], error);

      if (value == NULL)
        return FALSE;
      if (strcmp (keys[i], "description") == 0)
        {
          g_free (machine->description);
          machine->description = g_steal_pointer (&value);
        }
      else if (!machine_parse_key (machine, keys[i], value, error))
        return FALSE;
    }
  return TRUE;
}

static TpMachine *
machine_load (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (TpMachine) machine = machine_new (path, path);
  g_autoptr (GError) local = NULL;

  /* a plan may name it: opening a pipe would wait for ever */
  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    local = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_INVAL,
                                 "Not a regular file");
  else if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &local)
           && machine_read_keys (machine, file, &local)
           && (machine = machine_finish (g_steal_pointer (&machine), &local)))
    return g_steal_pointer (&machine);
  if (local->domain == TPLAN_ERROR)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s",
                 local->message); /* names the machine: its path */
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: %s: a machine file has one group [%s] with keys such as "
                 "gflops=2000",
                 path, local->message, MACHINE_GROUP);
  return NULL;
}

/* Behind @name in @text: nothing, or ":1" of another one of the kind. */
static gboolean
is_of_kind (const char *text, const char *name)
{
  gsize size = strlen (name);

  return strncmp (text, name, size) == 0
         && (text[size] == '\0'
             || (text[size] == ':' && g_ascii_isdigit (text[size + 1])
                 && text[size + 1 + strspn (text + size + 1, "0123456789")]
                        == '\0'));
}

TpMachine *
tp_machine_parse (const char *text, GError **error)
{
  g_autofree char *names = NULL, *near = NULL;

  for (int i = 0; i < tp_n_machine_profiles; i++)
    {
      const TpMachineProfile *profile = &tp_machine_profiles[i];

      if (is_of_kind (text, profile->name))
        return machine_parse_list (profile->name, profile->description,
                                   profile->figures, error);
    }
  if (strchr (text, '=') != NULL)
    return machine_parse_list (text, text, text, error);
  if (strchr (text, '/') != NULL || g_str_has_suffix (text, ".conf"))
    return machine_load (text, error);
  names = g_strjoinv (", ", (char **) tp_machine_list ());
  near = tp_near_name_ask (text, tp_machine_list ());
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "machine '%s': no such profile%s: use one of %s, a file ending "
               "in .conf, or figures such as gflops=2000,gbps=200",
               text, near, names);
  return NULL;
}

static const char **names;

static void
make_names (void)
{
  names = tp_new0 (const char *, tp_n_machine_profiles + 1);
  for (int i = 0; i < tp_n_machine_profiles; i++)
    names[i] = tp_machine_profiles[i].name;
}

const char *const *
tp_machine_list (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_names);
  return names;
}

static gint64
machine_round_ns (double time_ns)
{
  return time_ns >= 0x1p60 ? G_GINT64_CONSTANT (1) << 60
                           : (gint64) llround (time_ns);
}

gint64
tp_machine_estimate_ns (const TpMachine *machine, const TpWork *work)
{
  double fill = MIN (1.0, work->n_points / machine->full_points);
  double bytes = (double) work->read_bytes + work->written_bytes;
  double flops = (double) (work->flops - work->double_flops)
                 + work->double_flops / machine->double_rate;
  double compute_ns = flops / (machine->peak_gflops * MAX (fill, 1e-9));
  double memory_ns = bytes / machine->bandwidth_gbps;

  return machine_round_ns (machine->launch_ns * MAX (work->n_kernels, 1)
                           + MAX (compute_ns, memory_ns));
}

gint64
tp_machine_transfer_ns (const TpMachine *machine, gint64 bytes)
{
  if (machine->link_gbps <= 0) /* every byte is read and written */
    return machine_round_ns (2.0 * bytes / machine->bandwidth_gbps);
  return machine_round_ns (machine->link_latency_ns
                           + bytes / machine->link_gbps);
}

gint64
tp_machine_map_ns (const TpMachine *machine)
{
  return machine_round_ns (machine->map_ns);
}
