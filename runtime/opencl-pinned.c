/* opencl-pinned.c: see opencl-pinned.h.
 *
 * A driver copies memory that may be paged out through a little of its own, with one
 * thread: 8 GB/s to an H200, 12 from it, where its bus does 55 (bench/gpu-links.c).
 * So a copy is cut into pieces, for each of which there is pinned memory in a ring:
 * threads of the pool fill or empty one while others are on their way. A core moves
 * about 10 GB/s, so six keep up with the bus.
 *
 * From 64 KiB on: there a copy takes 25 us, one that is pinned 9.5, and to put the
 * bytes there 6.5. At 4 KiB both take as long. Pieces are of 1 MiB, so that what one
 * costs apart from its bytes, some microseconds, is little beside the 19 that these
 * are on the bus, and all of them stay in the last cache. */
#include "config.h"

#include "runtime/opencl-pinned.h"

#include "runtime/opencl-context.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (1 << 20)
#define N_SLOTS 4             /* pieces on their way */
#define LANE_BYTES (N_SLOTS * PIECE_BYTES)
#define BLOCK_BYTES (32 << 10) /* threads take such */
#define THREAD_BYTES (128 << 10) /* less is not worth a thread */
#define MOST_THREADS 8

/* One direction. */
typedef struct
{
  char *bytes;                /* LANE_BYTES */
  cl_event events[N_SLOTS];   /* NULL: the slot is free */
} Lane;

struct TpOpenclPinned
{
  cl_command_queue queue;     /* (unowned) */
  cl_mem memory;
  char *mapped;
  int n_threads;
  Lane lanes[2];              /* [is_write] */
};

