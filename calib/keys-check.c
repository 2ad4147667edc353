/* keys-check.c: see keys-check.h. */
#include "config.h"

#include "calib/keys-check.h"

#include "include/tplan.h"
#include "ir/near-name.h"

gboolean
tp_keys_check (const json_t *json, const char *const *known,
               const char *place, GError **error)
{
  json_t *value;
  const char *key;

  if (!json_is_object (json))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: must be an object: export it again", place);
      return FALSE;
    }
  json_object_foreach ((json_t *) json, key, value)
    if (!g_strv_contains (known, key))
      {
        g_autofree char *near = tp_near_name_ask (key, known);

        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                     "%s: unknown key '%s'%s: leave it out", place, key, near);
        return FALSE;
      }
  return TRUE;
}
