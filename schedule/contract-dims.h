/* contract-dims.h: the dimensions of staged x. */
#ifndef TP_SCHEDULE_CONTRACT_DIMS_H
#define TP_SCHEDULE_CONTRACT_DIMS_H

#include "schedule/contract.h"

/* Finds the dimensions and the fill; FALSE: x cannot be staged. */
gboolean tp_contract_find_dims (TpContract *c);
/* The axes of x that are staged: rows, columns and K. */
gboolean tp_contract_is_staged_axis (const TpContract *c, int axis);

#endif
