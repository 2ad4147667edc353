/* share-model.h: the costs of placements on several devices as a sum of terms, and
 * what of each term ops answer for.
 *
 * A term is a tensor, of which copies are paid; a group, which gains where it is
 * whole on one device; or, where memory has a price, the bytes of a tensor that any
 * of some ops holds on a device when an op begins. Each of its members (the readers
 * of the tensor, the ops of the group, those that hold the bytes) has a row of
 * messages, one for each device; the op that makes the tensor has credits. Messages
 * are added to what the op costs there and taken off the term, so that what
 * placements cost stays what it is; the sum of all least parts is a lower bound of
 * it.
 *
 * Of ops that are to be on one device the first, their lead, stands for all: it has
 * what they cost, it is the maker and the member in their place, and the others have
 * to do with nothing. */
#ifndef TP_PLANNER_SHARE_MODEL_H
#define TP_PLANNER_SHARE_MODEL_H

#include "ir/share-proof.h"
#include "planner/limit-held.h"

#define TP_SHARE_MAX_DEVICES 6 /* sets of devices are looked at one by one */
/* With sums of all costs below that, no sum of messages overflows. */
#define TP_SHARE_LIMIT (G_GINT64_CONSTANT (1) << 52)
#define TP_SHARE_MAX_UNIT 256

enum
{
  TP_SHARE_ON = 1,
  TP_SHARE_BACK = 2,
};

typedef struct
{
  char kind;                  /* as in TpShareRow */
  int index, row;
  gint64 bytes;               /* 'm': to be paid for */
  int maker;                  /* op; -1: the caller, or none */
  int first, n;               /* rows of its members, by op, but for the maker */
  guint kept;                 /* set of devices that have a copy whoever reads */
  gsize prices;               /* in @prices: tensor: [from * n_devices + to], from
                               * the caller only [to]; bytes: [to]; group:
                               * [device], gains */
} TpShareTerm;

typedef struct
{
  int op, term;
} TpShareMember;

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  int n_devices, n_ops;
  int *leads;                 /* [op]: its lead; itself, where it is with none */
  gint64 unit;                /* all figures here are multiplied by it */
  guint n_sets;               /* 2 to the number of devices */
  TpArray *terms;             /* TpShareTerm */
  TpArray *members;           /* TpShareMember */
  TpArray *prices;            /* gint64 */
  int *firsts, *parts;        /* [op], into the other: terms it has to do with:
                               * n: member n; -1 - t: maker of term t */
  guint8 *ways;               /* [place in @parts]: whether that term has ops after this
                               * one, and before it */
  int *n_on, *n_back;         /* [op]: how many have */
  gint64 *own;                /* [op * n_devices + device]: alone */
  gint64 max_price;           /* of 2^30 bytes: with it all bytes there are cost no
                               * more than all else may */
  gint64 work;                /* done so far, in messages looked at */
} TpShareModel;

/* %NULL: TPLAN_ERROR_LIMIT: costs too large for so many devices. */
TpShareModel *tp_share_model_new (const TpProblem *problem, GError **error);
/* The same, with prices (TpMemoryPrice) on what is held, which may be changed later. The finer
 * the unit, the less may prices come to. */
TpShareModel *tp_share_model_new_priced (const TpProblem *problem,
                                         const TpLimitHeld *held,
                                         const TpArray *prices,
                                         gint64 max_unit, GError **error);
void tp_share_model_set_price (TpShareModel *model, int row,
                               const TpMemoryPrice *price);
void tp_share_model_free (TpShareModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpShareModel, tp_share_model_free)

static inline const TpShareTerm *
tp_share_model_get_term (const TpShareModel *model, int term)
{
  return &tp_array_index (model->terms, TpShareTerm, term);
}

/* The op of a member. */
static inline int
tp_share_model_get_op (const TpShareModel *model, int member)
{
  return tp_array_index (model->members, TpShareMember, member).op;
}

/* What copies of the tensor of @term cost when it is made on @from and @set has
 * those who read it; @from: ignored where the caller has it. */
gint64 tp_share_model_price (const TpShareModel *model,
                             const TpShareTerm *term, int from, guint set);

/* The same for all sets: [set]. */
void tp_share_model_list_prices (const TpShareModel *model,
                                 const TpShareTerm *term, int from,
                                 gint64 *out);
/* For all sets of one device: [device]. */
void tp_share_model_list_single (const TpShareModel *model,
                                 const TpShareTerm *term, int from,
                                 gint64 *out);

/* In @devices, one an op: what goes with a lead is where that is. */
void tp_share_model_spread (const TpShareModel *model, guint8 *devices);
/* What a term costs in a placement; @devices: one an op, of leads at least. */
gint64 tp_share_model_term_cost (const TpShareModel *model, int term,
                                 const guint8 *devices);
/* What a placement costs, not multiplied. */
gint64 tp_share_model_cost (const TpShareModel *model, const guint8 *devices);

#endif
