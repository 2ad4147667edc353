/* target.h: the processor that kernels are made for. */
#ifndef TP_KERNEL_TARGET_H
#define TP_KERNEL_TARGET_H

#include <glib.h>

/* What a schedule needs to know of a device. */
typedef struct
{
  int lanes;                  /* vector width in floats: 1, 4, 8, 16 */
  int n_registers;            /* vector registers: 16 or 32 */
  gint64 l1_bytes, l2_bytes;  /* per core */
  int n_units;                /* cores: how many groups run at once */
  int local_size;             /* 1: CPU style; else the most work-items per
                               * group of the GPU style schedules */
  gint64 local_bytes;         /* bound on local memory of a group */
  gboolean has_float64;       /* it computes with reals of 64 bits */
  gboolean has_mma;           /* its waves multiply matrices (TP_I_MMA) */
} TpTarget;

/* Whether it runs work-items, not vectors. */
static inline gboolean
tp_target_is_gpu (const TpTarget *target)
{
  return target->local_size > 1;
}

static inline gboolean
tp_target_has_mma (const TpTarget *target)
{
  return target->has_mma;
}

/* Whether it runs vectors, not work-items. */
static inline gboolean
tp_target_has_vectors (const TpTarget *target)
{
  return !tp_target_is_gpu (target) && target->lanes > 1;
}

/* How many lanes vectors of kernels for it may have; @is_long: of those with long
 * functions, which may fill two registers, whose halves take turns while each waits
 * for itself. */
static inline int
tp_target_get_lanes (const TpTarget *target, gboolean is_long)
{
  return is_long && target->lanes > 1 && target->lanes < 16
             ? 2 * target->lanes
             : target->lanes;
}

/* Whether they may have vectors of @lanes lanes; 1: none. */
static inline gboolean
tp_target_has_lanes (const TpTarget *target, gint64 lanes, gboolean is_long)
{
  return lanes == 1
         || ((lanes == 4 || lanes == 8 || lanes == 16)
             && lanes <= tp_target_get_lanes (target, is_long));
}

#endif
