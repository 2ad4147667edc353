/* buffers.c: a model in memory, run on memory of the caller's own.
 *
 *   cc buffers.c $(pkg-config --cflags --libs tplan) -o buffers
 *   ./buffers model.onnx [DEVICE...]
 *
 * Inputs and outputs of a session may lie anywhere: here one block that is mapped
 * has all of them, one after the other, as memory shared between processes would. A
 * run reads and writes them in place where its device works in host memory. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <tplan.h>

#define ALIGN 64              /* good for vectors; anything works */

/* Where each tensor begins in a block from @at on; the end of the last. */
static gsize
lay_out (const TplanTensor *tensors, int n, gsize at, gsize *offsets)
{
  for (int i = 0; i < n; i++)
    {
      offsets[i] = (at + ALIGN - 1) / ALIGN * ALIGN;
      at = offsets[i] + (gsize) tensors[i].size_bytes;
    }
  return at;
}

static gboolean
run_in_block (const TplanPlan *plan, GError **error)
{
  const TplanGraph *graph = tplan_plan_get_graph (plan);
  int n_in, n_out;
  const TplanTensor *in = tplan_graph_get_inputs (graph, &n_in);
  const TplanTensor *out = tplan_graph_get_outputs (graph, &n_out);
  g_autofree gsize *offsets = g_new (gsize, n_in + n_out);
  gsize size = lay_out (out, n_out, lay_out (in, n_in, 0, offsets),
                        offsets + n_in);
  g_autofree void **arrays = g_new (void *, n_in + n_out);
  g_autoptr (TplanSession) session = tplan_session_new (plan, 0, error);
  gboolean is_good;
  char *block;

  if (session == NULL)
    return FALSE;
  block = (char *) mmap (NULL, size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block == (char *) MAP_FAILED)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "%" G_GSIZE_FORMAT " bytes cannot be mapped", size);
      return FALSE;
    }
  for (int i = 0; i < n_in + n_out; i++)
    arrays[i] = block + offsets[i];
  is_good = tplan_session_run (session, (const void *const *) arrays,
                               arrays + n_in, error);
  if (is_good)
    printf ("%d tensors in one block of %" G_GSIZE_FORMAT " bytes\n",
            n_in + n_out, size);
  munmap (block, size);
  return is_good;
}

static gboolean
plan_and_run (const char *path, const char *const *devices, GError **error)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
  g_autoptr (GBytes) bytes
      = file == NULL ? NULL : g_mapped_file_get_bytes (file);
  g_autoptr (TplanGraph) graph
      = bytes == NULL ? NULL : tplan_graph_new_from_bytes (bytes, NULL, error);
  g_autoptr (TplanCosts) costs
      = graph == NULL ? NULL : tplan_costs_open (NULL, devices, 0, error);
  g_autoptr (TplanPlan) plan
      = costs == NULL ? NULL : tplan_graph_optimize (graph, costs, NULL, error);

  return plan != NULL && run_in_block (plan, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (argc < 2)
    {
      fprintf (stderr, "usage: %s MODEL [DEVICE...]\n", argv[0]);
      return 2;
    }
  if (plan_and_run (argv[1], argc > 2 ? (const char *const *) argv + 2 : NULL,
                    &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
