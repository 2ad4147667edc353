/* tplan.h: place a tensor graph on the devices of one machine, and run it.
 *
 *   TplanGraph *graph = tplan_graph_load ("model.onnx", NULL, &error);
 *   TplanCosts *costs = tplan_costs_open (NULL, NULL, 0, &error);
 *   TplanPlan *plan = tplan_graph_optimize (graph, costs, NULL, &error);
 *   TplanSession *session = tplan_session_new (plan, 0, &error);
 *   tplan_session_run (session, inputs, outputs, &error);
 *
 * Every function that can fail for a reason outside the program takes a
 * #GError last and reports in the domain #TPLAN_ERROR. The library never
 * prints, exits, or changes the process. Times are nanoseconds, sizes bytes.
 * "Thread: any" means any thread at any time; "one at a time" that calls with
 * the same object must not overlap.
 *
 * Contents, each from the simplest call on; what a call takes or gives stands
 * before it:
 *   versions        of the header and of the library
 *   errors          what each code asks of you
 *   types           the objects, element types, following calls that take long
 *   graphs          tplan_graph_load: read a model, ask what it wants and gives
 *   costs           tplan_costs_open: what is known of the devices; calibrate them
 *   plans           tplan_graph_optimize: place the ops; save, load, check, ask
 *   sessions        tplan_session_new: run a plan; states, times, runs in flight
 *   several graphs  tplan_mix_optimize: models that share the devices */
#ifndef TPLAN_H
#define TPLAN_H

#include <glib.h>

G_BEGIN_DECLS

/* ---- versions ------------------------------------------------------------- */

/* Of the header; of the library that runs: tplan_version_get(). */
#define TPLAN_VERSION_MAJOR 0
/* Likewise. */
#define TPLAN_VERSION_MINOR 1
/* Likewise. */
#define TPLAN_VERSION_MICRO 0
/* All three. */
#define TPLAN_VERSION "0.1.0"

/* Rises with every version: three digits each for minor and micro. */
#define TPLAN_VERSION_NUMBER                                                  \
  (TPLAN_VERSION_MAJOR * 1000000 + TPLAN_VERSION_MINOR * 1000                 \
   + TPLAN_VERSION_MICRO)

/* Whether the header is of that version or of a later one. */
#define TPLAN_CHECK_VERSION(major, minor, micro)                              \
  (TPLAN_VERSION_MAJOR > (major)                                              \
   || (TPLAN_VERSION_MAJOR == (major)                                         \
       && (TPLAN_VERSION_MINOR > (minor)                                      \
           || (TPLAN_VERSION_MINOR == (minor)                                 \
               && TPLAN_VERSION_MICRO >= (micro)))))

/**
 * tplan_version_get:
 * @out_major: (out) (nullable): the first number
 * @out_minor: (out) (nullable): the second
 * @out_micro: (out) (nullable): the third
 *
 * Of the library, which may be another than the header that a program was built
 * with.
 *
 * Returns: (transfer none): all three, as "0.1.0".
 *
 * Thread: any.
 */
const char *tplan_version_get (int *out_major, int *out_minor, int *out_micro);

/* ---- errors --------------------------------------------------------------- */

/* The domain of all errors of tplan. */
#define TPLAN_ERROR (tplan_error_quark ())

/**
 * tplan_error_quark:
 *
 * Returns: the domain of all errors of tplan; its codes are #TplanError.
 *
 * Thread: any.
 */
GQuark tplan_error_quark (void);

/**
 * TplanError:
 * @TPLAN_ERROR_FAILED: the system refused something, or tplan finds a mistake of
 *   its own; the message says what
 * @TPLAN_ERROR_USAGE: a call or command line that cannot be meant: read the
 *   documentation of the call
 * @TPLAN_ERROR_INPUT: a file is malformed or inconsistent: mend the file at the
 *   place named
 * @TPLAN_ERROR_UNSUPPORTED: valid, but outside what tplan knows: see `tplan ops`
 * @TPLAN_ERROR_LIMIT: no plan meets a limit: raise the limit or cut the batch
 * @TPLAN_ERROR_INFEASIBLE: pins or missing support leave an op no device
 * @TPLAN_ERROR_MEMORY: memory for tensors, or for a model of its size, could not be
 *   had: free some
 * @TPLAN_ERROR_DEVICE: a device is absent, lost or failed: see `tplan devices`
 * @TPLAN_ERROR_STALE: calibration is missing or for another machine: run
 *   `tplan calibrate`
 * @TPLAN_ERROR_BUSY: another process holds the cost table: try again
 * @TPLAN_ERROR_INTERRUPTED: stopped on request; what was done is kept
 *
 * What failed, and so what to do.
 */
typedef enum
{
  TPLAN_ERROR_FAILED,
  TPLAN_ERROR_USAGE,
  TPLAN_ERROR_INPUT,
  TPLAN_ERROR_UNSUPPORTED,
  TPLAN_ERROR_LIMIT,
  TPLAN_ERROR_INFEASIBLE,
  TPLAN_ERROR_MEMORY,
  TPLAN_ERROR_DEVICE,
  TPLAN_ERROR_STALE,
  TPLAN_ERROR_BUSY,
  TPLAN_ERROR_INTERRUPTED,
} TplanError;

/* ---- types ---------------------------------------------------------------- */

/* A model with all its shapes known. Never changes. */
typedef struct TplanGraph TplanGraph;
/* Devices of this machine and what is known of their speed. */
typedef struct TplanCosts TplanCosts;
/* Which device runs each op, what that costs, and the proof. Never changes. */
typedef struct TplanPlan TplanPlan;
/* A plan compiled, with its memory: ready to run. */
typedef struct TplanSession TplanSession;
/* A run of a session that was submitted and goes on by itself. */
typedef struct TplanRun TplanRun;
/* Plans of several graphs that share the devices of one machine, each run at a rate
 * of its own. Never changes. */
typedef struct TplanMix TplanMix;

/* Types of elements; numpy's, in the byte order of the machine. */
typedef enum
{
  TPLAN_DTYPE_FLOAT32,
  TPLAN_DTYPE_FLOAT64,
  TPLAN_DTYPE_INT64,
  TPLAN_DTYPE_INT32,
  TPLAN_DTYPE_UINT8,
  TPLAN_DTYPE_BOOL,           /* a byte, 0 or 1 */
  TPLAN_DTYPE_FLOAT16,        /* IEEE 754's binary16 */
  TPLAN_DTYPE_BFLOAT16,       /* the upper half of a float32; numpy has none */
  TPLAN_DTYPE_INT8,
  TPLAN_DTYPE_INT16,
  TPLAN_DTYPE_UINT16,
  TPLAN_DTYPE_UINT32,
} TplanDtype;

/**
 * tplan_dtype_get_name:
 * @dtype: an element type
 *
 * Returns: (transfer none): its name, as in graphs and in numpy: "float32".
 *   %NULL when there is no such type.
 *
 * Thread: any.
 */
const char *tplan_dtype_get_name (TplanDtype dtype);

/* How far a call has come; read only, and gone when the callback returns. */
typedef struct
{
  const char *what;           /* is done now, for people */
  int n_done;                 /* steps */
  int n_total;                /* steps; 0: not known yet */
  gint64 left_ns;             /* until the end, about; 0: not known */
} TplanProgress;

