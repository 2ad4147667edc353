/* drivers.c: drivers met before they are trusted with this process. */
#include "config.h"

#include "cli/drivers.h"

#include "api/contact.h"
#include "cli/output.h"

static gboolean is_met;

static void
meet (const TpCli *cli, const char *const *devices, gboolean is_fresh)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  is_met = is_met || tp_contact_drivers (devices, is_fresh, notes);
  for (guint i = 0; i < notes->len; i++)
    tp_cli_warn (cli, "%s", (const char *) notes->pdata[i]);
}

void
tp_cli_meet_drivers (const TpCli *cli, const char *const *devices)
{
  meet (cli, devices, FALSE);
}

void
tp_cli_meet_drivers_again (const TpCli *cli)
{
  meet (cli, NULL, TRUE);
}
