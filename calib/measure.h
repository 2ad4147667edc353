/* measure.h: what the child does: runs kernels and tells their times. */
#ifndef TP_CALIB_MEASURE_H
#define TP_CALIB_MEASURE_H

#include "calib/chain.h"
#include "calib/worker.h"

#define TP_MEASURE_ROUNDS_MIN 9 /* before figures can be settled */

/* Kinds of message, and what they carry. */
#define TP_MESSAGE_DEVICE 'd'   /* as tp_constants_read () wants it */
#define TP_MESSAGE_ENTRIES 'e'  /* TP_ENTRIES_TYPE */
#define TP_MESSAGE_PROGRESS 'p' /* "(is)": steps done since the last, what at */
#define TP_MESSAGE_FATAL 'f'    /* "(is)": TplanError, message */
#define TP_MESSAGE_CHANGED 'c'  /* "i": device is not the one it was */
#define TP_MESSAGE_WARN 'w'     /* "(is)": device, what to say of it */
#define TP_MESSAGE_ACCOUNT 'a'  /* "(iiiix)": samples, how many were disturbed,
                                 * taken while processors were apart, contended; how
                                 * many us all rounds took, of all devices */
#define TP_MESSAGE_WATTS 'j'    /* as tp_watts_read () wants it */
#define TP_MESSAGE_TRANSFERS 't' /* as tp_transfers_read () wants it */
#define TP_MESSAGE_SPEEDS 's'   /* as tp_interference_read () wants it */
#define TP_MESSAGE_GIVE_UP 'g'  /* "(is)": device, why its rest is left out */

/* device, key, state, n, min, median, mad, half, fma, stream, handover, crowding,
 * contention, schedule, reason */
#define TP_ENTRY_TYPE "(iiiixxxxxxxxxss)"
#define TP_ENTRIES_TYPE "a" TP_ENTRY_TYPE

typedef struct
{
  const char *name;
  const char *identity;       /* as when its constants were measured */
  gboolean is_host;
  TpFit to_device, to_host;   /* unless it is */
  TpArray *passes[TP_N_PASSES]; /* keys to run, in the order of the graph */
  gboolean *is_wanted;        /* per key: its time is wanted */
  char **schedules;           /* per key: the table's; NULL: none */
  int batch_max;              /* kernels to compile together */
  int compile_steps;          /* what one takes, in steps of progress */
} TpMeasureDevice;

typedef struct
{
  const TpGraph *graph;
  const TpKeys *keys;
  int n_threads;
  int n_candidates;           /* schedules to time of each kernel wanted, of which
                               * one is kept; 0: those that are close */
  TpProcessors least;         /* seen before; 0: none */
  gboolean is_relaxed;        /* among them those with larger errors */
  gboolean is_brief;          /* TP_MEASURE_ROUNDS_MIN, and little waiting */
  gboolean is_again;          /* another process has found all kernels right, and
                               * has some time for each */
  int n_devices;
  TpMeasureDevice *devices;
} TpMeasureJob;

/* TpWorker.work; @data: TpMeasureJob. */
void tp_measure_work (TpChannel *channel, gpointer data);

#endif
