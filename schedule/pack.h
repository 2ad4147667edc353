/* pack.h: constants copied once into the order that kernels like. */
#ifndef TP_SCHEDULE_PACK_H
#define TP_SCHEDULE_PACK_H

#include "nest/nest.h"

#define TP_PACK_MAX_SIDE 8

/* Squares of @n_from x @n_from elements become matrix * square * transposed
 * matrix, in double, rounded once, to float32. */
typedef struct
{
  int n_from, n_to;
  const double *matrix;       /* static: n_to rows of n_from */
  gint64 from_stride[2], to_stride[2];  /* of a square's rows and columns */
} TpPackSquare;

/* Panels of bytes for dot products of four: @n_steps rows of @width fours each, and before
 * them a row of sums over all of a column, of 32 bits, the lowest byte first. Elements get
 * @flip: what is of no sign is of one then. */
typedef struct
{
  gint64 width;               /* 0: none */
  gint64 n_steps;
  guint8 flip;
} TpPackDots;

/* A constant operand in the order a kernel likes, made once per
 * session by running @nest (a copy from the operand to n_elements of the type it
 * stores, which is the operand's but for squares; positions it does not write are
 * zero). With a @square the nest goes from the first element of each square to the
 * first of what becomes of it. */
typedef struct
{
  int operand;
  gint64 n_elements;
  TpNest *nest;
  TpPackSquare square;        /* n_from = 0: elements are copied as they are, */
  TpPackDots dots;            /* or by fours, the nest between the sums */
} TpPack;

gint64 tp_pack_get_bytes (const TpPack *pack);
/* Runs a pack on the host in plain C: @src the operand, at any address, @dst
 * n_elements. */
void tp_pack_run (const TpPack *pack, const void *src, void *dst);

/* The same in parts: begin, rows in any order and by any threads, end. */
void tp_pack_begin (const TpPack *pack, void *dst);
gint64 tp_pack_count_rows (const TpPack *pack);
void tp_pack_run_rows (const TpPack *pack, const void *src, void *dst,
                       gint64 first, gint64 end);
void tp_pack_end (const TpPack *pack, void *dst);

#endif
