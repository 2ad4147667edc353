/* mix-load.h: plans of several graphs that run side by side, read back. */
#ifndef TP_FORMAT_MIX_LOAD_H
#define TP_FORMAT_MIX_LOAD_H

#include "format/load-options.h"
#include "ir/mix.h"

/* Plans and their graphs: files, or what is in memory already. */
typedef struct TpMixSource
{
  const char *path;           /* of the plans; with @bytes only for people */
  GBytes *bytes;              /* (nullable): the plans, which are no file */
  GBytes *const *graphs;      /* (nullable): one for each of them, in their order */
  int n_graphs;
} TpMixSource;

/**
 * tp_mix_read_from:
 * @source: what tp_mix_to_json () wrote, as it is or packed by gzip
 * @options: for the graphs, each of which is looked for as that of a plan where
 *   @source does not name it; the dimensions are the plans'
 *
 * Checks the form and the digest, and each plan as tp_plan_load () does; whether all
 * of it is any good is for tp_check_mix () to say. TPLAN_ERROR_INPUT names file and
 * place, or says that there are more or fewer graphs.
 */
TpMix *tp_mix_read_from (const TpMixSource *source,
                         const TpLoadOptions *options, GError **error);

#endif