/**
 * TplanProgressFunc:
 * @progress: how far the call has come
 * @user_data: of the #TplanWatch
 *
 * Called before each step, never after the call it belongs to has returned. It makes
 * no calls with the objects of that call.
 *
 * Returns: %FALSE to stop: the call then fails with %TPLAN_ERROR_INTERRUPTED.
 *
 * Thread: that of the call.
 */
typedef gboolean (*TplanProgressFunc) (const TplanProgress *progress,
                                       gpointer user_data);

/**
 * TplanLogFunc:
 * @text: a line for people, what they may want to know though nothing failed
 * @user_data: of the #TplanWatch
 *
 * Called never after the call it belongs to has returned.
 *
 * Thread: that of the call.
 */
typedef void (*TplanLogFunc) (const char *text, gpointer user_data);

/* How to follow a call that takes its time; all zero: it is not followed. */
typedef struct
{
  TplanProgressFunc progress; /* (nullable) */
  TplanLogFunc log;           /* (nullable) */
  gpointer user_data;         /* for both */
  volatile gint *cancelled;   /* (nullable): becomes non-zero to stop early, from a
                               * signal handler or another thread; set where
                               * @progress returns FALSE */
} TplanWatch;

/* How large errors may be. */
typedef enum
{
  TPLAN_ACCURACY_FULL,        /* as sums of float32 have them: below 1e-6 of the sum of
                               * the magnitudes that are added up */
  TPLAN_ACCURACY_RELAXED,     /* below 1e-5 of it, where that is faster: for
                               * convolutions of 3 x 3 on "cpu" */
} TplanAccuracy;

/* ---- graphs --------------------------------------------------------------- */

/* A value for a symbolic dimension. */
typedef struct
{
  const char *name;           /* as the model has it */
  gint64 value;               /* 1 or more */
} TplanDim;

/**
 * tplan_graph_load:
 * @path: an ONNX file, or JSON in the format "tplan-graph/1"; told apart by
 *   content
 * @dims: (nullable): values for symbolic dimensions, ended by a %NULL name; the
 *   file's own values are the defaults
 * @error: return location for a #GError
 *
 * Reads a model, infers every shape and prepares it for planning: constants are
 * folded, ops without effect dropped, layouts chosen. So the ops of a plan are
 * not quite those of the file; they keep the names they have there.
 *
 * Reads @path and the files it names beside it, and keeps them mapped. Weights
 * are not touched until tplan_session_new(). See tplan_graph_load_full() for files
 * that may change.
 *
 * Returns: (transfer full): the graph; release with tplan_graph_free(). %NULL
 *   with @error set:
 *   %TPLAN_ERROR_INPUT: no such file, malformed or inconsistent at the place
 *     named, a dimension without a value or below 1.
 *   %TPLAN_ERROR_USAGE: @dims names a dimension the graph has not: leave it out.
 *   %TPLAN_ERROR_UNSUPPORTED: an op or type tplan does not know: see `tplan ops`.
 *   %TPLAN_ERROR_LIMIT: the file asks for more than a stranger's may: see
 *     tplan_graph_load_full().
 *   %TPLAN_ERROR_MEMORY: none for a model of its size: free some.
 *
 * Thread: any.
 */
TplanGraph *tplan_graph_load (const char *path, const TplanDim *dims,
                              GError **error);

/**
 * TplanLoadFile:
 * @name: a file, as a model calls it: relative, and not above the model's folder
 * @user_data: of the options
 * @error: return location for a #GError
 *
 * Gives a file that a model in memory keeps its weights in, once for each name
 * and before the call that reads the model returns. The graph keeps a reference.
 *
 * Returns: (transfer full): all of the file, which does not change as long as it is
 *   used, or %NULL with @error set.
 *
 * Thread: that of the call.
 */
typedef GBytes *(*TplanLoadFile) (const char *name, gpointer user_data,
                                  GError **error);

/* How to read a model; all zero is good. The limits are there for files from
 * strangers: raise one for a file you vouch for. */
typedef struct
{
  const TplanDim *dims;       /* (nullable): as for tplan_graph_load() */
  const TplanDim *limits;     /* (nullable): "nodes", "rank", "name", "memory",
                               * "generated" or "fold" as for `--limit`, in ops,
                               * dimensions, bytes, bytes, bytes, elements; ended
                               * by a NULL name */
  gboolean follow_links;      /* files that the model names may be symbolic or
                               * hard links, which may lead anywhere */
  const char *const *no_pass; /* (nullable): passes not to run, as for
                               * `--no-pass`; ended by NULL */
  gboolean copies_weights;    /* read files, where they would be mapped: they may
                               * then change while what is read is used */
  gboolean assumes_dims;      /* a symbolic dimension without a value is 1, as
                               * for `tplan`, which says so; else it is an error */
  TplanLoadFile load_file;    /* (nullable): has the files that the model names;
                               * NULL: they lie beside it, and a model in memory
                               * may name none */
  gpointer load_file_data;    /* for @load_file */
  const char *const *states;  /* (nullable): "OUTPUT=INPUT", as for `--state`: what is
                               * an output of one run is the input of the next, and
                               * stays on a device; ended by NULL */
  const char *const *values;  /* (nullable): "NAME=1,2,3", as for `--value`: inputs
                               * that have this value in all runs; ended by NULL */
  const char *const *outputs; /* (nullable): names of tensors, as for `--outputs`: the
                               * graph is read as if these were its outputs, and what
                               * only others need is left out; ended by NULL */
} TplanLoadOptions;

/**
 * tplan_graph_load_full:
 * @path: as for tplan_graph_load()
 * @options: (nullable): how to read it
 * @error: return location for a #GError
 *
 * tplan_graph_load() with all its options.
 *
 * Weights are mapped, not copied: a file that is truncated while the graph, a plan
 * or a session uses it ends the program by SIGBUS, and one that is written to
 * changes results. Replace files by renaming, or have them read with
 * @copies_weights, which takes time and memory for all of them at once.
 *
 * Returns: (transfer full): as there. %NULL with @error set as there, or:
 *   %TPLAN_ERROR_LIMIT: the file asks for more than a limit: raise it, if you
 *     trust the file.
 *   %TPLAN_ERROR_USAGE: @options names a limit there is not, a value out of its
 *     range, or a pass there is not or that cannot be left out.
 *   %TPLAN_ERROR_MEMORY: none for a copy of the weights: free some.
 *   %TPLAN_ERROR_INPUT: a file changed while it was copied: try again.
 *
 * Thread: any.
 */
TplanGraph *tplan_graph_load_full (const char *path,
                                   const TplanLoadOptions *options,
                                   GError **error);

/**
 * tplan_graph_new_from_bytes:
 * @bytes: an ONNX or JSON model, as tplan_graph_load() reads it
 * @options: (nullable): how to read it; the files it names are had of @load_file
 * @error: return location for a #GError
 *
 * tplan_graph_load_full() for a model that is no file. Messages call it "model". No
 * file is read.
 *
 * Keeps a reference on @bytes, which must not change as long as the graph, a plan or
 * a session uses them: weights are not copied.
 *
 * Returns: (transfer full): the graph; release with tplan_graph_free(). %NULL
 *   with @error set as for tplan_graph_load_full(), or:
 *   %TPLAN_ERROR_INPUT: the model names a file that @options do not give.
 *
 * Thread: any.
 */
