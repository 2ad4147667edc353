/* affinity.c: see affinity.h. What works in host memory is the processor; others
 * are numbered in the order of their first ops. */
#include "config.h"

#include "cli/affinity.h"

#include "calib/lookup.h"
#include "cli/output.h"
#include "ir/guard.h"
#include "ir/near-name.h"

#include <string.h>

typedef struct
{
  const TpCliAffinity *it;
  GPtrArray *devices;         /* (unowned) char*, met so far */
  GPtrArray *names;           /* char*, of each */
  int n_others;
} Naming;

static void
naming_clear (Naming *naming)
{
  g_ptr_array_unref (naming->devices);
  g_ptr_array_unref (naming->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Naming, naming_clear)

/* Behind "DEV=" in what was given; NULL: it was not. */
static const char *
find_given (const Naming *naming, const char *device)
{
  gsize length = strlen (device);

  for (char **name = naming->it->names; name != NULL && *name != NULL; name++)
    if (strncmp (*name, device, length) == 0 && (*name)[length] == '=')
      return *name + length + 1;
  return NULL;
}

static char *
make_name (Naming *naming, const char *device)
{
  const char *given = find_given (naming, device);
  const TpAffinityKind *kind = naming->it->kind;
  g_autoptr (GString) name = g_string_new (given);

  if (given == NULL && tp_lookup_find_host (&device, 1) == 0)
    g_string_append (name, kind->host);
  else if (given == NULL)
    g_string_append_printf (name, "%s%d", kind->other, naming->n_others++);
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static const char *
find_name (Naming *naming, const char *device)
{
  guint i;

  if (g_ptr_array_find_with_equal_func (naming->devices, device, g_str_equal,
                                        &i))
    return naming->names->pdata[i];
  g_ptr_array_add (naming->devices, (char *) device);
  g_ptr_array_add (naming->names, make_name (naming, device));
  return naming->names->pdata[naming->names->len - 1];
}

/* Each "DEV=NAME" is of a device that has ops. */
static gboolean
check_given (const Naming *naming, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  g_autofree char *list = NULL;

  for (guint i = 0; i < naming->devices->len; i++)
    g_ptr_array_add (known, naming->devices->pdata[i]);
  g_ptr_array_add (known, NULL);
  list = g_strjoinv (", ", (char **) known->pdata);
  for (char **name = naming->it->names; name != NULL && *name != NULL; name++)
    {
      char *end = strrchr (*name, '=');
      g_autofree char *device
          = end == NULL ? NULL : g_strndup (*name, end - *name);
      g_autofree char *near = NULL;

      if (device != NULL && end[1] != '\0'
          && g_ptr_array_find_with_equal_func (naming->devices, device,
                                               g_str_equal, NULL))
        continue;
      near = device == NULL
                 ? g_strdup ("")
                 : tp_near_name_ask (device, (const char **) known->pdata);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--device-name '%s': must be DEV=NAME of a device that has "
                   "ops%s: those are %s", *name, near, list);
      return FALSE;
    }
  return TRUE;
}

gboolean
tp_cli_write_affinity (TpCli *cli, const TpCliAffinity *it, GError **error)
{
  g_auto (Naming) naming = { .it = it, .devices = g_ptr_array_new (),
                             .names = g_ptr_array_new_with_free_func (g_free) };
  guint n = it->builder->draft->nodes->len;
  g_autofree const char **devices = tp_new0 (const char *, n + 1);
  const TpAffinity affinity = { it->builder, devices };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (it->devices[i] != NULL)
      devices[i] = find_name (&naming, it->devices[i]);
  return check_given (&naming, error)
         && tp_affinity_write (it->kind, &affinity, text, error)
         && tp_cli_write_output (cli, cli->outputs[0], text->str, text->len,
                                 error);
}
