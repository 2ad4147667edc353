/* ledger.h: what sessions take of the memory of the devices that they share, and how much
 * they may take together. */
#ifndef TP_RUNTIME_LEDGER_H
#define TP_RUNTIME_LEDGER_H

#include "ir/costs.h"

typedef struct TpLedger TpLedger;

/* @limits, @reserves: [row] (ir/pools.h): as in a plan; @reserves: (nullable). Keeps a ref
 * on @costs. */
TpLedger *tp_ledger_new (TpCosts *costs, const gint64 *limits,
                         const gint64 *reserves);
TpLedger *tp_ledger_ref (TpLedger *ledger);
void tp_ledger_unref (TpLedger *ledger); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLedger, tp_ledger_unref)

/* What one session takes, [device] of the costs. */
typedef struct
{
  gint64 *used;               /* bytes */
  gint64 *foretold;           /* of that the arenas of one run and weights: what plans
                               * foretell; below TP_LEDGER_MOST */
} TpLedgerEntry;

#define TP_LEDGER_MOST (G_GINT64_CONSTANT (1) << 52)

void tp_ledger_entry_clear (TpLedgerEntry *entry);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLedgerEntry, tp_ledger_entry_clear)

/* Of a row that is too small: what all sessions take there. */
typedef struct
{
  int row;
  gint64 used_bytes;
  gint64 others_bytes;        /* of that, of who was there before */
  gint64 plan_bytes;          /* of that, what plans foretell */
  gint64 allowed_bytes;       /* limit and reserve */
  gint64 reserve_bytes;
} TpLedgerExcess;

/* FALSE: @entry is too much beside what there is, and is not written down. Thread: any. */
gboolean tp_ledger_enter (TpLedger *ledger, const TpLedgerEntry *entry,
                          TpLedgerExcess *out_excess);
/* Once memory is given back. Thread: any. */
void tp_ledger_leave (TpLedger *ledger, const TpLedgerEntry *entry);

#endif
