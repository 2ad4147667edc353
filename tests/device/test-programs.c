/* test-programs.c: units made into programs are what each would be alone, whoever
 * makes them; those that compute the same have one. */
#include "config.h"

#include "kernel/kernel-text.h"
#include "runtime/kernel-programs.h"

#include <string.h>

#define N_UNITS 60
#define N_KINDS 40            /* units differ by their extents alone */
#define N_THREADS 4

static const TpTarget target = { 8, 16, 32 << 10, 512 << 10, 1, 1, 256 << 10, TRUE, FALSE };

/* y = x + 1 */
static TpLowered *
make_lowered (gint64 extent)
{
  TpLowered *lowered = tp_lowered_new ();
  TpOperand x = { .tensor = -1, .dtype = TPLAN_DTYPE_FLOAT32,
                  .n_elements = extent };
  TpOperand y = x;
  TpNest *nest = tp_nest_new ();
  TpAccess *load = tp_nest_add_load (nest, 0);

  y.is_output = TRUE;
  tp_lowered_add_operand (lowered, &x);
  tp_lowered_add_operand (lowered, &y);
  tp_nest_add_axis (nest, extent, FALSE);
  load->dtype = nest->store.dtype = TPLAN_DTYPE_FLOAT32;
  load->stride[0] = nest->store.stride[0] = 1;
  nest->store.operand = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 0),
                                 tp_nest_const (nest, 1.0));
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

typedef struct
{
  TpUnit wanted[N_UNITS];
  TpKernelUnit units[N_UNITS];
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  *f = (Fixture){ .wanted = { { .lowered = NULL } } };
  for (int i = 0; i < N_UNITS; i++)
    f->wanted[i].lowered = make_lowered (16 + 3 * (i % N_KINDS));
}

static void
clear_units (Fixture *f)
{
  for (int i = 0; i < N_UNITS; i++)
    {
      tp_kernel_unit_clear (&f->units[i]);
      f->units[i] = (TpKernelUnit){ .graph = NULL };
    }
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  clear_units (f);
  for (int i = 0; i < N_UNITS; i++)
    tp_lowered_free ((TpLowered *) f->wanted[i].lowered);
}

static gboolean
make (Fixture *f, int n_threads, GError **error)
{
  const TpKernelUnits wanted = { f->wanted, N_UNITS, &target, n_threads };

  return tp_kernel_programs_make (&wanted, f->units, error);
}

static void
assert_equal (const TpProgram *a, const TpProgram *b)
{
  g_assert_cmpstr (a->schedule, ==, b->schedule);
  g_assert_cmpint (a->n_steps, ==, b->n_steps);
  for (int i = 0; i < a->n_steps; i++)
    {
      g_autofree char *first = tp_kernel_to_text (a->steps[i].kernel);
      g_autofree char *second = tp_kernel_to_text (b->steps[i].kernel);

      g_assert_cmpstr (first, ==, second);
    }
}

static void
test_alone (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean is_made = make (f, GPOINTER_TO_INT (data), &error);

  g_assert_no_error (error);
  g_assert_true (is_made);
  for (int i = 0; i < N_UNITS; i++)
    {
      g_autoptr (TpProgram) alone
          = tp_program_new (f->wanted[i].lowered, &target, NULL, NULL);

      g_assert_nonnull (alone);
      assert_equal (f->units[i].program, alone);
      g_assert_cmpint (f->units[i].same_as, ==,
                       i < N_KINDS ? -1 : i - N_KINDS);
      if (i >= N_KINDS)
        g_assert_true (f->units[i].program == f->units[i - N_KINDS].program);
    }
}

/* Another schedule makes it another kind. */
static void
test_schedule (Fixture *f, gconstpointer data)
{
  g_autoptr (TpProgram) model
      = tp_program_new (f->wanted[0].lowered, &target, NULL, NULL);
  g_autoptr (GError) error = NULL;
  gboolean is_made;

  f->wanted[N_KINDS].schedule = model->schedule;
  is_made = make (f, N_THREADS, &error);
  g_assert_no_error (error);
  g_assert_true (is_made);
  g_assert_cmpint (f->units[N_KINDS].same_as, ==, -1);
  assert_equal (f->units[N_KINDS].program, f->units[0].program);
}

/* Of several the first, whoever comes to it. */
static void
test_misfit (Fixture *f, gconstpointer data)
{
  for (int i = 0; i < 20; i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_made;

      f->wanted[30].schedule = "no family of ours";
      f->wanted[31].schedule = "nor is this";
      is_made = make (f, N_THREADS, &error);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_false (is_made);
      g_assert_nonnull (strstr (error->message, "no family of ours"));
      clear_units (f);
    }
}

#define ADD(name, threads, test) \
  g_test_add ("/programs/" name, Fixture, GINT_TO_POINTER (threads), set_up, \
              test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("alone/1", 1, test_alone);
  ADD ("alone/4", N_THREADS, test_alone);
  ADD ("schedule", N_THREADS, test_schedule);
  ADD ("misfit", N_THREADS, test_misfit);
  return g_test_run ();
}
