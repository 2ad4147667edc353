/* tensor-kinds.h: the readers behind tensor-file.h, for their own files. */
#ifndef TP_FORMAT_TENSOR_KINDS_H
#define TP_FORMAT_TENSOR_KINDS_H

#include "format/tensor-file.h"
#include "ir/array.h"
#include "ir/map.h"
#include "ir/region.h"

typedef struct
{
  char *key;                  /* "" in files without keys */
  TpFileTensor tensor;        /* complete once @is_read */
  gboolean is_read;
  gsize offset;               /* of the values, or of what is packed */
  gsize size;                 /* of them in the file */
  gsize unpacked_size;        /* .npz */
  guint32 crc;                /* .npz: of what is unpacked */
  gboolean is_deflated;       /* .npz */
  const char *foreign_dtype;  /* .safetensors: not one of ours; else NULL */
} TpTensorEntry;

typedef struct
{
  const char *suffix;
  gboolean has_keys;
  gboolean (*list) (TpTensorFile *file, GError **error);
  gboolean (*read) (TpTensorFile *file, TpTensorEntry *entry, GError **error);
} TpTensorKind;

struct TpTensorFile
{
  const TpTensorKind *kind;
  char *name;
  GBytes *bytes;
  const guint8 *base;         /* of @bytes */
  gsize size;
  TpRegion *region;           /* what had to be copied or unpacked */
  TpMap *entries;             /* key -> TpTensorEntry* (owned) */
  TpArray *keys;              /* char*, in order, then NULL */
};

/* Part of a file that belongs to one entry. */
typedef struct
{
  gsize first, end;
} TpExtent;

/* Sorts @extents, all inside the file; index of the first that begins before the
 * one before it ends, or -1. */
int tp_extents_find_overlap (TpArray *extents);

/* Adds an entry and gives it @key; NULL with TPLAN_ERROR_INPUT when there is one
 * already. */
TpTensorEntry *tp_tensor_file_add (TpTensorFile *file, const char *key,
                                   GError **error);

/* "weights.npz: ...", code TPLAN_ERROR_INPUT; returns FALSE. */
gboolean tp_tensor_file_fail (const TpTensorFile *file, GError **error,
                              const char *format, ...) G_GNUC_PRINTF (3, 4);

#endif
