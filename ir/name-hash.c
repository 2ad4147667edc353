/* name-hash.c: SipHash-2-4 (Aumasson and Bernstein 2012) with a random key.
 *
 * GLib's g_str_hash has no key: names that collide are easily made, and a file
 * of 65,536 of them took minutes to read. */
#include "config.h"

#include "ir/name-hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

static guint64
rotate (guint64 x, int bits)
{
  return x << bits | x >> (64 - bits);
}

static void
mix (guint64 *v, int n_rounds)
{
  for (int i = 0; i < n_rounds; i++)
    {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = rotate (v[1], 13) ^ v[0];
      v[3] = rotate (v[3], 16) ^ v[2];
      v[0] = rotate (v[0], 32);
      v[2] += v[1];
      v[0] += v[3];
      v[1] = rotate (v[1], 17) ^ v[2];
      v[3] = rotate (v[3], 21) ^ v[0];
      v[2] = rotate (v[2], 32);
    }
}

guint64
tp_siphash (const guint64 *key, gconstpointer data, gsize n)
{
  guint64 v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                   key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 };
  const guint8 *bytes = data;

  for (gsize at = 0; at <= n; at += 8)
    {
      guint64 word = 0;

      memcpy (&word, bytes + at, MIN (n - at, 8));
      word = GUINT64_FROM_LE (word);
      if (n - at < 8)
        word |= (guint64) n << 56;
      v[3] ^= word;
      mix (v, 2);
      v[0] ^= word;
    }
  v[2] ^= 0xff;
  mix (v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static guint64 process_key[2];

static void
make_key (void)
{
  /* Too early at boot for random bytes: a key that is only hard to guess. */
  if (getrandom (process_key, sizeof process_key, GRND_NONBLOCK)
      != sizeof process_key)
    {
      process_key[0] = g_get_monotonic_time ();
      process_key[1] = (guint64) (gsize) &process_key;
    }
}

guint
tp_bytes_hash (gconstpointer bytes, gsize n)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_key);
  return (guint) tp_siphash (process_key, bytes, n);
}

guint
tp_name_hash (gconstpointer name)
{
  return tp_bytes_hash (name, strlen (name));
}

guint
tp_pair_hash (gconstpointer pair)
{
  return tp_bytes_hash (pair, sizeof (guint64));
}
