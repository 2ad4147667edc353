/* device.h: what every device can do. At most twelve functions, none optional.
 *
 * A device runs units: lowered nodes. It knows no op; only `ref`, which runs the
 * references, looks at the nodes of a unit. All calls on one device come from
 * one thread at a time. Where options say that it is shared, launch () and copy ()
 * in either direction may come from a thread each: these three are not ordered
 * among each other then, and a copy has happened on return. */
#ifndef TP_RUNTIME_DEVICE_H
#define TP_RUNTIME_DEVICE_H

#include "ir/array.h"
#include "ir/execution.h"
#include "ir/op.h"
#include "kernel/target.h"

typedef struct TpDevice TpDevice;     /* opened */
typedef struct TpBuf TpBuf;
typedef struct TpCode TpCode;         /* compiled units */
typedef struct TpLaunch TpLaunch;     /* one unit bound to its buffers */

/* Memory on a device. A device's own begins with this one. */
struct TpBuf
{
  char *data;                         /* where the host has it; NULL: it has not, or
                                       * only the device is to touch it */
};

/* A device's own TpCode begins with this one. */
struct TpCode
{
  int n_units;
  char **schedules;                   /* [unit]: how it is computed, as
                                       * TpProgram.schedule; stored beside every
                                       * measurement */
};

/* What is compiled together and launched as one: one node, or a fused group. */
typedef struct
{
  const TpGraph *graph;
  int n_nodes;
  const int *nodes;
  const TpLowered *lowered;           /* NULL only for `ref` */
  const char *schedule;               /* (nullable) for tp_program_new (); not
                                       * for devices that run nodes */
} TpUnit;

typedef struct
{
  int tensor;                         /* -1: none, or it stays in the unit */
  gboolean is_written;
} TpUnitOperand;

/* What bind () wants buffers for, in its order: the operands of what was
 * lowered; else the inputs and outputs of each node in turn. */
TpArray *tp_unit_list_operands (const TpUnit *unit);

typedef struct
{
  char *name;                         /* "opencl:0" */
  char *description;                  /* for people */
  char *identity;                     /* all that a measurement depends on: name,
                                       * vendor, driver, CPU model and features,
                                       * threads, compiler; key of cost entries */
  char *pci;                          /* where the card is, "0000:03:00.0"; "": not
                                       * known; NULL: what it draws, the processors
                                       * and what is beside them draw */
  gint64 memory_bytes;                /* 0: unknown */
  gboolean is_host;                   /* its buffers are plain host memory: see
                                       * tp_host_buf_get_data () */
  gboolean is_mapped;                 /* the host works in its buffers, too, by
                                       * turns with it: TpCopy without @host */
  gboolean takes_loans;               /* launches look where their buffers are
                                       * when they run: tp_host_buf_lend () */
  gboolean runs_nodes;                /* wants units that are not lowered */
  gboolean is_apart;                  /* kernels take none of the processors
                                       * that the process has */
  gboolean takes_all;                 /* they take all: that the caller lost its
                                       * processor says nothing of others */
  TpTarget target;                    /* that kernels are made for; lanes 0: it
                                       * does not say */
} TpDeviceInfo;

typedef struct
{
  int n_threads;                      /* 0: by environment and affinity */
  const char *code_cache;             /* (nullable): where machine code is kept,
                                       * as for tp_code_cache_open (); NULL: by
                                       * environment */
  gboolean is_guest;                  /* another device of the plan is the host:
                                       * `sim` charges for copies within host
                                       * memory too */
  gboolean is_shared;                 /* by runs in flight: see above */
  gboolean is_mapped;                 /* is to be, if it can */
} TpDeviceOptions;

/* To or from the beginning of a buffer. Without @host, of a device that is mapped: the
 * host may read what launches before have written, or has written what later ones
 * read (is_write); where it is shared, who asks has waited for these. */
typedef struct
{
  TpBuf *buf;
  void *host;                         /* (nullable); only read from when is_write */
  gint64 size_bytes;
  gboolean is_write;                  /* to the buffer */
} TpCopy;

/* What a device is for where none was named. */
typedef enum
{
  TP_ROLE_NAMED,                      /* used when it is asked for, only */
  TP_ROLE_HOST,
  TP_ROLE_NAMED_HOST,                 /* likewise; it works in host memory */
  TP_ROLE_OTHER,                      /* the first of them is put beside the
                                       * host */
} TpDeviceRole;

/* What is taken for true of a device that was never measured. */
typedef struct
{
  double peak_gflops;                 /* 0: by the processor's name and flags */
  double bandwidth_gbps;
  double launch_ns;
  double points_per_thread;           /* as TpMachine's full_points */
  double double_rate;                 /* likewise; not measured: kernels of float64
                                       * that are tell of others */
} TpDeviceGuess;

/* What drivers leave on a machine: measurements hold as long as that does. Each
 * may be NULL: nothing. */
