/* mutations-ends.h: what proofs of what fits say of shares and prices, to be spoilt. */
#ifndef TP_TESTS_MUTATIONS_ENDS_H
#define TP_TESTS_MUTATIONS_ENDS_H

#include "mix-case.h"
#include "mutations.h"

/* What two kinds of records say alike: a share of a cut, or a row of shares. */
typedef struct
{
  TpArray *prices;            /* TpMemoryPrice: of its bound */
  TpArray *all;               /* what it is one of, there */
  gpointer record;            /* itself: of @bound a TpMemoryShare, of @proof a TpShareRow */
  char *kind;
  int *index, *row, *op;
  const TpMixPart *part;
  TpMemoryBound *bound;       /* of two devices */
  TpShareProof *proof;        /* of more */
} TpTestEndsShare;

/* The first whose kind is in @kinds. FALSE: there is none. */
gboolean tp_test_ends_find (const TpMix *mix, const char *kinds,
                            TpTestEndsShare *out);

static inline TpRoomEnds *
tp_test_ends_get (const TpMix *mix)
{
  return mix->proof->room->ends;
}

/* A mutation: what is found is changed so. */
#define TP_TEST_SPOIL_FOUND(name, type, find, change)                          \
  static gboolean name (TpMix *mix)                                            \
  {                                                                            \
    type *it = find;                                                           \
                                                                               \
    if (it != NULL)                                                            \
      it->change;                                                              \
    return it != NULL;                                                         \
  }

#endif
