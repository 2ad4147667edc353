/* test-fuse-nest.c: which strides line up, and what comes of it. */
#include "config.h"

#include "nest/nest-check.h"
#include "nest/nest-eval.h"
#include "nest/nest-fuse.h"
#include "nest/nest.h"

#include <string.h>

/* Operand 0 is read by the producer, 1 lies between, 2 is written by the
 * consumer, 3 is another input of the consumer. */
enum
{
  INPUT,
  BETWEEN,
  OUTPUT,
  OTHER,
  N_OPERANDS
};

#define N 24 /* elements of each */

typedef struct
{
  int n_axes;
  gint64 extent[4];
  gint64 stride[4];
  gint64 offset;
} Shape;

static void
set_axes (TpNest *nest, const Shape *shape)
{
  for (int i = 0; i < shape->n_axes; i++)
    tp_nest_add_axis (nest, shape->extent[i], FALSE);
}

static void
set_access (TpAccess *access, const Shape *shape)
{
  memcpy (access->stride, shape->stride, sizeof shape->stride);
  access->offset = shape->offset;
}

/* between[shape] = 2 * input, which is read in counting order */
static TpNest *
new_producer (const Shape *shape)
{
  TpNest *nest = tp_nest_new ();
  TpAccess *load = NULL;
  gint64 stride = 1;

  set_axes (nest, shape);
  load = tp_nest_add_load (nest, INPUT);
  for (int i = shape->n_axes - 1; i >= 0; i--)
    {
      load->stride[i] = stride;
      stride *= shape->extent[i];
    }
  nest->store.operand = BETWEEN;
  set_access (&nest->store, shape);
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                 tp_nest_const (nest, 2.0));
  return nest;
}

/* output[counting order] = between[shape] + other[counting order] */
static TpNest *
new_consumer (const Shape *shape)
{
  TpNest *nest = tp_nest_new ();
  TpAccess *load = NULL;
  gint64 stride = 1;

  set_axes (nest, shape);
  set_access (tp_nest_add_load (nest, BETWEEN), shape);
  load = tp_nest_add_load (nest, OTHER);
  for (int i = shape->n_axes - 1; i >= 0; i--)
    {
      load->stride[i] = stride;
      nest->store.stride[i] = stride;
      stride *= shape->extent[i];
    }
  nest->store.operand = OUTPUT;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 0),
                                 tp_nest_load (nest, 1));
  return nest;
}

static void
run (TpNest *nest, double *buffers[N_OPERANDS])
{
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N_OPERANDS; i++)
    tp_lowered_add_operand (lowered,
                            &(TpOperand){ .tensor = -1, .n_elements = N });
  tp_lowered_take_nest (lowered, tp_nest_copy (nest));
  tp_lowered_check (lowered, &error);
  g_assert_no_error (error);
  tp_lowered_eval (lowered, buffers);
}

static void
fill (double memory[N_OPERANDS][N], double *buffers[N_OPERANDS])
{
  for (int i = 0; i < N_OPERANDS; i++)
    {
      buffers[i] = memory[i];
      for (int k = 0; k < N; k++)
        memory[i][k] = i == OUTPUT || i == BETWEEN ? -1 : 100 * i + k;
    }
}

/* The fused nest writes what the two do, where the producer reaches. */
static void
compare (TpNest *producer, TpNest *consumer, TpNest *fused)
{
  double a[N_OPERANDS][N];
  double b[N_OPERANDS][N];
  double *separate[N_OPERANDS];
  double *joint[N_OPERANDS];
  int n_written = 0;

  fill (a, separate);
  fill (b, joint);
  run (producer, separate);
  run (consumer, separate);
  run (fused, joint);
  for (int i = 0; i < N; i++)
    if (b[OUTPUT][i] != -1)
      {
        g_assert_cmpfloat (a[OUTPUT][i], ==, b[OUTPUT][i]);
        n_written++;
      }
  g_assert_cmpint (n_written, >, 0);
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (b[BETWEEN][i], ==, -1);
}

