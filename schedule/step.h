/* step.h: a kernel of a program and what its buffers are. */
#ifndef TP_SCHEDULE_STEP_H
#define TP_SCHEDULE_STEP_H

#include "kernel/kernel.h"

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

void tp_step_clear (TpStep *step);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpStep, tp_step_clear)

#endif
