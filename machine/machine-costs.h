/* machine-costs.h: what a graph costs on a machine we only know by figures. */
#ifndef TP_MACHINE_MACHINE_COSTS_H
#define TP_MACHINE_MACHINE_COSTS_H

#include "ir/costs.h"
#include "ir/graph.h"
#include "machine/machine.h"
#include "ops/works.h"

/* Fills the columns of device @device of @costs by estimates. @costs->host is
 * set; @works are of the graph and the groups that @costs are of. */
void tp_machine_fill_costs (const TpMachine *machine, int device,
                            const TpWorks *works, TpCosts *costs);

#endif
