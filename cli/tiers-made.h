/* tiers-made.h: plans for several values of a dimension, told and written. */
#ifndef TP_CLI_TIERS_MADE_H
#define TP_CLI_TIERS_MADE_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/text.h"

typedef struct
{
  const char *parameter;      /* (borrowed) */
  GPtrArray *texts;           /* of plans */
  json_t *tiers;
  TpTable *table;
  gboolean is_simulated;
  char *graph_name;
} TpTiersMade;

/* @parameter is kept. */
void tp_tiers_made_init (TpTiersMade *made, const char *parameter);
void tp_tiers_made_clear (TpTiersMade *made);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpTiersMade, tp_tiers_made_clear)

/* Only files of plans: of which would a picture be? */
gboolean tp_tiers_check_outputs (const TpCli *cli, GError **error);
/* By rising @value. */
void tp_tiers_made_add (TpTiersMade *made, gint64 value,
                        const TplanPlan *plan);
/* Writes what -o says, and tells of all. */
gboolean tp_tiers_made_finish (TpTiersMade *made, TpCli *cli, GError **error);

#endif
