/* fuzz-mix.c: plans of two graphs that run side by side, in one file. Each plan, and all
 * of them, are signed once more, so that what was changed is read. */
#include "config.h"

#include "api/mix.h"
#include "format/gzip.h"
#include "format/mix-json.h"
#include "format/plan-json.h"
#include "fuzz/fuzz.h"

#include <string.h>

#define PLAN_START "{\n \"format\": \"tplan-plan/"
#define MOST_BYTES (1 << 22)

static GBytes *graphs[2];

/* Of what stands between @start and the digest at @key. */
static void
sign_piece (const char *start, char *key)
{
  g_autofree char *digest = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) start, key - start);

  if (strlen (key) >= strlen (TP_PLAN_DIGEST_KEY) + TP_PLAN_DIGEST_LENGTH)
    memcpy (key + strlen (TP_PLAN_DIGEST_KEY), digest, TP_PLAN_DIGEST_LENGTH);
}

static void
sign (char *text)
{
  char *start = text, *key;

  while ((start = strstr (start, PLAN_START)) != NULL
         && (key = strstr (start, TP_PLAN_DIGEST_KEY)) != NULL)
    {
      sign_piece (start, key);
      start = key;
    }
  key = g_strrstr (text, TP_PLAN_DIGEST_KEY);
  if (key != NULL)
    sign_piece (text, key);
}

/* What was read is written and read again. */
static void
use (TplanMix *mix)
{
  g_autofree char *text = tp_mix_to_json (tp_api_get_mix (mix));
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (TplanMix) again
      = tplan_mix_new_from_bytes (bytes, graphs, 2, NULL, NULL);
  double bound = 0, busy = tplan_mix_get_busy (mix, &bound);

  g_assert_nonnull (again);
  g_assert_true (tplan_mix_check (mix, NULL) == tplan_mix_check (again, NULL));
  if (tplan_mix_check (mix, NULL))
    g_assert_true (0 <= bound && bound <= busy);
  g_assert_null (tplan_mix_new_from_bytes (bytes, graphs, 1, NULL, NULL));
}

static void
read_mix (const char *text, gsize size)
{
  g_autofree char *whole = g_strndup (text, size);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TplanMix) mix = NULL;

  sign (whole);
  bytes = g_bytes_new_static (whole, strlen (whole));
  mix = tplan_mix_new_from_bytes (bytes, graphs, 2, NULL, NULL);
  if (mix != NULL)
    use (mix);
}

/* As it is, and then what comes of it as if it were no packed one. */
static void
read_packed (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) packed = g_bytes_new_static (data, size);
  g_autoptr (GBytes) text = tp_gzip_unpack ("mix", packed, MOST_BYTES, NULL);
  g_autoptr (TplanMix) mix
      = tplan_mix_new_from_bytes (packed, graphs, 2, NULL, NULL);

  g_assert_true (mix == NULL || tplan_mix_get_parts (mix, NULL) != NULL);
  if (text != NULL)
    read_mix (g_bytes_get_data (text, NULL), g_bytes_get_size (text));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (graphs[0] == NULL)
    {
      graphs[0] = fuzz_get_file ("FUZZ_GRAPH_OF_MIX");
      graphs[1] = fuzz_get_file ("FUZZ_GRAPH");
    }
  if (tp_gzip_is (data, size))
    read_packed (data, size);
  else
    read_mix ((const char *) data, size);
  return 0;
}
