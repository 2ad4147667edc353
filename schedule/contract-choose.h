/* contract-choose.h: the choices there are for a contraction. */
#ifndef TP_SCHEDULE_CONTRACT_CHOOSE_H
#define TP_SCHEDULE_CONTRACT_CHOOSE_H

#include "schedule/contract.h"

/* Of choices: TP_CONTRACT_LANES and so on. */
extern const TpParam tp_contract_params[];

/* Tile, access to x and w, blocks, unrolling. */
#define TP_CONTRACT_N_STEPS 4

/* As the members of TpFamily. */
void tp_contract_enumerate (gconstpointer analysis, int step,
                            const TpChoice *partial, TpArray *out_choices);
double tp_contract_cost (gconstpointer analysis, int step,
                         const TpChoice *choice);
const char *tp_contract_find_fault (gconstpointer analysis,
                                    const TpChoice *choice);

#endif
