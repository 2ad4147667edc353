/* compare.h: whether a kernel computes what it should. */
#ifndef TP_CALIB_COMPARE_H
#define TP_CALIB_COMPARE_H

#include "calib/chain.h"

/* Runs @link, which is compiled, on made-up inputs and compares what it gives, or
 * a sample of it, with its nests run in double. Each distinct kernel is compared
 * once; what that would take long for passes. Spoils the memory of the chain.
 * FALSE: TPLAN_ERROR_FAILED, it is wrong; or the device failed. */
gboolean tp_compare_link (TpChain *chain, int link, GError **error);

#endif
