/* contract-bytes.h: contractions of bytes: sums of products of small integers less their
 * zero points, by dot products of four bytes, x unsigned and w signed, in 32 bits.
 *
 *   sum (x - a) (w - b) = sum x w - a sum w - b (sum x - n a)
 *
 * w is a constant, packed by fours along the last axis of K, and sums of its columns come
 * with it; those of x are made where b is not 0. What is of the other sign is moved by 128,
 * and its zero point with it. */
#ifndef TP_SCHEDULE_CONTRACT_BYTES_H
#define TP_SCHEDULE_CONTRACT_BYTES_H

#include "schedule/build.h"
#include "schedule/contract.h"

/* NULL: it is none. The axis of K that is taken by fours comes last, and so does its
 * dimension of staged x. */
TpContract *tp_contract_bytes_new (const TpBuild *build, const TpNest *nest);
/* Elements of K that a step of the micro-kernel takes along @axis. */
gint64 tp_contract_bytes_get_step (const TpContract *c, int axis);
/* Whether sums of x are wanted. */
gboolean tp_contract_bytes_sums_x (const TpContract *c);
/* Vectors of numbers that its steps take. */
int tp_contract_bytes_count_numbers (const TpContract *c);
/* Whether x is moved, as its sign is the other one. */
gboolean tp_contract_bytes_moves_x (const TpContract *c);
/* Whether the last axis of K is no multiple of four. */
gboolean tp_contract_bytes_is_padded (const TpContract *c);

#endif
