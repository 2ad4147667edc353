/* cost-path.c: see cost-path.h. */
#include "config.h"

#include "calib/cost-path.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

/* A set-uid process takes nothing from the environment. */
char *
tp_cost_path_choose (void)
{
  const char *given = secure_getenv ("TPLAN_COST");
  const char *state = secure_getenv ("XDG_STATE_HOME");
  const char *home = secure_getenv ("HOME");

  if (given != NULL && *given != '\0')
    return g_strdup (given);
  if (state != NULL && g_path_is_absolute (state))
    return g_build_filename (state, "tplan", "cost.db", NULL);
  if (home == NULL || !g_path_is_absolute (home))
    {
      const struct passwd *user = getpwuid (getuid ());

      home = user != NULL ? user->pw_dir : "/";
    }
  return g_build_filename (home, ".local", "state", "tplan", "cost.db", NULL);
}
