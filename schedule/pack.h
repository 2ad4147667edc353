/* pack.h: constants copied once into the order that kernels like. */
#ifndef TP_SCHEDULE_PACK_H
#define TP_SCHEDULE_PACK_H

#include "nest/nest.h"

/* A constant operand of float32 in the order a kernel likes, made once per
 * session by running @nest (a copy from the operand to n_elements floats;
 * positions it does not write are zero). */
typedef struct
{
  int operand;
  gint64 n_elements;
  TpNest *nest;
} TpPack;

/* Runs a pack on the host in plain C: @src the operand, @dst n_elements. */
void tp_pack_run (const TpPack *pack, const float *src, float *dst);

#endif
