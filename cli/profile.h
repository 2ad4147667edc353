/* profile.h: where the time of a run goes, step by step. */
#ifndef TP_CLI_PROFILE_H
#define TP_CLI_PROFILE_H

#include <jansson.h>

#include "cli/account.h"
#include "cli/cli.h"

typedef struct
{
  const char *sort;           /* (nullable) "time", "miss" or "name" */
  int n_top;                  /* 0: all */
} TpProfileOptions;

gboolean tp_profile_check_options (const TpProfileOptions *options,
                                   GError **error);

/* A table of the steps of @account, which is made: op, device, measured,
 * predicted, share. */
void tp_profile_print (const TpAccount *account, const TpCli *cli,
                       const TpProfileOptions *options);
json_t *tp_profile_to_json (const TpAccount *account,
                            const TpProfileOptions *options);

#endif