TplanGraph *tplan_graph_new_from_bytes (GBytes *bytes,
                                        const TplanLoadOptions *options,
                                        GError **error);

/**
 * tplan_graph_free:
 * @graph: (nullable) (transfer full): a graph
 *
 * Gives @graph up. Plans made from it keep what they need.
 *
 * Thread: any.
 */
void tplan_graph_free (TplanGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanGraph, tplan_graph_free)

/* An input or output of a graph; read only, and owned by the graph. */
typedef struct
{
  const char *name;           /* as the model has it */
  TplanDtype dtype;           /* of its elements */
  int rank;                   /* how many dimensions; 0: a scalar */
  const gint64 *dims;         /* @rank of them; last varies fastest */
  gint64 size_bytes;          /* of all elements, without gaps */
} TplanTensor;

/**
 * tplan_graph_get_inputs:
 * @graph: a graph
 * @out_n: (out) (nullable): how many
 *
 * What tplan_session_run() wants, in its order. An input of the model that has no
 * elements is none: it is a constant.
 *
 * Returns: (transfer none): @out_n tensors.
 *
 * Thread: any.
 */
const TplanTensor *tplan_graph_get_inputs (const TplanGraph *graph,
                                           int *out_n);

/**
 * tplan_graph_get_outputs:
 * @graph: a graph
 * @out_n: (out) (nullable): how many
 *
 * What tplan_session_run() gives, in its order.
 *
 * Returns: (transfer none): @out_n tensors.
 *
 * Thread: any.
 */
const TplanTensor *tplan_graph_get_outputs (const TplanGraph *graph,
                                            int *out_n);

/**
 * tplan_graph_get_states:
 * @graph: a graph
 * @out_n: (out) (optional): how many
 *
 * What stays on a device from run to run: `state` of a graph of our own, and inputs
 * that TplanLoadOptions.states tells of, which are inputs no more.
 *
 * Returns: @out_n tensors, owned by @graph.
 *
 * Thread: any.
 */
const TplanTensor *tplan_graph_get_states (const TplanGraph *graph,
                                           int *out_n);

/**
 * tplan_graph_get_ops:
 * @graph: a graph
 * @out_n: (out) (nullable): how many
 *
 * The names of the ops that are placed, in an order they can run in.
 *
 * Returns: (transfer none): @out_n names, then %NULL.
 *
 * Thread: any.
 */
const char *const *tplan_graph_get_ops (const TplanGraph *graph, int *out_n);

/* ---- costs ---------------------------------------------------------------- */

/**
 * tplan_costs_open:
 * @path: (nullable): a cost table as `tplan calibrate` writes; one that does not
 *   exist is empty; %NULL: $TPLAN_COST, else $XDG_STATE_HOME/tplan/cost.db
 * @devices: (nullable): names, ended by %NULL, such as "cpu" and "opencl:0"; of
 *   plans equally good the one with most ops on the first is taken; %NULL: "cpu"
 *   and the first OpenCL device there is
 * @n_threads: how many threads "cpu" has; 0: by $TPLAN_THREADS,
 *   $OMP_NUM_THREADS, else what the process may use
 * @error: return location for a #GError
 *
 * Says which devices to plan for, and where their measured times are. Names are
 * looked at by tplan_graph_optimize(), and drivers by tplan_session_new().
 *
 * Reads @path and opens no device. With @devices %NULL it forks a child that
 * asks the drivers, which have 10 seconds: name the devices in a process that has
 * other threads.
 *
 * Returns: (transfer full): the costs; release with tplan_costs_close(). %NULL
 *   with @error set:
 *   %TPLAN_ERROR_INPUT: @path is no cost table, or of a newer tplan: name another
 *     or delete it.
 *   %TPLAN_ERROR_USAGE: @devices is empty, or a name in it stands twice.
 *   %TPLAN_ERROR_DEVICE: asking for devices failed, or none was named and there
 *     is no "cpu", as where tplan was built without a compiler: name them.
 *   %TPLAN_ERROR_BUSY: another process writes the table: try again.
 *   %TPLAN_ERROR_FAILED: the file cannot be read.
 *
 * Thread: any.
 */
TplanCosts *tplan_costs_open (const char *path, const char *const *devices,
                              int n_threads, GError **error);

/**
 * tplan_costs_close:
 * @costs: (nullable) (transfer full): costs
 *
 * Gives @costs up. Plans made with it keep the figures they need.
 *
 * Thread: any.
 */
void tplan_costs_close (TplanCosts *costs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanCosts, tplan_costs_close)

/**
 * tplan_costs_calibrate:
 * @costs: costs; the table is created where there is none
 * @graph: (nullable): what to measure; %NULL: the devices and links alone
 * @time_limit_ns: when to stop; 0: when done
 * @cancelled: (nullable): becomes non-zero to stop early, from a signal handler
 *   or another thread
 * @error: return location for a #GError
 *
 * Measures what the table lacks: the devices, the links, and each distinct
 * kernel of @graph on each device, fused and not. Later graphs with the same
 * kernels profit too. Nothing else in the library measures.
 *
 * Takes seconds to minutes, writes the table as it goes, and keeps it when
 * stopped. Runs the kernels in a child process, so that a driver that crashes or
 * hangs costs one figure: call it before this process has other threads, and
 * before the first tplan_session_new().
 *
 * Returns: %TRUE when done or at the time limit. %FALSE with @error set:
 *   %TPLAN_ERROR_INTERRUPTED: @cancelled was set.
 *   %TPLAN_ERROR_DEVICE: a device is absent or cannot be used: see
 *     `tplan devices`.
 *   %TPLAN_ERROR_BUSY: another process writes the table: try again.
 *   %TPLAN_ERROR_INPUT, %TPLAN_ERROR_FAILED: the table cannot be written.
 *
 * Thread: the only one of the process.
 */
gboolean tplan_costs_calibrate (TplanCosts *costs, const TplanGraph *graph,
                                gint64 time_limit_ns,
                                const volatile gint *cancelled,
                                GError **error);

/* How to calibrate; all zero is good. */
typedef struct
{
  gint64 time_limit_ns;       /* when to stop; 0: when done */
  TplanWatch watch;           /* who follows the call */
  gboolean measures_watts;    /* and what devices draw, where counters of energy can
                               * be read; of others a warning is logged */
  TplanAccuracy accuracy;     /* kernels with such errors are measured, too */
} TplanCalibrateOptions;

/**
 * tplan_costs_calibrate_full:
 * @costs: as for tplan_costs_calibrate()
 * @graph: (nullable): likewise
 * @options: (nullable): how to
 * @error: return location for a #GError
 *
 * tplan_costs_calibrate() with all its options: it can be followed.
 *
 * Returns: as there; %TPLAN_ERROR_INTERRUPTED also where @options stop it.
 *
 * Thread: the only one of the process.
 */
gboolean tplan_costs_calibrate_full (TplanCosts *costs,
                                     const TplanGraph *graph,
                                     const TplanCalibrateOptions *options,
                                     GError **error);