gboolean
tp_opencl_wants_pinned (cl_device_id device)
{
  const char *wanted = secure_getenv ("TPLAN_OPENCL_PINNED");
  gboolean is_cpu = tp_opencl_is_cpu (device);
  gboolean is_unified
      = tp_opencl_get_number (device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;

  if (g_strcmp0 (wanted, "no") == 0)
    return FALSE;
  return is_cpu ? g_strcmp0 (wanted, "yes") == 0 : !is_unified;
}

/* ---- making and freeing --------------------------------------------------- */

static gboolean
map_memory (TpOpenclPinned *pinned)
{
  cl_context context = NULL;
  cl_int code = clGetCommandQueueInfo (pinned->queue, CL_QUEUE_CONTEXT,
                                       sizeof context, &context, NULL);

  if (tp_opencl_check (code, context) != CL_SUCCESS)
    return FALSE;
  pinned->memory
      = clCreateBuffer (context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                        2 * LANE_BYTES, NULL, &code);
  if (tp_opencl_check (code, pinned->memory) != CL_SUCCESS)
    return FALSE;
  pinned->mapped = clEnqueueMapBuffer (
      pinned->queue, pinned->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
      2 * LANE_BYTES, 0, NULL, NULL, &code);
  return tp_opencl_check (code, pinned->mapped) == CL_SUCCESS;
}

TpOpenclPinned *
tp_opencl_pinned_new (cl_command_queue queue, int n_threads)
{
  TpOpenclPinned *pinned = g_new0 (TpOpenclPinned, 1);

  pinned->queue = queue;
  pinned->n_threads = MIN (n_threads, MOST_THREADS);
  if (map_memory (pinned))
    {
      for (int i = 0; i < 2; i++)
        pinned->lanes[i].bytes = pinned->mapped + i * LANE_BYTES;
      if (!tp_pool_prepare (pinned->n_threads, NULL))
        pinned->n_threads = 1;
      return pinned;
    }
  tp_opencl_pinned_free (pinned);
  return NULL;
}

void
tp_opencl_pinned_free (TpOpenclPinned *pinned)
{
  if (pinned == NULL)
    return;
  if (pinned->mapped != NULL && !tp_opencl_is_forked ())
    clEnqueueUnmapMemObject (pinned->queue, pinned->memory, pinned->mapped, 0,
                             NULL, NULL);
  if (pinned->memory != NULL)
    TP_OPENCL_RELEASE (MemObject, pinned->memory);
  g_free (pinned);
}

/* ---- the host's part ------------------------------------------------------- */

typedef struct
{
  char *dst;
  const char *src;
  gint64 size_bytes;
} Blocks;

static void
copy_blocks (gpointer data, gint64 first, gint64 end, int thread)
{
  const Blocks *blocks = data;
  gint64 begin = first * BLOCK_BYTES;
  gint64 stop = MIN (end * BLOCK_BYTES, blocks->size_bytes);

  (void) thread;
  memcpy (blocks->dst + begin, blocks->src + begin, stop - begin);
}

static void
copy_host (const TpOpenclPinned *pinned, Blocks blocks)
{
  int n_threads = MIN (pinned->n_threads, blocks.size_bytes / THREAD_BYTES);
  gint64 n_blocks = (blocks.size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;

  tp_pool_run_briefly (n_threads, n_blocks, copy_blocks, &blocks);
}

/* ---- a copy ---------------------------------------------------------------- */

typedef struct
{
  const TpOpenclPinned *pinned;
  Lane *lane;
  cl_command_queue queue;
  const TpOpenclPlace *place;
  const TpCopy *copy;
} Transfer;

typedef struct
{
  gint64 offset, size_bytes;
  char *host, *bytes;
  cl_event *event;
} Piece;

static Piece
find_piece (const Transfer *transfer, gint64 index)
{
  gint64 offset = index * PIECE_BYTES;
  int slot = index % N_SLOTS;

  return (Piece){ .offset = offset,
                  .size_bytes = MIN (transfer->copy->size_bytes - offset,
                                     PIECE_BYTES),
                  .host = (char *) transfer->copy->host + offset,
                  .bytes = transfer->lane->bytes + slot * PIECE_BYTES,
                  .event = &transfer->lane->events[slot] };
}

static cl_int
begin_piece (const Transfer *transfer, gint64 index)
{
  Piece piece = find_piece (transfer, index);
  cl_mem memory = transfer->place->memory;
  gint64 offset = transfer->place->offset + piece.offset;
  cl_int code;

  if (transfer->copy->is_write)
    {
      copy_host (transfer->pinned,
                 (Blocks){ piece.bytes, piece.host, piece.size_bytes });
      code = clEnqueueWriteBuffer (transfer->queue, memory, CL_FALSE, offset,
                                   piece.size_bytes, piece.bytes, 0, NULL,
                                   piece.event);
    }
  else
    code = clEnqueueReadBuffer (transfer->queue, memory, CL_FALSE, offset,
                                piece.size_bytes, piece.bytes, 0, NULL,
                                piece.event);
  if (code != CL_SUCCESS)
    *piece.event = NULL;
  code = tp_opencl_check (code, *piece.event);
  return code == CL_SUCCESS ? clFlush (transfer->queue) : code;
}

static cl_int
wait_slot (cl_event *event)
{
  cl_int code = clWaitForEvents (1, event);

  TP_OPENCL_RELEASE (Event, *event);
  *event = NULL;
  return code;
}

static cl_int
end_piece (const Transfer *transfer, gint64 index)
{
  Piece piece = find_piece (transfer, index);
  cl_int code = wait_slot (piece.event);

  if (code == CL_SUCCESS && !transfer->copy->is_write)
    copy_host (transfer->pinned,
               (Blocks){ piece.host, piece.bytes, piece.size_bytes });
  return code;
}

/* What was begun before something failed. */
static void
wait_for_rest (Lane *lane)
{
  for (int i = 0; i < N_SLOTS; i++)
    if (lane->events[i] != NULL)
      wait_slot (&lane->events[i]);
}

cl_int
tp_opencl_pinned_copy (TpOpenclPinned *pinned, cl_command_queue queue,
                       const TpOpenclPlace *place, const TpCopy *copy)
{
  Lane *lane = &pinned->lanes[copy->is_write != FALSE];
  const Transfer transfer = { pinned, lane, queue, place, copy };
  gint64 n = (copy->size_bytes + PIECE_BYTES - 1) / PIECE_BYTES;
  cl_int code = CL_SUCCESS;

  for (gint64 i = 0; i < n + N_SLOTS && code == CL_SUCCESS; i++)
    {
      if (i >= N_SLOTS)
        code = end_piece (&transfer, i - N_SLOTS);
      if (i < n && code == CL_SUCCESS)
        code = begin_piece (&transfer, i);
    }
  if (code != CL_SUCCESS)
    wait_for_rest (lane);
  return code;
}
