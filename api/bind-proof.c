/* bind-proof.c: see bind-proof.h.
 *
 * There are three parts: the proof, what a run takes, and the digest of the costs. A
 * thread begins with the proof; the other two fall to whoever is done first, the longer
 * one before the other. */
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

static void
count (gpointer data)
{
  TpBindProof *proof = data;

  tp_plan_count_memory (&proof->counted, proof->graph);
}

/* Made again, where memory ran out on the way. */
static void
prove (gpointer data)
{
  TpBindProof *proof = data;

  g_ptr_array_set_size (proof->faults, 0);
  tp_check_undigested (proof->unproved, proof->graph, proof->faults);
  if (proof->faults->len == 0)
    tp_beside_help (&proof->counting);
  tp_check_digest (proof->unproved, tp_checker_digest_end (&proof->digest),
                   proof->faults);
}

void
tp_bind_proof_begin (TpBindProof *proof, const TpPlan *plan,
                     const TpPlan *unproved, const TpGraph *graph)
{
  gboolean is_long = graph->n_nodes >= TP_BIND_MANY_NODES;

  *proof = (TpBindProof){ .counted = borrow_plan (plan),
                          .unproved = unproved,
                          .graph = graph };
  proof->counted.peak_bytes = proof->counted.weight_bytes = NULL;
  proof->faults = g_ptr_array_new_with_free_func (g_free);
  tp_beside_begin (&proof->counting, count, proof, "to check a plan",
                   is_long && unproved == NULL);
  if (unproved == NULL)
    return;
  tp_checker_digest_begin (&proof->digest, unproved->costs, TRUE);
  tp_beside_begin (&proof->beside, prove, proof, "to check a plan", is_long);
}

/* Steps of a schedule are not to be followed before it is known to be one. */
void
tp_bind_proof_help (TpBindProof *proof)
{
  if (proof->unproved == NULL)
    return;
  if (proof->unproved->span_proof == NULL)
    tp_beside_help (&proof->counting);
  tp_checker_digest_help (&proof->digest);
}

void
tp_bind_proof_end (TpBindProof *proof)
{
  if (proof->unproved != NULL && !tp_beside_end (&proof->beside, NULL))
    prove (proof);
  if (proof->faults->len == 0 && !tp_beside_end (&proof->counting, NULL))
    count (proof);
}

void
tp_bind_proof_clear (TpBindProof *proof)
{
  tp_beside_clear (&proof->beside);
  tp_beside_clear (&proof->counting);
  tp_checker_digest_clear (&proof->digest);
  g_clear_pointer (&proof->counted.peak_bytes, g_free);
  g_clear_pointer (&proof->counted.weight_bytes, g_free);
  g_clear_pointer (&proof->faults, g_ptr_array_unref);
}