/**
 * tplan_costs_import:
 * @costs: costs; the table is created where there is none
 * @bytes: what tplan_costs_export() or `tplan cost export` gave: JSON, format
 *   "tplan-cost/3"
 * @out_n: (out) (nullable): how many figures were taken
 * @error: return location for a #GError
 *
 * Adds figures to the table; of two for the same kernel the one measured later
 * stays. All of @bytes is checked before anything is written. Figures of another
 * device, driver or compiler are kept for the day they match again.
 *
 * Returns: %TRUE, or %FALSE with @error set:
 *   %TPLAN_ERROR_INPUT: @bytes are no table, or not a sound one, at the place
 *     named: export it again; or the table they are to go into is none.
 *   %TPLAN_ERROR_BUSY: another process writes the table: try again.
 *   %TPLAN_ERROR_FAILED: the table cannot be written.
 *   %TPLAN_ERROR_MEMORY: none for figures of that many: free some.
 *
 * Thread: any.
 */
gboolean tplan_costs_import (TplanCosts *costs, GBytes *bytes, int *out_n,
                             GError **error);

/**
 * tplan_costs_export:
 * @costs: costs
 * @error: return location for a #GError
 *
 * Gives all figures of the table, of every device, as JSON.
 *
 * Returns: (transfer full): the bytes; release with g_bytes_unref(). %NULL with
 *   @error set as for tplan_costs_open().
 *
 * Thread: any.
 */
GBytes *tplan_costs_export (const TplanCosts *costs, GError **error);

/* ---- plans ---------------------------------------------------------------- */

/**
 * tplan_graph_optimize:
 * @graph: a graph
 * @costs: the devices, and their times as far as measured
 * @pins: (nullable): "GLOB=DEVICE", ended by %NULL: ops whose name matches run
 *   there; a later one overrides an earlier one
 * @error: return location for a #GError
 *
 * Chooses a device for every op, and which ops to fuse, so that work and
 * transfers take least time, with the proof that no plan of these devices and
 * figures takes less.
 *
 * Opens no device and measures nothing: times not in the table are estimated and
 * counted, see tplan_plan_count_estimated(). An estimate wins no op from a time
 * that was measured, nor from the first device. Equal arguments and tables give
 * equal plans. Keeps neither argument.
 *
 * Returns: (transfer full): the plan; release with tplan_plan_free(). %NULL with
 *   @error set:
 *   %TPLAN_ERROR_USAGE: a pin of another form, or that matches no op; no such
 *     kind of device, or tplan was built without it; no such profile after
 *     "sim:".
 *   %TPLAN_ERROR_DEVICE: "cpu" cannot be had; whether a driver has the device
 *     that was named, tplan_session_new() finds out, or TplanOptimizeOptions ask:
 *     see `tplan devices`.
 *   %TPLAN_ERROR_INPUT: the table, or the file of a "sim:" device, cannot be
 *     read.
 *   %TPLAN_ERROR_INFEASIBLE: pins or missing support leave an op no device, or
 *     no plan fits into the memory that devices have.
 *   %TPLAN_ERROR_UNSUPPORTED: more devices than the planner can prove.
 *   %TPLAN_ERROR_LIMIT: the times are too large to add up.
 *   %TPLAN_ERROR_MEMORY: none for a model of its size: free some.
 *
 * Thread: any.
 */
TplanPlan *tplan_graph_optimize (const TplanGraph *graph,
                                 const TplanCosts *costs,
                                 const char *const *pins, GError **error);

/* Where times come from. */
typedef enum
{
  TPLAN_LEVEL_ESTIMATE,       /* the table, and estimates for what it lacks */
  TPLAN_LEVEL_MEASURE,        /* what it lacks is measured first */
} TplanLevel;

/* How to plan; all zero is good. */
typedef struct
{
  const char *const *pins;    /* (nullable): as for tplan_graph_optimize() */
  const char *const *memory_limits; /* (nullable): "DEVICE=SIZE", such as
                               * "opencl:0=512M": arena and weights there take
                               * no more; ended by NULL */
  const char *const *no_fuse; /* (nullable): fusion rules to leave out, as for
                               * `--no-fuse`; ended by NULL */
  const char *objective;      /* (nullable): "time", "throughput", "energy",
                               * "price" or "makespan" */
  TplanLevel level;           /* to measure, this has to be the only thread of the
                               * process, as for tplan_costs_calibrate() */
  gboolean is_exact;          /* the cheapest plan for figures as measured, as if
                               * they carried no noise */
  gboolean trusts_estimates;  /* they may win ops from measured times */
  gboolean needs_measured;    /* an error unless all ops are measured */
  TplanWatch watch;           /* who follows the call */
  const char *const *watts;   /* (nullable): "DEVICE=BUSY[:IDLE[:COPY]]", what it
                               * draws, as for `--watts`; ended by NULL */
  const char *const *prices;  /* (nullable): "DEVICE=AMOUNT/h[:use]", what it is
                               * rented for, as for `--price`; ended by NULL */
  const char *const *memory_reserves; /* (nullable): "DEVICE=SIZE", in the sizes of
                               * memory_limits: of its limit, or of what it is
                               * known to have, so much is for kernels, which
                               * want weights packed and scratch: plans take
                               * less, sessions do not; ended by NULL. Read
                               * while the call lasts */
  gboolean streams_weights;   /* where limits of memory make the plan dearer, large
                               * weights may stay in host memory and be sent to the
                               * device in every run, as for `--stream-weights`; for
                               * the objectives "time", "makespan" and
                               * "throughput" */
  const gint64 *micro_batches; /* (nullable): sizes of the parts that the batch, which
                               * is dimension 0 of the first input (1, where the
                               * sequence comes first), is run in, as for
                               * `--micro-batches`: they sum to it. Read while the
                               * call lasts */
  int n_micro_batches;        /* how many, from 2 to 256; without sizes they are as
                               * equal as can be; 0: the batch is whole, or */
  gboolean tries_micro_batches; /* they are found, where that is cheaper: for "time",
                               * and for "makespan" and "throughput" of several
                               * devices */
  gboolean asks_drivers;      /* an error unless devices that were never measured here
                               * are in this machine: their drivers are asked in a
                               * child, which is forked, and have 10 seconds; not in
                               * a process that has other threads. Else, such a
                               * device is first looked for by tplan_session_new() */
  TplanAccuracy accuracy;     /* of what the table has, or is measured: plans have
                               * kernels with larger errors only where these are
                               * asked for here */
} TplanOptimizeOptions;

/**
 * tplan_graph_optimize_full:
 * @graph: a graph
 * @costs: as for tplan_graph_optimize()
 * @options: (nullable): how to plan
 * @error: return location for a #GError
 *
 * tplan_graph_optimize() with all its options. Where limits of memory make the
 * plan dearer, tplan_plan_get_bound_ns() is what no plan within them goes below;
 * finding it stops after a number of steps, which take some two seconds, so the
 * bound may be less than the cost.
 *
 * Returns: (transfer full): as there. %NULL with @error set as there, or:
 *   %TPLAN_ERROR_USAGE: a limit or a reserve of another form, or for a device that
 *     is not among those of @costs; a reserve where there is no limit, or none above
 *     it: give a limit, or reserve less; no such objective, fusion rule or level;
 *     a batch that cannot be split into the micro-batches asked for: the message
 *     says which op mixes it, or what sizes sum to.
 *   %TPLAN_ERROR_DEVICE: a device is not in this machine, or asking its driver failed,
 *     and @options ask: the message says which there are; "sim:PROFILE" plans for
 *     another machine's.
 *   %TPLAN_ERROR_STALE: not all ops are measured, and @options want it: calibrate.
 *   %TPLAN_ERROR_INTERRUPTED: @options stopped it; what was measured is kept.
 *   %TPLAN_ERROR_BUSY, %TPLAN_ERROR_FAILED: as for tplan_costs_calibrate(), where
 *     it is to measure.
 *   %TPLAN_ERROR_INFEASIBLE: no plan fits into the limits, or none was found that
 *     does; the message says which, where most is held, and how much is missing.
 *
 * Thread: any.
 */
