/* Families for weights of some bits: whatever they list, and whatever they find no
 * fault with, is right. */
#include "config.h"

#include "draws.h"
#include "kernel/kernel-text.h"
#include "nbits-nests.h"

#include <string.h>

static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                           &target_sse };

/* Weights of some bits: what is taken apart in registers, and what is made first. */
static void
test_right (void)
{
  int n = 0, n_made = 0, n_cut = 0;

  for (int i = 0; i < 30; i++)
    {
      n += check_alone (draw_reals (draw_nbits ()), vectors[i % 3], "unpack");
      n_made += check_alone (draw_reals (draw_made_nbits ()), vectors[i % 3],
                             "panels");
      n_cut += check_alone (draw_reals (draw_made_nbits ()), vectors[i % 3],
                            "parts");
    }
  g_assert_cmpint (n, >, 100);
  g_assert_cmpint (n_made, >, 60);
  g_assert_cmpint (n_cut, >, 30);
}

/* Whether the kernel of @c has dot products of bytes. */
static gboolean
has_dots (const NbitsCase *c)
{
  g_autoptr (TpLowered) lowered = new_nbits (c);
  g_autoptr (TpProgram) program
      = tp_program_new (lowered, &target_avx512, NULL, NULL);
  g_autofree char *text = tp_kernel_to_text (program->steps[0].kernel);

  g_assert_true (g_str_has_prefix (program->schedule, "unpack "));
  return strstr (text, "dot4") != NULL;
}

/* Of x in bytes: with dot products where blocks are fours of bytes the sums of which
 * float32 holds, and what else is drawn without. */
static void
test_rounded (void)
{
  NbitsCase c = { 1, 3, 128, 40, 4, 32, .has_zeros = TRUE, .is_rounded = TRUE };
  int n = 0;

  for (int i = 0; i < 40; i++)
    n += check_alone (draw_reals (draw_rounded_nbits ()), vectors[i % 3],
                      "unpack");
  g_assert_cmpint (n, >, 100);
  g_assert_true (has_dots (&c));
  c.rows = 40;
  c.has_zeros = FALSE;
  g_assert_true (has_dots (&c));
  c.bits = 8;
  c.k = c.block = 512;
  g_assert_true (has_dots (&c));
  c.k = c.block = 1024;
  c.rows = 3;
  g_assert_false (has_dots (&c));
  c.bits = 2;
  c.block = 8;
  g_assert_false (has_dots (&c));
}

/* Both sides are made in memory, and a contraction takes them: on GPUs, for many rows. */
static void
test_tiles (void)
{
  NbitsCase c = { 1, 48, 128, 40, 4, 32, .has_zeros = TRUE, .has_bias = TRUE,
                  .is_rounded = TRUE };
  g_autoptr (TpLowered) many = new_nbits (&c), few = NULL, one = NULL;
  g_autoptr (TpProgram) program = tp_program_new (many, &target_gpu, NULL, NULL);
  g_autofree char *rival = NULL, *none = NULL;
  int n = 0;

  for (int i = 0; i < 10; i++)
    {
      n += check_alone (draw_reals (draw_nbits ()), &target_gpu, "unpack-tiles");
      n += check_alone (draw_reals (draw_rounded_nbits ()), &target_gpu,
                        "unpack-tiles");
    }
  g_assert_cmpint (n, >, 20);
  g_assert_true (g_str_has_prefix (program->schedule, "unpack-tiles; "));
  g_assert_nonnull (strstr (program->schedule, "; contract-tiles "));
  check_program (many, program, run_by_interpreter);
  c.rows = 4;
  few = new_nbits (&c);
  rival = tp_program_find_rival (few, &target_gpu);
  g_assert_true (g_str_has_prefix (rival, "unpack-tiles; "));
  c.rows = 1;
  one = new_nbits (&c);
  none = tp_program_find_rival (one, &target_gpu);
  g_assert_true (none == NULL || !g_str_has_prefix (none, "unpack-tiles"));
}

/* What is no constant is not packed, so not read along its columns; GPUs have other
 * families. */
static void
test_none (void)
{
  NbitsCase c = { 1, 3, 32, 40, 4, 16, .is_computed = TRUE };

  g_assert_cmpint (check_alone (new_nbits (&c), &target_avx2, "unpack"), ==, 0);
  c.is_made_first = TRUE;
  g_assert_cmpint (check_alone (new_nbits (&c), &target_avx2, "panels"), ==, 0);
  c.is_computed = FALSE;
  g_assert_cmpint (check_alone (new_nbits (&c), &target_gpu, "panels"), ==, 0);
  g_assert_cmpint (check_alone (new_nbits (&c), &target_avx2, "panels"), >, 0);
}

/* The families take them, and scratch between the nests is none of the program. */
static void
test_taken (void)
{
  NbitsCase c = { 1, 2, 64, 40, 4, 16, .has_zeros = TRUE };

  for (int is_made_first = 0; is_made_first < 2; is_made_first++)
    {
      g_autoptr (TpLowered) lowered = NULL;
      g_autoptr (TpProgram) program = NULL;

      c.is_made_first = is_made_first;
      lowered = new_nbits (&c);
      program = tp_program_new (lowered, &target_avx2, NULL, NULL);
      g_assert_true (g_str_has_prefix (program->schedule,
                                       is_made_first ? "panels " : "unpack "));
      g_assert_cmpint (program->n_steps, ==, 1);
      for (int i = 0; i < program->n_workspaces; i++)
        g_assert_cmpint (program->workspace_bytes[i], ==, 0);
      /* bytes, scales and zeros: makers share them */
      g_assert_cmpint (program->n_packs, ==, 3);
    }
}

/* Parts of K, one block and more: panels of each are made of its weights alone. */
static void
test_parts (void)
{
  NbitsCase c = { 2, 5, 96, 40, 4, 16, .has_zeros = TRUE, .has_bias = TRUE,
                  .is_made_first = TRUE };

  for (int i = 0; i < 3 * 4; i++)
    {
      static const int parts[] = { 2, 3, 6, 4 };
      g_autofree char *text = g_strdup_printf ("parts n=%d", parts[i / 3]);
      gboolean is_whole = 96 / parts[i / 3] % 16 == 0; /* blocks */
      g_autoptr (TpLowered) lowered = new_nbits (&c);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, vectors[i % 3], text, &error);

      g_assert_no_error (error);
      g_assert_true (is_whole == (strstr (program->schedule, "; panels ")
                                  != NULL));
      check_program (lowered, program, run_by_interpreter);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nbits/right", test_right);
  g_test_add_func ("/nbits/rounded", test_rounded);
  g_test_add_func ("/nbits/tiles", test_tiles);
  g_test_add_func ("/nbits/none", test_none);
  g_test_add_func ("/nbits/taken", test_taken);
  g_test_add_func ("/nbits/parts", test_parts);
  return g_test_run ();
}
