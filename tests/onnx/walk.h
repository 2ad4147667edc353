/* walk.h: all tests on one device, each held apart from the others. */
#ifndef TP_TESTS_ONNX_WALK_H
#define TP_TESTS_ONNX_WALK_H

#include "tests/onnx/attempt.h"

typedef struct
{
  const char *device;
  GPtrArray *cases;           /* OnnxCase * (borrowed) */
  OnnxResult *results;        /* one per case; shared memory (owned) */
} OnnxWalk;

/* Tries every case in @n_workers child processes; a child that dies takes down
 * the case it was at and no other. Opens no device in this process. */
OnnxWalk *onnx_walk_new (const char *device, GPtrArray *cases, int n_workers);
void onnx_walk_free (OnnxWalk *walk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxWalk, onnx_walk_free)

int onnx_walk_count (const OnnxWalk *walk, OnnxOutcome outcome);
/* NULL: @device opens here; else why not. Caller frees. */
char *onnx_walk_find_obstacle (const char *device);

/* For people: outcomes by op and in total; with @is_verbose why. */
char *onnx_walk_to_table (const OnnxWalk *walk, gboolean is_verbose);
/* "tplan-onnx-backend/1" */
char *onnx_walks_to_json (OnnxWalk *const *walks, int n_walks);

#endif