TplanPlan *tplan_graph_optimize_full (const TplanGraph *graph,
                                      const TplanCosts *costs,
                                      const TplanOptimizeOptions *options,
                                      GError **error);

/**
 * tplan_plan_load:
 * @path: what tplan_plan_save() or `tplan optimize` wrote, packed or not
 * @graph_path: (nullable): the model, if it has moved; else where the plan says,
 *   from the working directory or from the directory of @path
 * @error: return location for a #GError
 *
 * Reads a plan and its graph, and verifies the digests of both and every number
 * in it. A changed file is refused; whether the plan is a good one is asked of
 * tplan_plan_check(). New weights in the same graph are no change.
 *
 * Returns: (transfer full): the plan; release with tplan_plan_free(). %NULL with
 *   @error set:
 *   %TPLAN_ERROR_INPUT: no such file, not a plan, changed since it was written,
 *     or for another graph: optimize again.
 *   %TPLAN_ERROR_UNSUPPORTED: the graph has an op tplan does not know.
 *
 * Thread: any.
 */
TplanPlan *tplan_plan_load (const char *path, const char *graph_path,
                            GError **error);

/**
 * tplan_plan_load_full:
 * @path: as for tplan_plan_load()
 * @graph_path: (nullable): likewise
 * @options: (nullable): how to read the graph; its passes are the plan's, so
 *   @options has none; its dims too, but where @path has tiers, plans for several
 *   values of a dimension (`tplan optimize --dim N=1,2,4`), those of @options say
 *   which: the plan for the least value that is not less than theirs
 * @error: return location for a #GError
 *
 * tplan_plan_load() with all its options. Of tiers, tplan_plan_get_graph() says what
 * shapes the plan is for: a smaller batch is filled up to it.
 *
 * Returns: (transfer full): as there. %NULL with @error set as there or for
 *   tplan_graph_load_full(), or:
 *   %TPLAN_ERROR_USAGE: dims that the plan is not for, or, of tiers, none or a
 *     value above all there are.
 *
 * Thread: any.
 */
TplanPlan *tplan_plan_load_full (const char *path, const char *graph_path,
                                 const TplanLoadOptions *options,
                                 GError **error);

/**
 * tplan_plan_new_from_bytes:
 * @bytes: what tplan_plan_save() wrote or tplan_plan_to_bytes() gave
 * @graph: (nullable): the model; %NULL: the file that the plan names, from the
 *   working directory
 * @options: (nullable): as for tplan_plan_load_full()
 * @error: return location for a #GError
 *
 * tplan_plan_load_full() for a plan that is no file. Messages call it "plan", and
 * @graph "model". Keeps a reference on @graph, as tplan_graph_new_from_bytes() does,
 * and none on @bytes.
 *
 * Returns: (transfer full): the plan; release with tplan_plan_free(). %NULL with
 *   @error set as for tplan_plan_load_full() and tplan_graph_new_from_bytes().
 *
 * Thread: any.
 */
TplanPlan *tplan_plan_new_from_bytes (GBytes *bytes, GBytes *graph,
                                      const TplanLoadOptions *options,
                                      GError **error);

/**
 * tplan_plan_to_bytes:
 * @plan: a plan
 * @error: return location for a #GError
 *
 * Returns: (transfer full): what tplan_plan_save() would write; release with
 *   g_bytes_unref(). %NULL with @error set:
 *   %TPLAN_ERROR_MEMORY: none for a text of its size: free some.
 *
 * Thread: any.
 */
GBytes *tplan_plan_to_bytes (const TplanPlan *plan, GError **error);

/**
 * tplan_plan_save:
 * @plan: a plan
 * @path: a file, replaced if it exists; packed by gzip if it ends in ".gz"
 * @error: return location for a #GError
 *
 * Writes @plan as JSON, format "tplan-plan/3". Equal plans give equal bytes. The
 * path of the graph goes in as it was given to tplan_graph_load().
 *
 * Returns: %TRUE, or %FALSE with @error set:
 *   %TPLAN_ERROR_FAILED: the file cannot be written.
 *
 * Thread: any.
 */
gboolean tplan_plan_save (const TplanPlan *plan, const char *path,
                          GError **error);

/**
 * tplan_plan_check:
 * @plan: a plan
 * @error: return location for a #GError
 *
 * Verifies the proof in @plan, from its graph and figures, with code that shares
 * nothing with the planner.
 *
 * Pure; time proportional to the size of the graph.
 *
 * Returns: %TRUE if the plan is valid and its bound is proved. %FALSE with
 *   @error set:
 *   %TPLAN_ERROR_INPUT: it is not, with the reasons: optimize again.
 *
 * Thread: any.
 */
gboolean tplan_plan_check (const TplanPlan *plan, GError **error);

/**
 * tplan_plan_free:
 * @plan: (nullable) (transfer full): a plan
 *
 * Gives @plan up. Sessions made from it keep what they need.
 *
 * Thread: any.
 */
void tplan_plan_free (TplanPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanPlan, tplan_plan_free)

/**
 * tplan_plan_get_graph:
 * @plan: a plan
 *
 * Returns: (transfer none): the graph @plan is for: its inputs and outputs are
 *   those of every session of @plan.
 *
 * Thread: any.
 */
const TplanGraph *tplan_plan_get_graph (const TplanPlan *plan);

/**
 * tplan_plan_get_cost_ns:
 * @plan: a plan
 *
 * Returns: the predicted time of all work and transfers of a run, one after the
 *   other.
 *
 * Thread: any.
 */
gint64 tplan_plan_get_cost_ns (const TplanPlan *plan);

/**
 * tplan_plan_get_run_ns:
 * @plan: a plan
 *
 * Returns: the predicted time of a run: the cost; of a plan for makespan, whose
 *   sessions have devices and copies work at once, when its schedule ends.
 *
 * Thread: any.
 */
gint64 tplan_plan_get_run_ns (const TplanPlan *plan);

/**
 * tplan_plan_get_interval_ns:
 * @plan: a plan
 * @out_low_ns: (out) (optional): nanoseconds
 * @out_high_ns: (out) (optional): nanoseconds
 *
 * Between what a run is predicted to be, with 90 %: as sure as figures are each
 * by itself, as sure as whole plans that were run make those of a device
 * together, and as processes differ; of a plan for makespan with what overlaps.
 * Both are tplan_plan_get_run_ns() where all devices are simulated.
 *
 * Returns: %FALSE: the plan was made by a tplan that worked out none; both are then
 *   tplan_plan_get_run_ns().
 *
 * Thread: any.
 */
gboolean tplan_plan_get_interval_ns (const TplanPlan *plan,
                                     gint64 *out_low_ns,
                                     gint64 *out_high_ns);

/**
 * tplan_plan_get_bound_ns:
 * @plan: a plan
 *
 * Returns: what no plan of these devices and figures, within the limits of memory
 *   there were, can go below; equal to the cost if @plan is optimal. A plan with
 *   fewer copies than the cheapest may cost more, by less than the noise of measured
 *   figures.
 *
 * Thread: any.
 */
