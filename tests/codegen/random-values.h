/* random-values.h: values of random kernels: pools of them by kind and lanes, and what
 * makes one of others. Private to the generator. */
#ifndef TP_TESTS_RANDOM_VALUES_H
#define TP_TESTS_RANDOM_VALUES_H

#include "random-kernel.h"

#define N_INPUT 256
#define N_LOCAL 96
#define N_SLICES (3 * RANDOM_KERNEL_N)

/* Behind the kinds: INDEX of one lane, small and not negative. */
#define POOL_ADDRESS (TP_KIND_MASK + 1)
#define N_POOLS (POOL_ADDRESS + 1)

#define FIRST_WRITTEN 12
#define FIRST_LOCAL 24
#define N_BUFFERS 30

extern const TpKernelBuffer random_buffers[N_BUFFERS];
extern const int random_widths[4];

typedef struct
{
  TpKernel *kernel;
  GArray *pools[N_POOLS][4]; /* TpValue, by kind and width */
  int depth;
  TpValue slice; /* first output element of the group */
} RandomValues;

/* In [0, @n). */
int random_draw (int n);
/* Into the pool of its kind and lanes, and that of addresses. */
void random_put (RandomValues *gen, TpValue value);
void random_put_address (RandomValues *gen, TpValue value);
/* One of a pool; @width is of random_widths. */
TpValue random_pick (RandomValues *gen, int kind, int width);
TpValue random_constant (RandomValues *gen, TpKind kind, int width);
/* In [0, n - lanes], from any index; masks may let it stick out. */
TpValue random_bounded (RandomValues *gen, int n);
/* Makes a value of those there are. */
TpValue random_add_address (RandomValues *gen);
TpValue random_add_integer (RandomValues *gen, int width);
TpValue random_add_index (RandomValues *gen, int width);
TpValue random_add_mask (RandomValues *gen, int width);
TpValue random_add_lanes (RandomValues *gen, int width);
TpValue random_add_load (RandomValues *gen, int width);
TpValue random_add_float (RandomValues *gen, int width);
void random_add_store (RandomValues *gen, int buffer, int width);

#endif
