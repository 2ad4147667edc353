/* run-energy.h: what runs drew, by the counters of energy that the system keeps, beside
 * what their plan predicted. */
#ifndef TP_CLI_RUN_ENERGY_H
#define TP_CLI_RUN_ENERGY_H

#include <jansson.h>

#include "cli/text.h"
#include "include/tplan.h"

typedef struct
{
  GPtrArray *counters;        /* TpJoules */
  gint64 began_ns, looked_ns;
  double predicted_j;         /* a run; -1: the plan has no watts */
  double counted_j;           /* a run; -1: it is not counted, for this @reason */
  const char *reason;
  const char *uncounted;      /* (nullable) interned: a device that is not, so that
                               * @counted_j is not all of it */
} TpRunEnergy;

void tp_run_energy_init (TpRunEnergy *energy);
void tp_run_energy_clear (TpRunEnergy *energy);
/* Before runs of @session, whose plan says what is to be counted. */
void tp_run_energy_begin (TpRunEnergy *energy, TplanSession *session);
/* Between two of them; mostly returns at once. */
void tp_run_energy_look (TpRunEnergy *energy);
/* After the last, of those that took @run_ns on average: what is done between them draws
 * as they do, and does not count. Too soon for counters, nothing is counted. */
void tp_run_energy_end (TpRunEnergy *energy, double run_ns);

/* "1.23 mJ a run by package-0; 1.19 mJ predicted, -3.3 %", where the plan has watts. */
void tp_run_energy_add_row (const TpRunEnergy *energy, TpTable *table);
/* {"predicted_j", "counted_j", "error", "counters", "reason", "uncounted"}; null: it
 * has none. */
json_t *tp_run_energy_to_json (const TpRunEnergy *energy);

#endif