gint64 tplan_plan_get_bound_ns (const TplanPlan *plan);

/**
 * tplan_plan_count_estimated:
 * @plan: a plan
 *
 * Returns: how many of its ops have an estimated time, not a measured one; see
 *   tplan_costs_calibrate().
 *
 * Thread: any.
 */
int tplan_plan_count_estimated (const TplanPlan *plan);

/* What a plan puts on one device; read only, and owned by the plan. */
typedef struct
{
  const char *name;           /* "cpu", "opencl:0" */
  int n_ops;                  /* that run there */
  gint64 peak_bytes;          /* for tensors, the most at a time, as laid out */
  gint64 weight_bytes;        /* for weights, before kernels pack them */
  gint64 time_ns;             /* predicted, of its kernels */
} TplanDevice;

/**
 * tplan_plan_get_devices:
 * @plan: a plan
 * @out_n: (out) (nullable): how many
 *
 * Returns: (transfer none): @out_n devices, in the order of
 *   tplan_costs_open(); also those with no op.
 *
 * Thread: any.
 */
const TplanDevice *tplan_plan_get_devices (const TplanPlan *plan, int *out_n);

/**
 * tplan_plan_require:
 * @plan: a plan
 * @text: what must hold: a device of @plan, ">=" or "<=", a share in
 *   percent, and of what, "ops" or "time": "opencl:0>=95%time"
 * @error: return location for a #GError
 *
 * For programs that would rather fail than run elsewhere than where they are
 * meant to. The time is that of kernels, as predicted.
 *
 * Returns: whether it holds. %FALSE with @error set:
 *   %TPLAN_ERROR_INFEASIBLE: it does not; the message says what is.
 *   %TPLAN_ERROR_USAGE: @text has another form or names no device of @plan.
 *
 * Thread: any.
 */
gboolean tplan_plan_require (const TplanPlan *plan, const char *text,
                             GError **error);

/**
 * tplan_plan_find_device:
 * @plan: a plan
 * @op: the name of an op
 *
 * Returns: (transfer none) (nullable): the name of the device that runs @op, or
 *   %NULL if the graph has no op of that name, or had but for preparation; see
 *   tplan_graph_get_ops().
 *
 * Thread: any.
 */
const char *tplan_plan_find_device (const TplanPlan *plan, const char *op);

/**
 * tplan_plan_find_reason:
 * @plan: a plan
 * @op: the name of an op
 *
 * Returns: (transfer none) (nullable): why @op is where it is: "alone" (there is
 *   no other device), "streamed" (it sends a weight that stays there), "pinned",
 *   "only" (no other device can), "tie" (it would be elsewhere in a plan that is
 *   cheaper by less than noise), "memory" (likewise in one that takes more memory
 *   than there is), "load" (likewise in one whose busiest engine carries more),
 *   "faster" (by itself than on any other), "equal" (and beside its neighbours),
 *   "together" (slower, but what it is to be with is there) or "neighbours"
 *   (slower, but leaving them would cost more). Others may be added. %NULL if there
 *   is no such op.
 *
 * Thread: any.
 */
const char *tplan_plan_find_reason (const TplanPlan *plan, const char *op);

/* One tensor copied between devices; read only, and owned by the plan. */
typedef struct
{
  const char *tensor;         /* its name */
  const char *from;           /* a device; "host": the caller's memory, where no
                               * device of the plan works in it */
  const char *to;             /* likewise */
  gint64 size_bytes;          /* of the tensor */
  gint64 time_ns;             /* predicted */
} TplanTransfer;

/**
 * tplan_plan_get_transfers:
 * @plan: a plan
 * @out_n: (out) (nullable): how many
 *
 * Returns: (transfer none): @out_n transfers, each made once a run.
 *
 * Thread: any.
 */
const TplanTransfer *tplan_plan_get_transfers (const TplanPlan *plan,
                                               int *out_n);

/* ---- sessions ------------------------------------------------------------- */

/**
 * tplan_session_new:
 * @plan: a plan
 * @n_threads: how many threads "cpu" has, for what was predicted to hold as many as
 *   the plan was made for; 0: as many
 * @error: return location for a #GError
 *
 * Makes @plan ready to run: opens its devices, compiles, packs weights and
 * allocates all memory. Sessions share nothing but @plan and the threads.
 *
 * Takes milliseconds to seconds. Kernels for "cpu" are compiled in child processes,
 * which are gone on return; SIGCHLD is sent for them. Drivers may start threads. They
 * stay behind when the process forks: in the child sessions on OpenCL give
 * %TPLAN_ERROR_DEVICE,
 * those on the host alone go on. libtplan stays in memory after dlclose().
 *
 * Returns: (transfer full): the session; release with tplan_session_free(). %NULL
 *   with @error set:
 *   %TPLAN_ERROR_DEVICE: a device is absent or failed: see `tplan devices`.
 *   %TPLAN_ERROR_MEMORY: not enough on a device: free some, or cut the batch. Or more
 *     is taken, with weights packed and scratch, than the limits and reserves of
 *     @plan: plan again with the reserve that the message says.
 *   %TPLAN_ERROR_UNSUPPORTED: an op that has costs but cannot be run.
 *   %TPLAN_ERROR_INPUT: a loaded plan that cannot be run; see tplan_plan_check().
 *   %TPLAN_ERROR_STALE: the plan was made for another machine: make one for this.
 *   %TPLAN_ERROR_FAILED: a thread of "cpu" cannot be started: ask for fewer.
 *
 * Thread: any.
 */
TplanSession *tplan_session_new (const TplanPlan *plan, int n_threads,
                                 GError **error);

/**
 * tplan_session_run:
 * @session: a session
 * @inputs: one array per input of the graph, row-major, of its size_bytes; read
 *   only
 * @outputs: one array per output likewise; written, and none of @inputs
 * @error: return location for a #GError
 *
 * Runs the plan once and waits for the end. Where only kernels of `cpu` touch an
 * array, they read and write it in place. Runs of one session, submitted or not,
 * take turns; as many are under way at a time as it was made for.
 *
 * Allocates nothing and decides nothing.
 *
 * Returns: %TRUE, or %FALSE with @error set and the outputs undefined:
 *   %TPLAN_ERROR_DEVICE: a device failed: make a new session, or one that falls
 *     back.
 *   %TPLAN_ERROR_MEMORY: none where an op or a driver needs some: free some.
 *
 * Thread: any.
 */
gboolean tplan_session_run (TplanSession *session, const void *const *inputs,
                            void *const *outputs, GError **error);

/**
 * tplan_session_free:
 * @session: (nullable) (transfer full): a session
 *
 * Frees its memory and closes its devices. Runs that were submitted and not begun
 * are cancelled, those under way are waited for.
 *
 * Thread: any, after all other calls with @session.
 */
void tplan_session_free (TplanSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanSession, tplan_session_free)

/* How to make a session; all zero is good. */
typedef struct
{
  int n_threads;              /* as for tplan_session_new() */
  gboolean falls_back;        /* when a device is lost or fails, the session goes
                               * on with all ops on the host */
  gboolean is_on_host;        /* that from the start */
  const char *cache;          /* (nullable): where machine code is kept for other
                               * processes: "user": in the user's cache folder; an
                               * absolute path: below it; "off"; NULL: as
                               * $TPLAN_CACHE_DIR says in these words, else "off".
                               * A folder that others can reach is not used */
  gboolean is_profiled;       /* each run waits after each step and takes its
                               * time, for tplan_session_get_steps(); slower */
  int n_in_flight;            /* runs that may be under way at a time, each in memory
                               * of its own, at most 64; 0: one. Of a session that is
                               * profiled, and of a graph with state, runs go one
                               * after the other; not on simulated devices */
} TplanSessionOptions;