typedef struct
{
  const char *folder;                 /* its files count, by their contents */
  const char *const *variables;       /* of the environment; NULL-terminated */
  const char *const *libraries;       /* parts of names of files that count
                                       * where they are mapped; likewise */
  /* The files that each name one driver; the caller frees. NULL: they cannot be
   * told apart. */
  char **(*list) (void);
  /* From now on @files alone, some of list (); NULL: all. Before the first
   * count () of the process, which it changes for a moment: see
   * api/contact.h. */
  gboolean (*narrow) (const char *const *files, GError **error);
  /* The names of those files, interned; NULL: all. It counts too. */
  const char *(*get_chosen) (void);
} TpDeviceDrivers;

/* What can be said of a kind of device without opening one comes first. */
typedef struct
{
  const char *name;                   /* "cpu", "opencl", "ref", "sim" */
  const char *which;                  /* what may follow the colon: NULL: there
                                       * is one and no colon; "N": a number
                                       * below count (); else a word for people,
                                       * and tp_device_names () lists none */
  TpDeviceRole role;
  gboolean is_simulated;              /* what follows the colon is a TpMachine;
                                       * its times are never measured */
  gboolean runs_nodes;                /* as in TpDeviceInfo; of a simulated one:
                                       * not known before it is open */
  TpDeviceGuess guess;                /* not of a simulated one */
  const TpDeviceDrivers *drivers;     /* NULL: none */
  /* How many there are; 0: none on this machine, with the reason interned. */
  int (*count) (const char **out_reason);
  /* @which: what follows the colon: "0", a profile; NULL: nothing did, and nobody
   * asked count (). */
  TpDevice *(*open) (const char *which, const TpDeviceOptions *options,
                     GError **error);
  void (*close) (TpDevice *device);
  void (*describe) (TpDevice *device, TpDeviceInfo *out_info);
  /* All units of a plan at once (an OpenCL program each plan). Equal kernels
   * are compiled once. */
  TpCode *(*compile) (TpDevice *device, const TpUnit *units, int n_units,
                      GError **error);
  void (*free_code) (TpDevice *device, TpCode *code);
  /* @parent: NULL, or the buffer this is a part of, from @offset (a multiple of
   * TP_BUF_ALIGN). */
  TpBuf *(*alloc) (TpDevice *device, TpBuf *parent, gint64 offset,
                   gint64 size_bytes, GError **error);
  void (*free_buf) (TpDevice *device, TpBuf *buf);
  /* Ordered after earlier launches; a read has happened on return. */
  gboolean (*copy) (TpDevice *device, const TpCopy *copy, GError **error);
  /* Binds unit @unit to one buffer per operand (tp_unit_list_operands ()); NULL
   * for those of no tensor. A constant may be NULL: the device then takes its
   * value from the graph, packs it as the kernels like and shares it among the
   * units of @code; one that is given is read where packing needs it, now. */
  TpLaunch *(*bind) (TpDevice *device, TpCode *code, int unit,
                     TpBuf *const *operands, GError **error);
  /* Queues one run; allocates nothing. NULL @launch: waits for all queued. */
  gboolean (*launch) (TpDevice *device, TpLaunch *launch, GError **error);
  void (*free_launch) (TpDevice *device, TpLaunch *launch);
} TpDeviceOps;

#define TP_BUF_ALIGN TP_ARENA_ALIGN

struct TpDevice
{
  const TpDeviceOps *ops;
  gint64 used_bytes, peak_bytes;      /* counted by us: drivers report nonsense */
  gint64 weight_bytes;                /* constants of compiled units among them */
  gint64 virtual_ns;                  /* `sim`: its clock; others 0 */
  /* Set by calib (and unset before close); NULL: off. A device that works while
   * the caller goes on appends, when it is waited for, a TpStamp for each launch
   * since the last wait, in order; none when the driver has no clock. Others
   * leave it alone: there the caller's clock says it all. */
  GArray *stamps;
  /* Set by a session that is followed; NULL: off. A device that works while the
   * caller goes on counts launches here as they end, in order, from a thread of
   * its own. A box of g_atomic_rc_box_new (): each launch under way holds it. */
  gint *n_ended;
};

/* By the clock of the device. */
typedef struct
{
  gint64 begin_ns, end_ns;
  gint64 busy_ns;                     /* in between; the rest lay between its
                                       * kernels */
} TpStamp;

void tp_device_close (TpDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDevice, tp_device_close)

/* What a device is about to hand out: freed, unless it is set to NULL before. */
typedef struct
{
  TpDevice *device;
  TpCode *code;
  TpLaunch *launch;
} TpMaking;

void tp_making_clear (TpMaking *making);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMaking, tp_making_clear)
/* Copies the first @size_bytes of @buf, as ops->copy () does. */
gboolean tp_device_write (TpDevice *device, TpBuf *buf, const void *data,
                          gint64 size_bytes, GError **error);
gboolean tp_device_read (TpDevice *device, TpBuf *buf, void *out_data,
                         gint64 size_bytes, GError **error);
/* For devices: counts @size_bytes as taken, or given back. */
void tp_device_count_bytes (TpDevice *device, gint64 size_bytes);
void tp_device_info_clear (TpDeviceInfo *info);

#endif