static const struct
{
  const char *name;
  Shape producer, consumer;
  gboolean fuses; /* as epilogue */
  gboolean fuses_prologue;
} pairs[] = {
  { "same",
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    TRUE,
    TRUE },
  { "transposed",
    { 2, { 4, 6 }, { 1, 4 }, 0 },
    { 2, { 6, 4 }, { 4, 1 }, 0 },
    TRUE,
    TRUE },
  { "split",
    { 3, { 4, 2, 3 }, { 6, 3, 1 }, 0 },
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    TRUE,
    FALSE },
  { "merged",
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    { 3, { 4, 2, 3 }, { 6, 3, 1 }, 0 },
    FALSE,
    TRUE },
  { "slice",
    { 2, { 4, 2 }, { 6, 1 }, 3 },
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    TRUE,
    FALSE },
  { "outer slice",
    { 2, { 2, 6 }, { 6, 1 }, 12 },
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    TRUE,
    FALSE },
  { "ones",
    { 4, { 1, 4, 1, 6 }, { 24, 6, 6, 1 }, 0 },
    { 3, { 4, 6, 1 }, { 6, 1, 7 }, 0 },
    TRUE,
    TRUE },
  { "backwards",
    { 2, { 4, 6 }, { 6, -1 }, 5 },
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    TRUE,
    FALSE },
  { "broadcast",
    { 1, { 6 }, { 1 }, 0 },
    { 2, { 4, 6 }, { 0, 1 }, 0 },
    FALSE,
    TRUE },
  { "subset",
    { 2, { 4, 6 }, { 6, 1 }, 0 },
    { 2, { 2, 6 }, { 12, 1 }, 0 },
    FALSE,
    TRUE },
  { "overhang",
    { 2, { 3, 6 }, { 4, 1 }, 0 },
    { 2, { 4, 4 }, { 4, 1 }, 0 },
    FALSE,
    FALSE },
  { "odd stride",
    { 1, { 4 }, { 5 }, 0 },
    { 2, { 6, 4 }, { 4, 1 }, 0 },
    FALSE,
    FALSE },
  { "before", { 1, { 4 }, { 1 }, 0 }, { 1, { 4 }, { 1 }, 2 }, FALSE, FALSE },
  { "overlap",
    { 1, { 6 }, { 1 }, 0 },
    { 2, { 3, 4 }, { 1, 1 }, 0 },
    FALSE,
    TRUE },
};

static void
test_epilogue (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (TpNest) producer = new_producer (&pairs[i].producer);
      g_autoptr (TpNest) consumer = new_consumer (&pairs[i].consumer);
      g_autoptr (TpNest) fused = tp_nest_fuse (producer, consumer, BETWEEN);

      g_test_message ("%s", pairs[i].name);
      g_assert_cmpint (fused != NULL, ==, pairs[i].fuses);
      if (fused != NULL)
        compare (producer, consumer, fused);
    }
}

static void
test_prologue (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (TpNest) producer = new_producer (&pairs[i].producer);
      g_autoptr (TpNest) consumer = new_consumer (&pairs[i].consumer);
      g_autoptr (TpNest) fused =
          tp_nest_fuse_prologue (producer, consumer, BETWEEN);

      g_test_message ("%s", pairs[i].name);
      g_assert_cmpint (fused != NULL, ==, pairs[i].fuses_prologue);
      if (fused != NULL)
        compare (producer, consumer, fused);
    }
}

static void
test_refuses_reduce (void)
{
  const Shape shape = { 2, { 4, 6 }, { 6, 1 }, 0 };
  g_autoptr (TpNest) producer = new_producer (&shape);
  g_autoptr (TpNest) consumer = new_consumer (&shape);

  consumer->axes[1].is_reduce = TRUE;
  g_assert_null (tp_nest_fuse (producer, consumer, BETWEEN));
  consumer->axes[1].is_reduce = FALSE;
  g_assert_null (tp_nest_fuse (producer, consumer, OTHER));
  producer->axes[1].is_reduce = TRUE;
  g_assert_null (tp_nest_fuse_prologue (producer, consumer, BETWEEN));
}

/* x * x reads one operand twice; two different views of it cannot be fused. */
static void
test_reads_twice (void)
{
  const Shape shape = { 2, { 4, 6 }, { 6, 1 }, 0 };
  g_autoptr (TpNest) producer = new_producer (&shape);
  g_autoptr (TpNest) consumer = new_consumer (&shape);
  g_autoptr (TpNest) fused = NULL;

  consumer->loads[1].operand = BETWEEN;
  fused = tp_nest_fuse (producer, consumer, BETWEEN);
  g_assert_nonnull (fused);
  g_assert_cmpint (fused->n_loads, ==, 1);
  compare (producer, consumer, fused);
  consumer->loads[1].stride[0] = 1;
  consumer->loads[1].stride[1] = 4;
  g_assert_null (tp_nest_fuse (producer, consumer, BETWEEN));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuse-nest/epilogue", test_epilogue);
  g_test_add_func ("/fuse-nest/prologue", test_prologue);
  g_test_add_func ("/fuse-nest/refuses-reduce", test_refuses_reduce);
  g_test_add_func ("/fuse-nest/reads-twice", test_reads_twice);
  return g_test_run ();
}
