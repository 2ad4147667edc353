/* recurrent.h: what RNN, GRU and LSTM share. Private to the files
 * op-recurrent* and recurrent-*. */
#ifndef TP_OPS_RECURRENT_H
#define TP_OPS_RECURRENT_H

#include "ops/op-util.h"

#define TP_RECURRENT_MAX_GATES 4
#define TP_RECURRENT_MAX_FUNCTIONS 3 /* f, g, h */

/* The inputs of all three; the last two are LSTM's. */
enum
{
  TP_RECURRENT_X,
  TP_RECURRENT_W,
  TP_RECURRENT_R,
  TP_RECURRENT_B,
  TP_RECURRENT_LENGTHS,
  TP_RECURRENT_H,
  TP_RECURRENT_C,
  TP_RECURRENT_P,
};

enum
{
  TP_RECURRENT_OUT_Y,
  TP_RECURRENT_OUT_H,
  TP_RECURRENT_OUT_C,
};

/* ---- functions ----------------------------------------------------------- */

typedef struct TpActivationKind TpActivationKind;

typedef struct
{
  const TpActivationKind *kind;
  double alpha, beta;
} TpActivation;

/* ---- shapes -------------------------------------------------------------- */

typedef struct TpCellRun TpCellRun;           /* recurrent-reference.c */
typedef struct TpCellLowering TpCellLowering; /* recurrent-lower.c */

/* The data of the records of all three. */
typedef struct
{
  int n_gates;
  int n_functions;
  const char *usual[TP_RECURRENT_MAX_FUNCTIONS];
  gboolean has_reset;         /* a gate that resets the state */
  gboolean has_memory;        /* C, besides the state H */
  void (*run) (TpCellRun *run, gint64 step);
  void (*lower) (const TpCellLowering *lowering); /* one step */
} TpCellKind;

typedef struct
{
  const TpCellKind *kind;
  int n_directions;
  gboolean is_reverse[2];
  gboolean is_batch_first;    /* layout 1 */
  gint64 n_steps, n_batch, n_inputs, n_hidden;
  double clip;                /* INFINITY: none */
  gboolean is_input_forget;   /* LSTM: forget gate = 1 - input gate */
  gboolean is_reset_after;    /* GRU: linear_before_reset */
  TpActivation functions[2][TP_RECURRENT_MAX_FUNCTIONS];
} TpRecurrent;

/* From the attributes and the dimensions of X and R. */
gboolean tp_recurrent_init (TpRecurrent *self, const TpNode *node,
                            const gint64 *x, const gint64 *r, GError **error);

#endif
