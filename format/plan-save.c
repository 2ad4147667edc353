/* plan-save.c: see plan-save.h. */
#include "config.h"

#include "format/plan-save.h"

#include "format/gzip.h"
#include "format/pack-beside.h"
#include "format/plan-json.h"

#include <string.h>

typedef struct
{
  TpSaver *saver;
  GError **error;
  gboolean is_good;
} Saving;

static void
take_saved (gpointer data, const char *bytes, gsize size)
{
  Saving *it = data;

  it->is_good
      = it->is_good && tp_saver_write (it->saver, bytes, size, it->error);
}

static void
take_packed (gpointer beside, const char *bytes, gsize size)
{
  tp_pack_beside_add (beside, bytes, size);
}

static GBytes *
pack (const TpPlan *plan, const TpGraph *graph, GError **error)
{
  g_autoptr (TpPackBeside) beside = tp_pack_beside_new ();

  tp_plan_write (plan, graph, take_packed, beside);
  return tp_pack_beside_finish (beside, error);
}

GBytes *
tp_plan_to_bytes (const TpPlan *plan, const TpGraph *graph, gboolean is_packed,
                  GError **error)
{
  char *text;

  if (is_packed)
    return pack (plan, graph, error);
  text = tp_plan_to_json (plan, graph);
  return g_bytes_new_take (text, strlen (text));
}

gboolean
tp_plan_save_to (const TpPlan *plan, const TpGraph *graph, gboolean is_packed,
                 TpSaver *saver, GError **error)
{
  Saving saving = { saver, error, TRUE };
  g_autoptr (GBytes) packed = NULL;

  if (!is_packed)
    {
      tp_plan_write (plan, graph, take_saved, &saving);
      return saving.is_good;
    }
  packed = pack (plan, graph, error);
  return packed != NULL
         && tp_saver_write (saver, g_bytes_get_data (packed, NULL),
                            g_bytes_get_size (packed), error);
}

gboolean
tp_plan_save (const TpPlan *plan, const TpGraph *graph, const char *path,
              GError **error)
{
  g_autoptr (TpSaver) saver = tp_saver_new (path, error);

  return saver != NULL
         && tp_plan_save_to (plan, graph,
                             g_str_has_suffix (path, TP_GZIP_SUFFIX), saver,
                             error)
         && tp_saver_sync (saver, error) && tp_saver_finish (saver, error);
}
