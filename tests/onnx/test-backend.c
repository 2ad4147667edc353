/* test-backend.c: the tests of the ONNX project on every device: none fails, and
 * no fewer pass than did. Raise the floors when more do.
 *
 * On OpenCL the compiler of the driver takes most of a second per test, so one
 * test in eight is tried there; all of them with TPLAN_TEST_FULL=1, as `make
 * check-full` sets it. */
#include "config.h"

#include "tests/onnx/walk.h"

#include <string.h>

#define N_CASES 1072
#define FLOOR_REF 995
#define FLOOR_CPU 995
#define SAMPLE 8

static GPtrArray *cases;

/* Skips the test where nothing can be tried. */
static gboolean
is_ready (const char *device)
{
  g_autofree char *obstacle = NULL;

  if (cases->len == 0)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return FALSE;
    }
  obstacle = onnx_walk_find_obstacle (device);
  if (obstacle != NULL)
    g_test_skip (obstacle);
  return obstacle == NULL;
}

/* What it is to be like is of one shape in the model, of another in the file; or the
 * epsilon that results are of is not in the model; or they were drawn. */
static gboolean
is_wrong (const OnnxCase *onnx_case)
{
  static const char *const wrong[] = {
    "node/test_castlike*BFLOAT16*",     "node/test_bernoulli*",
    "node/test_training_dropout",       "node/test_training_dropout_default",
    "node/test_training_dropout_mask",  "node/test_training_dropout_default_mask",
    "node/test_adam_multiple",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    if (g_pattern_match_simple (wrong[i], onnx_case->name))
      return TRUE;
  return FALSE;
}

static void
check_none_is_bad (const OnnxWalk *walk)
{
  for (guint i = 0; i < walk->cases->len; i++)
    {
      const OnnxCase *onnx_case = walk->cases->pdata[i];
      const OnnxResult *result = &walk->results[i];

      if (result->outcome == ONNX_PASSED
          || result->outcome == ONNX_UNSUPPORTED || is_wrong (onnx_case))
        continue;
      g_test_message ("%s: %s: %s", onnx_case->name,
                      onnx_outcome_get_name (result->outcome),
                      result->reason);
      g_test_fail ();
    }
}

static void
check_device (const char *device, int floor)
{
  g_autoptr (OnnxWalk) walk = NULL;
  int n_passed;

  if (!is_ready (device))
    return;
  walk = onnx_walk_new (device, cases, g_get_num_processors ());
  n_passed = onnx_walk_count (walk, ONNX_PASSED);
  g_test_message ("%s: %d of %u passed, at least %d", device, n_passed,
                  cases->len, floor);
  check_none_is_bad (walk);
  g_assert_cmpint (n_passed, >=, floor);
}

static void
test_ref (void)
{
  check_device ("ref", FLOOR_REF);
}

static void
test_cpu (void)
{
  check_device ("cpu", FLOOR_CPU);
}

/* Devices run nests and know no op: what one can, so can the other. */
static void
check_same (const OnnxWalk *cpu, const OnnxWalk *opencl)
{
  for (guint i = 0; i < cpu->cases->len; i++)
    {
      const OnnxCase *onnx_case = cpu->cases->pdata[i];

      if ((cpu->results[i].outcome == ONNX_PASSED)
          == (opencl->results[i].outcome == ONNX_PASSED))
        continue;
      g_test_message ("%s: on cpu %s %s, on %s %s %s", onnx_case->name,
                      onnx_outcome_get_name (cpu->results[i].outcome),
                      cpu->results[i].reason, opencl->device,
                      onnx_outcome_get_name (opencl->results[i].outcome),
                      opencl->results[i].reason);
      g_test_fail ();
    }
}

static void
test_opencl (void)
{
  int step = g_getenv ("TPLAN_TEST_FULL") != NULL ? 1 : SAMPLE;
  g_autoptr (GPtrArray) sample = g_ptr_array_new ();
  g_autoptr (OnnxWalk) cpu = NULL, opencl = NULL;

  if (!is_ready ("cpu") || !is_ready ("opencl:0"))
    return;
  for (guint i = 0; i < cases->len; i += step)
    g_ptr_array_add (sample, cases->pdata[i]);
  cpu = onnx_walk_new ("cpu", sample, g_get_num_processors ());
  opencl = onnx_walk_new ("opencl:0", sample, g_get_num_processors ());
  g_test_message ("opencl:0: %d of %u passed",
                  onnx_walk_count (opencl, ONNX_PASSED), sample->len);
  check_none_is_bad (opencl);
  check_same (cpu, opencl);
  g_assert_cmpint (onnx_walk_count (opencl, ONNX_PASSED), >,
                   sample->len / 4);
}

/* Debian's package, version 1.12.0-2; another set has other floors. */
static void
test_count (void)
{
  if (cases->len == 0)
    g_test_skip ("libonnx-testdata is not installed");
  else
    g_assert_cmpint (cases->len, ==, N_CASES);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  cases = onnx_cases_list ();
  g_test_add_func ("/onnx/count", test_count);
  g_test_add_func ("/onnx/ref", test_ref);
  g_test_add_func ("/onnx/cpu", test_cpu);
  g_test_add_func ("/onnx/opencl", test_opencl);
  status = g_test_run ();
  g_ptr_array_unref (cases);
  return status;
}