/**
 * tplan_session_new_full:
 * @plan: a plan
 * @options: how to
 * @error: return location for a #GError
 *
 * As tplan_session_new(). Where @options let it fall back, what another session
 * would fail with for a device that is absent, lost, or out of memory makes this
 * one run all ops on "cpu", where that is built, else by their references: slower,
 * and right. It never returns to the plan; tplan_session_get_fallback() says why.
 * What states had is lost with the device: the run that met that fails, and the
 * next begins with zeros, or with what tplan_session_set_state() gives.
 * A driver that hangs is not waited for less: nobody can.
 *
 * With several runs in flight, one computes on a device while another copies, or
 * computes elsewhere: more runs in the same time where the plan uses several
 * devices, as %throughput plans do. Each run takes as long as before or longer, and
 * its result is the same. Tensors are there once for each, weights once for all:
 * all of it has to be within what the plan was allowed to take.
 *
 * Returns: (transfer full): the session; errors are those of tplan_session_new(),
 *   and:
 *   %TPLAN_ERROR_USAGE: more than 64 in flight: ask for fewer.
 *   %TPLAN_ERROR_UNSUPPORTED: several in flight on simulated devices: ask for one.
 *   %TPLAN_ERROR_MEMORY: as many do not fit: ask for fewer.
 *
 * Thread: any.
 */
TplanSession *tplan_session_new_full (const TplanPlan *plan,
                                      const TplanSessionOptions *options,
                                      GError **error);

/**
 * tplan_session_set_state:
 * @session: a session
 * @name: of a state of its graph, see tplan_graph_get_states()
 * @value: (nullable): an array of its size_bytes, row-major; %NULL: zeros
 * @error: return location for a #GError
 *
 * What the next run begins with in place of what the last one left. A new session
 * has zeros; a run that fails leaves states undefined.
 *
 * Returns: %TRUE, or %FALSE with @error set:
 *   %TPLAN_ERROR_USAGE: there is no such state.
 *   %TPLAN_ERROR_DEVICE, %TPLAN_ERROR_MEMORY: as for tplan_session_run().
 *
 * Thread: any; waits for runs under way.
 */
gboolean tplan_session_set_state (TplanSession *session, const char *name,
                                  const void *value, GError **error);

/**
 * tplan_session_get_state:
 * @session: a session
 * @name: of a state of its graph
 * @out_value: an array of its size_bytes, which is written, row-major
 * @error: return location for a #GError
 *
 * What the last run left.
 *
 * Returns: %TRUE, or %FALSE with @error set as for tplan_session_set_state().
 *
 * Thread: any; waits for runs under way.
 */
gboolean tplan_session_get_state (TplanSession *session, const char *name,
                                  void *out_value, GError **error);

/**
 * tplan_session_get_fallback:
 * @session: a session
 *
 * Returns: (nullable): why @session runs on the host alone: what failed; %NULL: it
 *   runs as planned. Owned by @session.
 *
 * Thread: any; waits for runs under way.
 */
const char *tplan_session_get_fallback (TplanSession *session);

/**
 * tplan_session_get_time_ns:
 * @session: a session
 *
 * Returns: what the run took that ended last, by the clock; by the virtual clock if
 *   a device is simulated. 0 before the first. Of runs in flight that is the time
 *   from begin to end of one, not that between the ends of two.
 *
 * Thread: any; waits for runs under way.
 */
gint64 tplan_session_get_time_ns (TplanSession *session);

/* A step of a run, kernels or a copy; read only, and owned by the session. */
typedef struct
{
  const char *op;             /* the first of those it does; NULL: it copies */
  int n_ops;                  /* that it does as one: more where they are fused */
  const char *tensor;         /* that it copies; NULL: it copies none */
  const char *device;         /* where it runs or copies to; "host": the caller's
                               * memory */
  const char *reason;         /* why there, as tplan_plan_find_reason() says; NULL
                               * for copies, and after falling back */
  gint64 predicted_ns;        /* 0: the plan foretells nothing */
  gint64 spread_ns;           /* with 95 % within so much of it, as far as the
                               * measurement by itself says; 0: an estimate, a
                               * copy, or simulated */
  gint64 measured_ns;         /* by the last profiled run; 0: there was none */
} TplanStep;

/**
 * tplan_session_get_steps:
 * @session: a session
 * @out_n: (out) (nullable): how many
 * @error: return location for a #GError
 *
 * Says of each step of a run, in their order, what it does, where and why, what the
 * plan foretold, and what it took in the last run, if that was profiled.
 *
 * Returns: (transfer none): @out_n steps, until the next call or run. %NULL with
 *   @error set:
 *   %TPLAN_ERROR_MEMORY: none for the list: free some.
 *   %TPLAN_ERROR_DEVICE: @session cannot go on: make a new one.
 *
 * Thread: one at a time.
 */
const TplanStep *tplan_session_get_steps (TplanSession *session, int *out_n,
                                          GError **error);

/**
 * tplan_session_submit:
 * @session: a session
 * @inputs: as for tplan_session_run(); the list is copied, the arrays are not
 * @outputs: likewise
 * @error: return location for a #GError
 *
 * Runs the plan once, in a thread of @session that starts with the first call, or
 * in one of several where runs may be in flight. Any number may be submitted at a
 * time; they begin in that order, as many at a time as @session was made for. The
 * arrays must stay, and be left alone, until the run is done or cancelled.
 *
 * In a child of fork() runs of the parent end with %TPLAN_ERROR_INTERRUPTED: submit
 * them again.
 *
 * Returns: (transfer full): the run; release with tplan_run_free(). %NULL with
 *   @error set:
 *   %TPLAN_ERROR_FAILED: the thread cannot be started: end some.
 *   %TPLAN_ERROR_MEMORY: none for the lists: free some.
 *
 * Thread: any.
 */
TplanRun *tplan_session_submit (TplanSession *session,
                                const void *const *inputs,
                                void *const *outputs, GError **error);

/**
 * tplan_run_wait:
 * @run: a run
 * @error: return location for a #GError
 *
 * Waits until @run is done. Several threads may wait, and each as often as it
 * likes.
 *
 * Returns: %TRUE, or %FALSE with @error set as for tplan_session_run(), or:
 *   %TPLAN_ERROR_INTERRUPTED: it was cancelled, its session was freed before it was
 *     begun, or the process forked meanwhile.
 *
 * Thread: any.
 */
gboolean tplan_run_wait (TplanRun *run, GError **error);

/**
 * tplan_run_is_done:
 * @run: a run
 *
 * Returns: whether tplan_run_wait() would not wait.
 *
 * Thread: any.
 */
gboolean tplan_run_is_done (TplanRun *run);

/**
 * tplan_run_cancel:
 * @run: a run
 *
 * Takes @run back if it was not begun; its arrays are not touched then. One that
 * was begun is not stopped: no device can be told to.
 *
 * Returns: %TRUE: it never runs. %FALSE: it is under way or done.
 *
 * Thread: any.
 */
