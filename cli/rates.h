/* rates.h: what a run takes of energy and money, in words. */
#ifndef TP_CLI_RATES_H
#define TP_CLI_RATES_H

#include <jansson.h>

#include "ir/plan.h"

/* What one run takes; -1: it is not stated of all devices. */
typedef struct
{
  double energy_j;
  double price;               /* in the unit that prices were stated in */
} TpTaken;

TpTaken tp_cli_find_taken (const TpPlan *plan);
/* "1.20 mJ", "0.0042": the caller frees. */
char *tp_cli_format_energy (double energy_j);
char *tp_cli_format_price (double price);

/* Whose watts are measured and whose stated; the caller frees. @plan has rates. */
char *tp_cli_describe_watts (const TpPlan *plan);
/* "1.2 mJ a run, 41 W on average, stated, not measured; proved least"; NULL: nothing
 * is stated. Caller frees. */
char *tp_cli_describe_energy (const TpPlan *plan);
/* "0.42 for a million runs, ..." */
char *tp_cli_describe_price (const TpPlan *plan);
/* {"energy_j", "power_w", "price", "proved_least"}; null: nothing is stated. */
json_t *tp_cli_rates_to_json (const TpPlan *plan);

#endif
