/* sha256.c: SHA-256 by instructions of the processor.
 *
 * FIPS 180-4, 6.2.2, with the SHA extensions of x86: one instruction is two
 * rounds, two others the message schedule. State is held as the words ABEF and
 * CDGH, as these want it. Other processors have none here. */
#include "config.h"

#include "ir/sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

#define SHA __attribute__ ((target ("sha,sse4.1")))

/* Fractional parts of the cube roots of the first 64 primes. */
static const guint32 constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
  0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
  0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
  0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static gboolean
ask_processor (void)
{
  unsigned a, b, c, d;

  if (!__get_cpuid (1, &a, &b, &c, &d) || (c & bit_SSE4_1) == 0)
    return FALSE;
  return __get_cpuid_count (7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}

/* Asked once: in a virtual machine it takes longer than most digests. */
gboolean
tp_sha256_is_there (void)
{
  static int known;           /* (atomic) 1: no; 2: yes */

  if (g_atomic_int_get (&known) == 0)
    g_atomic_int_set (&known, 1 + ask_processor ());
  return g_atomic_int_get (&known) == 2;
}

/* The next four words of the schedule from the last sixteen. */
SHA static __m128i
extend (const __m128i *words)
{
  __m128i sum = _mm_sha256msg1_epu32 (words[0], words[1]);

  sum = _mm_add_epi32 (sum, _mm_alignr_epi8 (words[3], words[2], 4));
  return _mm_sha256msg2_epu32 (sum, words[3]);
}

typedef struct
{
  __m128i abef, cdgh;
} State;

SHA static inline __attribute__ ((always_inline)) void
take_block (State *state, const __m128i *block)
{
  const __m128i swap
      = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i words[16];
  State at = *state;

#pragma GCC unroll 16
  for (int i = 0; i < 16; i++)
    {
      __m128i key = _mm_loadu_si128 ((const __m128i *) &constants[4 * i]);
      __m128i sum;

      words[i] = i < 4 ? _mm_shuffle_epi8 (_mm_loadu_si128 (&block[i]), swap)
                       : extend (&words[i - 4]);
      sum = _mm_add_epi32 (words[i], key);
      at.cdgh = _mm_sha256rnds2_epu32 (at.cdgh, at.abef, sum);
      at.abef = _mm_sha256rnds2_epu32 (at.abef, at.cdgh,
                                       _mm_shuffle_epi32 (sum, 0x0e));
    }
  state->abef = _mm_add_epi32 (state->abef, at.abef);
  state->cdgh = _mm_add_epi32 (state->cdgh, at.cdgh);
}

SHA static State
load_state (const guint32 *state)
{
  return (State){ _mm_set_epi32 (state[0], state[1], state[4], state[5]),
                  _mm_set_epi32 (state[2], state[3], state[6], state[7]) };
}

SHA static void
store_state (State from, guint32 *state)
{
  state[0] = _mm_extract_epi32 (from.abef, 3);
  state[1] = _mm_extract_epi32 (from.abef, 2);
  state[4] = _mm_extract_epi32 (from.abef, 1);
  state[5] = _mm_extract_epi32 (from.abef, 0);
  state[2] = _mm_extract_epi32 (from.cdgh, 3);
  state[3] = _mm_extract_epi32 (from.cdgh, 2);
  state[6] = _mm_extract_epi32 (from.cdgh, 1);
  state[7] = _mm_extract_epi32 (from.cdgh, 0);
}

SHA void
tp_sha256_blocks (guint32 *state, const guint8 *blocks, gsize n)
{
  State at = load_state (state);

  for (gsize i = 0; i < n; i++, blocks += TP_SHA256_BLOCK)
    take_block (&at, (const __m128i *) blocks);
  store_state (at, state);
}

#else

gboolean
tp_sha256_is_there (void)
{
  return FALSE;
}

void
tp_sha256_blocks (guint32 *state, const guint8 *blocks, gsize n)
{
  g_assert_not_reached ();
}

#endif