gboolean tplan_run_cancel (TplanRun *run);

/**
 * tplan_run_free:
 * @run: (nullable) (transfer full): a run; its session may be gone
 *
 * Cancels @run, or waits for it where it was begun: afterwards its arrays are the
 * caller's again.
 *
 * Thread: any, after all other calls with @run.
 */
void tplan_run_free (TplanRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanRun, tplan_run_free)

/* ---- several graphs ------------------------------------------------------- */

/* A graph to be planned with others. */
typedef struct
{
  const char *name;           /* not that of another of them */
  const char *rate;           /* how often it is run: "30/s", "2.5/min", "33ms" from
                               * one to the next */
  const TplanGraph *graph;    /* its ops are to be placed; the caller keeps it */
} TplanMixGraph;

/**
 * tplan_mix_optimize:
 * @graphs: what is to run on one machine
 * @n_graphs: how many, at most 64
 * @costs: its devices, one or two
 * @options: (nullable): as for tplan_graph_optimize_full(); the objective is
 *   "throughput", and limits of memory are of all graphs together
 * @error: return location for a #GError
 *
 * One placement for all @graphs: the busiest engine, a device or one direction of its
 * copies, is busy for the least part of each second that was found, and what no
 * placement goes below is proved.
 *
 * Deterministic; threads may be started meanwhile.
 *
 * Returns: (transfer full): the plans; release with tplan_mix_free(). %NULL with
 *   @error set as for tplan_graph_optimize_full(), or:
 *   %TPLAN_ERROR_USAGE: no graph, more than 64, two of one name, no such rate, or
 *     another objective.
 *   %TPLAN_ERROR_LIMIT: the rates are in no simple proportion.
 *   %TPLAN_ERROR_INFEASIBLE: the rates cannot be kept, or no placement was found that
 *     does; the message names the engine. Or the graphs do not fit into the memory
 *     there is.
 *
 * Thread: any.
 */
TplanMix *tplan_mix_optimize (const TplanMixGraph *graphs, int n_graphs,
                              const TplanCosts *costs,
                              const TplanOptimizeOptions *options,
                              GError **error);

/**
 * tplan_mix_load:
 * @path: what tplan_mix_save() or `tplan optimize` of several models wrote
 * @options: (nullable): how to read the graphs; dims and passes are the plans'
 * @error: return location for a #GError
 *
 * Reads plans and their graphs, as tplan_plan_load() does each.
 *
 * Returns: (transfer full): the plans; release with tplan_mix_free(). %NULL with
 *   @error set as for tplan_plan_load().
 *
 * Thread: any.
 */
TplanMix *tplan_mix_load (const char *path, const TplanLoadOptions *options,
                          GError **error);

/**
 * tplan_mix_new_from_bytes:
 * @bytes: what tplan_mix_save() wrote
 * @graphs: (nullable): a model for each plan, in their order; %NULL: the files that
 *   the plans name, from the working directory
 * @n_graphs: how many models
 * @options: (nullable): as for tplan_mix_load()
 * @error: return location for a #GError
 *
 * tplan_mix_load() for plans that are no file. Messages call them "plans", and each
 * model "model". Keeps a reference on each of @graphs, as
 * tplan_graph_new_from_bytes() does, and none on @bytes.
 *
 * Returns: (transfer full): the plans; release with tplan_mix_free(). %NULL with
 *   @error set as for tplan_mix_load() and tplan_graph_new_from_bytes(), or:
 *   %TPLAN_ERROR_INPUT: @n_graphs is not the number of plans.
 *
 * Thread: any.
 */
TplanMix *tplan_mix_new_from_bytes (GBytes *bytes, GBytes *const *graphs,
                                    int n_graphs,
                                    const TplanLoadOptions *options,
                                    GError **error);

/**
 * tplan_mix_save:
 * @mix: plans
 * @path: a file, replaced if it exists; packed by gzip if it ends in ".gz"
 * @error: return location for a #GError
 *
 * Writes @mix as JSON, format "tplan-mix/1". Equal plans give equal bytes.
 *
 * Returns: %TRUE, or %FALSE with @error set:
 *   %TPLAN_ERROR_FAILED: the file cannot be written.
 *
 * Thread: any.
 */
gboolean tplan_mix_save (const TplanMix *mix, const char *path, GError **error);

/**
 * tplan_mix_check:
 * @mix: plans
 * @error: return location for a #GError
 *
 * Verifies each plan as tplan_plan_check() does, and the proof of all together.
 *
 * Returns: %TRUE if they are valid. %FALSE with @error set:
 *   %TPLAN_ERROR_INPUT: they are not, with the reasons: optimize again.
 *
 * Thread: any.
 */
gboolean tplan_mix_check (const TplanMix *mix, GError **error);

/**
 * tplan_mix_free:
 * @mix: (nullable) (transfer full): plans
 *
 * Gives @mix and its plans up. Sessions made from it keep what they need.
 *
 * Thread: any.
 */
void tplan_mix_free (TplanMix *mix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TplanMix, tplan_mix_free)

/* A graph planned with others; read only, and owned by the mix. */
typedef struct
{
  const char *name;           /* that it was given */
  gint64 n_runs;              /* that are wanted in each @span_ns */
  gint64 span_ns;             /* as the rate has it, in lowest terms */
  const TplanPlan *plan;      /* which ops are where */
} TplanMixPart;

/**
 * tplan_mix_get_parts:
 * @mix: plans
 * @out_n: (nullable) (out): how many
 *
 * Returns: (transfer none): what @mix is made of, in the order in which it was asked
 *   for.
 *
 * Thread: any.
 */
const TplanMixPart *tplan_mix_get_parts (const TplanMix *mix, int *out_n);

/**
 * tplan_mix_get_busy:
 * @mix: plans
 * @out_bound: (nullable) (out): what no placement goes below, or, if that is known,
 *   none that keeps to the limits of memory
 *
 * Returns: the part of each second that the busiest engine is predicted to be busy, at
 *   most 1.
 *
 * Thread: any.
 */
double tplan_mix_get_busy (const TplanMix *mix, double *out_bound);

/**
 * tplan_mix_new_session:
 * @mix: plans
 * @part: which of them
 * @options: as for tplan_session_new_full()
 * @error: return location for a #GError
 *
 * A session of one plan. Runs of all sessions that are made so of one @mix use each
 * device, and each direction of its copies, one after the other, the oldest run first:
 * so they run side by side as was planned. Who runs them keeps the rates; with one
 * run of each under way at a time, some device may have nothing to do where more in
 * flight would give it work.
 *
 * Limits of memory are of all sessions together that there are of plans of one @mix, also
 * of those that tplan_session_new() makes of what tplan_mix_get_parts() lists: tensors of
 * each run that may be in flight, weights, and scratch of kernels. Those that are freed
 * give theirs back.
 *
 * Returns: (transfer full): the session; release with tplan_session_free(). %NULL with
 *   @error set as for tplan_session_new_full(); %TPLAN_ERROR_MEMORY: with what others take
 *   it is too much: have fewer runs in flight, free other sessions, or plan again with a
 *   reserve.
 *
 * Thread: any.
 */
TplanSession *tplan_mix_new_session (const TplanMix *mix, int part,
                                     const TplanSessionOptions *options,
                                     GError **error);

G_END_DECLS

#endif
