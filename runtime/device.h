/* device.h: what every device can do. At most twelve functions, none optional.
 *
 * A device runs units: lowered nodes. It knows no op; only `ref`, which runs the
 * references, looks at the nodes of a unit. All calls on one device come from
 * one thread at a time. */
#ifndef TP_RUNTIME_DEVICE_H
#define TP_RUNTIME_DEVICE_H

#include "ir/op.h"

typedef struct TpDevice TpDevice;     /* opened */
typedef struct TpBuf TpBuf;           /* memory on a device */
typedef struct TpCode TpCode;         /* compiled units */
typedef struct TpLaunch TpLaunch;     /* one unit bound to its buffers */

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
} TpUnit;

typedef struct
{
  char *name;                         /* "opencl:0" */
  char *description;                  /* for people */
  char *identity;                     /* all that a measurement depends on: name,
                                       * vendor, driver, CPU model and features,
                                       * threads, compiler; key of cost entries */
  gint64 memory_bytes;                /* 0: unknown */
  gboolean is_host;                   /* its buffers are plain host memory: see
                                       * tp_host_buf_get_data () */
  gboolean runs_nodes;                /* wants units of one node, not lowered,
                                       * and one buffer per tensor of the node */
  gboolean is_simulated;
} TpDeviceInfo;

typedef struct
{
  int n_threads;                      /* 0: by environment and affinity */
  gboolean is_guest;                  /* another device of the plan is the host:
                                       * `sim` charges for copies within host
                                       * memory too */
} TpDeviceOptions;

typedef struct
{
  const char *name;                   /* "cpu", "opencl", "ref", "sim" */
  const char *which;                  /* what may follow the colon: NULL: there
                                       * is one and no colon; "N": a number
                                       * below count (); else a word for people,
                                       * and tp_device_names () lists none */
  gboolean is_host;                   /* all of this kind work in host memory,
                                       * as TpDeviceInfo says of one */
  /* How many there are; 0: none on this machine, with the reason interned. */
  int (*count) (const char **out_reason);
  /* @which: what follows the colon: "0", a profile; NULL: nothing did. */
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
  /* Copies to (is_write) or from host memory; ordered after earlier launches;
   * a read has happened on return. */
  gboolean (*copy) (TpDevice *device, TpBuf *buf, gint64 offset, void *host,
                    gint64 size_bytes, gboolean is_write, GError **error);
  /* Binds unit @unit to one buffer per operand of its TpLowered (runs_nodes: per
   * tensor of the node, inputs then outputs; those left out are NULL). A
   * constant may be NULL: the device then takes its value from the graph, packs
   * it as the kernels like and shares it among the units of @code; one that is
   * given is read where packing needs it, now. */
  TpLaunch *(*bind) (TpDevice *device, TpCode *code, int unit,
                     TpBuf *const *operands, GError **error);
  /* Queues one run; allocates nothing. NULL @launch: waits for all queued. */
  gboolean (*launch) (TpDevice *device, TpLaunch *launch, GError **error);
  void (*free_launch) (TpDevice *device, TpLaunch *launch);
} TpDeviceOps;

#define TP_BUF_ALIGN 4096

struct TpDevice
{
  const TpDeviceOps *ops;
  gint64 used_bytes, peak_bytes;      /* counted by us: drivers report nonsense */
  gint64 virtual_ns;                  /* `sim`: its clock; others 0 */
  /* Set by calib (and unset before close); NULL: off. A device that works while
   * the caller goes on appends, when it is waited for, a TpStamp for each launch
   * since the last wait, in order; none when the driver has no clock. Others
   * leave it alone: there the caller's clock says it all. */
  GArray *stamps;
};

/* By the clock of the device. */
typedef struct
{
  gint64 begin_ns, end_ns;
} TpStamp;

/* The address of a buffer of a device that is_host. */
void *tp_host_buf_get_data (const TpBuf *buf);

/* By name: "cpu", "opencl:1", "sim:server-gpu". TPLAN_ERROR_DEVICE says which
 * there are. */
TpDevice *tp_device_open (const char *name, const TpDeviceOptions *options,
                          GError **error);
void tp_device_close (TpDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDevice, tp_device_close)
void tp_device_info_clear (TpDeviceInfo *info);
const TpDeviceOps *const *tp_device_list (int *out_n);
/* Whether a device of this name works in host memory, by its kind: opens
 * nothing. What a simulated one says of itself is in its figures. */
gboolean tp_device_is_host (const char *name);
/* Names of all devices of this machine: "cpu", "opencl:0", ..., "ref". */
GPtrArray *tp_device_names (void);

/* How many threads: option, TPLAN_THREADS, OMP_NUM_THREADS, affinity mask, then
 * cgroup cpu.max. */
int tp_threads_count (int wanted);

#endif
