/* program.h: lowered nodes + target -> kernels, by the schedules. */
#ifndef TP_SCHEDULE_PROGRAM_H
#define TP_SCHEDULE_PROGRAM_H

#include "kernel/kernel.h"
#include "kernel/target.h"
#include "nest/nest.h"

typedef enum
{
  TP_ARG_OPERAND,             /* index: operand of the TpLowered */
  TP_ARG_PACKED,              /* index: pack */
  TP_ARG_WORKSPACE,           /* index: workspace */
} TpArgKind;

typedef struct
{
  TpArgKind kind;
  int index;
} TpArg;

typedef struct
{
  TpKernel *kernel;
  int n_args;                 /* = its global buffers */
  TpArg *args;
} TpStep;

/* A constant operand of float32 in the order a kernel likes, made once per
 * session by running @nest (a copy from the operand to n_elements floats;
 * positions it does not write are zero). */
typedef struct
{
  int operand;
  gint64 n_elements;
  TpNest *nest;
} TpPack;

typedef struct
{
  int n_steps;
  TpStep *steps;
  gint64 n_iterations;        /* of the steps from first_repeated_step on, in
                               * order; those before run once */
  int first_repeated_step;
  int n_packs;
  TpPack *packs;
  int n_workspaces;
  gint64 *workspace_bytes;
  char *schedule;             /* "gemm mr=14 nr=32 mc=98 ...": stored beside
                               * every measurement */
} TpProgram;

/**
 * tp_program_new:
 *
 * Chooses a schedule for every nest of @lowered and builds its kernels. Pure.
 * A generic schedule exists for every nest, so only memory can fail.
 */
TpProgram *tp_program_new (const TpLowered *lowered, const TpTarget *target,
                           GError **error);
void tp_program_free (TpProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpProgram, tp_program_free)

/* Runs a pack on the host in plain C: @src the operand, @dst n_elements. */
void tp_pack_run (const TpPack *pack, const float *src, float *dst);

/* Digest of the codegen sources this library was built from: part of the cost
 * table's key, so that figures of other kernels are never used. */
const char *tp_codegen_get_id (void);

#endif
