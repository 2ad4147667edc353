/* mix-case.h: random graphs that are run side by side, and ways to spoil what was
 * planned for them. */
#ifndef TP_TESTS_MIX_CASE_H
#define TP_TESTS_MIX_CASE_H

#include "ir/mix.h"
#include "random-graph.h"

/* A mutation of one step: @change, of @mix. */
#define TP_TEST_SPOIL_MIX(name, change) \
  static gboolean name (TpMix *mix) \
  { \
    change; \
    return TRUE; \
  }
/* The same where @change says whether there was anything to change. */
#define TP_TEST_SPOIL_MIX_IF(name, change) \
  static gboolean name (TpMix *mix) \
  { \
    return change; \
  }

#define TP_TEST_MIX_PARTS 3
#define TP_TEST_MIX_DEVICES 4
#define TP_TEST_MIX_ENGINES (3 * TP_TEST_MIX_DEVICES)

typedef struct
{
  int n_parts;
  TpTestCase *parts[TP_TEST_MIX_PARTS];
} TpTestMixCase;

typedef struct
{
  int n_parts, n_ops;         /* of all together, about */
  int n_devices;
  int host;
  gboolean has_no_groups;     /* so that all can be spelled out */
  gboolean is_same;           /* all devices are the processors of the host */
} TpTestMixSpec;

/* From GTest's random numbers, as all that is drawn: for two devices. */
TpTestMixSpec tp_test_mix_spec_draw (int n_ops);
TpTestMixCase *tp_test_mix_case_new (const TpTestMixSpec *spec);
void tp_test_mix_case_free (TpTestMixCase *test);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTestMixCase, tp_test_mix_case_free)

/* With plans of their own for each, and rates of @n_runs in a second: [part]. */
TpMix *tp_test_mix_new (const TpTestMixCase *test, const gint64 *n_runs);
/* The same, placed: rates are such that they can be kept. */
TpMix *tp_test_mix_place (const TpTestMixCase *test, const gint64 *n_runs);

/* All tensors are so many times as large, which leaves little to how they are aligned. */
void tp_test_mix_enlarge (TpTestMixCase *test, gint64 times);
/* Within limits that bind, with a proof of what fits; of so many devices, of a case of two
 * parts and more. NULL: these do not bind, or nothing fits. */
TpMix *tp_test_mix_place_tight (int n_devices, int round);

/* [part] */
void tp_test_mix_draw_rates (gint64 *n_runs);
/* The test fails if @mix is not valid. */
void tp_test_mix_check (const TpMix *mix);
/* What the busiest engine carries of @loads. */
gint64 tp_test_mix_find_most (const TpTestMixCase *test, const gint64 *loads);

typedef struct
{
  const char *name;
  gboolean (*mutate) (TpMix *mix); /* FALSE: there is nothing to change so */
} TpTestMixMutation;

/* Ends with a NULL name. */
extern const TpTestMixMutation tp_test_mix_mutations[];
/* Of the proof of what fits: of its tree and what else all have, of shares and prices, and those
 * of two devices alone, of more alone. The checker in Python sees none of the first so many, which
 * no file says, or which are about how arenas are laid out. */
extern const TpTestMixMutation tp_test_ends_tree_mutations[];
#define TP_TEST_ENDS_TREE_ALONE 6
extern const TpTestMixMutation tp_test_ends_mutations[];
extern const TpTestMixMutation tp_test_cut_ends_mutations[];
#define TP_TEST_CUT_ENDS_ALONE 3
extern const TpTestMixMutation tp_test_shared_ends_mutations[];
#define TP_TEST_SHARED_ENDS_ALONE 5

#endif
