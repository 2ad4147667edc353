/* bind-proof.c: see bind-proof.h.
 *
 * What a run takes is counted after the proof, since a plan that is none may not be
 * laid out at all. Only then the digest of the costs is asked for, by when it was
 * computed beside, if there was time for it. */
#include "config.h"

#include "api/bind-proof.h"

#include "ir/plan-memory.h"
#include "planner/check/check.h"

#include <string.h>

/* A plan to work in, which owns nothing: all of @plan but the counter of its
 * references, which other threads change. */
static TpPlan
borrow_plan (const TpPlan *plan)
{
  gsize skipped = G_STRUCT_OFFSET (TpPlan, ref_count) + sizeof plan->ref_count;
  TpPlan copy = { 0 };

  memcpy ((char *) &copy + skipped, (const char *) plan + skipped,
          sizeof copy - skipped);
  return copy;
}

/* Made again, where memory ran out on the way. */
static void
prove_and_count (gpointer data)
{
  TpBindProof *proof = data;

  g_ptr_array_set_size (proof->faults, 0);
  if (proof->unproved == NULL
      || tp_check_undigested (proof->unproved, proof->graph, proof->faults))
    tp_plan_count_memory (&proof->counted, proof->graph);
  if (proof->unproved != NULL)
    tp_check_digest (proof->unproved, tp_checker_digest_end (&proof->digest),
                     proof->faults);
}

void
tp_bind_proof_begin (TpBindProof *proof, const TpPlan *plan,
                     const TpPlan *unproved, const TpGraph *graph)
{
  *proof = (TpBindProof){ .counted = borrow_plan (plan),
                          .unproved = unproved,
                          .graph = graph };
  proof->counted.peak_bytes = proof->counted.weight_bytes = NULL;
  proof->faults = g_ptr_array_new_with_free_func (g_free);
  if (unproved != NULL)
    tp_checker_digest_begin (&proof->digest, unproved->costs, TRUE);
  tp_beside_begin (&proof->beside, prove_and_count, proof, "to check a plan",
                   graph->n_nodes >= TP_BIND_MANY_NODES);
}

void
tp_bind_proof_help (TpBindProof *proof)
{
  if (proof->unproved != NULL)
    tp_checker_digest_help (&proof->digest);
}

void
tp_bind_proof_end (TpBindProof *proof)
{
  if (!tp_beside_end (&proof->beside, NULL))
    prove_and_count (proof);
}

void
tp_bind_proof_clear (TpBindProof *proof)
{
  tp_beside_clear (&proof->beside);
  tp_checker_digest_clear (&proof->digest);
  g_clear_pointer (&proof->counted.peak_bytes, g_free);
  g_clear_pointer (&proof->counted.weight_bytes, g_free);
  g_clear_pointer (&proof->faults, g_ptr_array_unref);
}
