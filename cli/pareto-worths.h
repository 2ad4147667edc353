/* pareto-worths.h: what time and energy are worth, in money, where a point of three things
 * is the least. */
#ifndef TP_CLI_PARETO_WORTHS_H
#define TP_CLI_PARETO_WORTHS_H

#include <jansson.h>

#include "ir/pareto.h"

typedef enum
{
  TP_WORTH_HOUR,              /* of a run, in the unit of prices */
  TP_WORTH_KWH,
} TpWorthOf;

/* {"per_hour": {"from", "to"}, "per_kwh": likewise, "worths": [[hour, kWh, price]]}: between
 * what they lie, and corners. */
json_t *tp_pareto_worths_to_json (const TpPareto *pareto, int index);
/* "0.2 to 3", "0.2 and more", "any": the caller frees. */
char *tp_pareto_worths_format (const TpPareto *pareto, int index, TpWorthOf of);

/* [[points]]: which are as good as each other for some worths, and the least. */
json_t *tp_pareto_faces_to_json (const TpPareto *pareto);

#endif
