/* order-oracle.h: what must hold of the order of a session's tasks, found from the
 * bytes that each of them reads and writes. */
#ifndef TESTS_DEVICE_ORDER_ORACLE_H
#define TESTS_DEVICE_ORDER_ORACLE_H

#include "runtime/session-order.h"

/* Asserts that no two tasks of which one writes what the other uses are free to run
 * in either order; that a task comes later than planned only behind one that it
 * needs; that what is to be alive at once has no byte in common; and that as many
 * are waited for as there are. Returns how many pairs of different lanes are in
 * order for their bytes' sake. */
int order_check (const TpSession *session, const TpSessionOrder *order);

#endif
