/* machine-text.c: see machine-text.h. */
#include "config.h"

#include "cli/machine-text.h"

#include "calib/facts.h"
#include "cli/text.h"

#include <math.h>
#include <string.h>

#define BAR_COLUMNS 24        /* of the fastest rate of a link */

/* The rest of the lines is as they go. */
static void
add (GPtrArray *lines, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add (GPtrArray *lines, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (lines, g_strdup_vprintf (format, args));
  va_end (args);
}

static char **
finish (GPtrArray *lines)
{
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

static const char *
get_text (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

static gint64
get_integer (const json_t *object, const char *key)
{
  return json_integer_value (json_object_get (object, key));
}

static double
get_real (const json_t *object, const char *key)
{
  return json_number_value (json_object_get (object, key));
}

static char *
format_ns (double time_ns)
{
  return tp_cli_format_time ((gint64) CLAMP (time_ns, 0, 1e18));
}

/* ---- the machine -------------------------------------------------------- */

static void
add_cache (GPtrArray *lines, const json_t *cache)
{
  g_autofree char *size
      = tp_cli_format_bytes (get_integer (cache, "size_bytes"));
  gint64 shared_by = get_integer (cache, "shared_by");
  g_autofree char *shared
      = shared_by > 1 ? g_strdup_printf (", each shared by %" G_GINT64_FORMAT,
                                         shared_by)
                      : g_strdup ("");

  add (lines, "L%" G_GINT64_FORMAT " %s: %" G_GINT64_FORMAT " of %s%s",
       get_integer (cache, "level"), get_text (cache, "kind"),
       get_integer (cache, "count"), size, shared);
}

char **
tp_machine_text_machine (const json_t *document)
{
  GPtrArray *lines = g_ptr_array_new ();
  const json_t *machine = json_object_get (document, "machine");
  const char *cpu = get_text (machine, TP_FACT_PROCESSOR);
  g_autofree char *memory
      = tp_cli_format_bytes (get_integer (machine, "memory_bytes"));
  gsize i;
  json_t *cache;

  if (!json_is_object (machine))
    {
      add (lines, "a machine that is not there");
      return finish (lines);
    }
  add (lines, "%s", cpu != NULL && *cpu != 0 ? cpu : "processors without a name");
  add (lines, "%" G_GINT64_FORMAT " processors, %s of memory",
       get_integer (machine, "processors"), memory);
  json_array_foreach (json_object_get (machine, "caches"), i, cache)
    add_cache (lines, cache);
  add (lines, "threads: %" G_GINT64_FORMAT, get_integer (document, "threads"));
  add (lines, "table: %s", get_text (document, "table"));
  return finish (lines);
}

/* ---- a device ----------------------------------------------------------- */

static char *
format_age (gint64 measured_at)
{
  static const struct
  {
    gint64 seconds;
    const char *unit;
  } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
  gint64 age = g_get_real_time () / G_USEC_PER_SEC - measured_at;

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (age >= units[i].seconds)
      {
        gint64 n = age / units[i].seconds;

        return g_strdup_printf ("%" G_GINT64_FORMAT " %s%s ago", n,
                                units[i].unit, n == 1 ? "" : "s");
      }
  return g_strdup ("just now");
}

static void
add_state (GPtrArray *lines, const json_t *device)
{
  const char *state = get_text (device, "state");
  const char *reason = get_text (device, "reason");
  gint64 measured_at = get_integer (device, "measured_at");
  g_autofree char *age = measured_at > 0 ? format_age (measured_at) : NULL;

  if (strcmp (state, "unmeasured") == 0)
    add (lines, "never measured: `tplan calibrate` does");
  else if (strcmp (state, "simulated") == 0)
    add (lines, "simulated: %s", get_text (device, "identity"));
  else
    add (lines, "%s%s%s%s%s", state, reason == NULL ? "" : ": ",
         reason == NULL ? "" : reason, age == NULL ? "" : "; measured ",
         age == NULL ? "" : age);
}

static void
add_speed (GPtrArray *lines, const json_t *device)
{
  g_autofree char *launch = format_ns (get_real (device, "launch_ns"));
  g_autofree char *memory
      = tp_cli_format_bytes (get_integer (device, "memory_bytes"));
  const json_t *text;
  gsize i;

  add (lines, "%.4g GFLOP/s, %.3g GB/s, a launch %s%s%s",
       get_real (device, "peak_gflops"), get_real (device, "bandwidth_gbps"),
       launch, get_integer (device, "memory_bytes") > 0 ? ", " : "",
       get_integer (device, "memory_bytes") > 0 ? memory : "");
  add (lines, "full from %.0f points at once", get_real (device, "full_points"));
  if (json_is_true (json_object_get (device, "host")))
    add (lines, "works in host memory");
  if (get_text (device, "draws") != NULL)
    add (lines, "draws %s", get_text (device, "draws"));
  json_array_foreach (json_object_get (device, "at_once"), i, text)
    add (lines, "%s", json_string_value (text));
}

static void
add_quality (GPtrArray *lines, const json_t *device)
{
  if (json_object_get (device, "settled") == NULL)
    return;
  add (lines,
       "kernels: %" G_GINT64_FORMAT " settled, %" G_GINT64_FORMAT
       " provisional, %" G_GINT64_FORMAT " failed; %" G_GINT64_FORMAT
       " whole plans",
       get_integer (device, "settled"), get_integer (device, "provisional"),
       get_integer (device, "failed"), get_integer (device, "wholes"));
  if (get_text (device, "grade") != NULL)
    add (lines, "grade %s: times within +-%.1f %%, %.0f %% of kernels strained",
         get_text (device, "grade"), 100 * get_real (device, "spread"),
         100 * get_real (device, "strained"));
}

char **
tp_machine_text_device (const json_t *device)
{
  GPtrArray *lines = g_ptr_array_new ();

  add (lines, "%s", get_text (device, "name"));
  add_state (lines, device);
  if (json_object_get (device, "peak_gflops") != NULL)
    {
      add_speed (lines, device);
      add_quality (lines, device);
    }
  return finish (lines);
}

/* ---- a link ------------------------------------------------------------- */

typedef struct
{
  double bytes, time_ns;
} Point;

static char *
draw_bar (double rate, double fastest)
{
  int n = fastest > 0 ? (int) lround (BAR_COLUMNS * rate / fastest) : 0;

  return g_strnfill (CLAMP (n, 1, BAR_COLUMNS), '#');
}

/* Rates by size, as far as a picture of letters goes. */
static void
add_curve (GPtrArray *lines, const GArray *points)
{
  double fastest = 0;

  for (guint i = 0; i < points->len; i++)
    {
      const Point *it = &g_array_index (points, Point, i);

      fastest = MAX (fastest, it->bytes / it->time_ns);
    }
  for (guint i = 0; i < points->len; i++)
    {
      const Point *it = &g_array_index (points, Point, i);
      double rate = it->bytes / it->time_ns;
      g_autofree char *bytes = tp_cli_format_bytes ((gint64) it->bytes);
      g_autofree char *time = format_ns (it->time_ns);
      g_autofree char *bar = draw_bar (rate, fastest);

      add (lines, "%-10s %10s %8.3g GB/s %s", bytes, time, rate, bar);
    }
}

/* As measured; or, where a line says all, along that. */
static GArray *
list_points (const json_t *link)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
  double gbps = get_real (link, "gbps");
  gsize i;
  json_t *point;

  json_array_foreach (json_object_get (link, "points"), i, point)
    {
      const Point it
          = { get_real (point, "bytes"), get_real (point, "time_ns") };

      g_array_append_val (points, it);
    }
  for (int k = 2; i == 0 && gbps > 0 && k <= 26; k += 6)
    {
      const double bytes = G_GINT64_CONSTANT (1) << k;
      const Point it
          = { bytes, MAX (get_real (link, "latency_ns") + bytes / gbps, 1) };

      g_array_append_val (points, it);
    }
  return points;
}

char **
tp_machine_text_link (const json_t *device, const char *key)
{
  GPtrArray *lines = g_ptr_array_new ();
  const json_t *link = json_object_get (device, key);
  g_autofree char *latency = format_ns (get_real (link, "latency_ns"));
  g_autoptr (GArray) points = NULL;

  if (!json_is_object (link))
    return finish (lines);
  points = list_points (link);
  add (lines, "%s: %.3g GB/s + %s, %s",
       strcmp (key, "to_host") == 0 ? "to host" : "to device",
       get_real (link, "gbps"), latency,
       json_array_size (json_object_get (link, "points")) > 0 ? "by size"
                                                              : "a line");
  add_curve (lines, points);
  return finish (lines);
}
