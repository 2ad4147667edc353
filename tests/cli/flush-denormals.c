/* flush-denormals.c: preloaded, a program that takes denormals for zero, as one
 * does that some library was linked into with -ffast-math. */
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

__attribute__ ((constructor)) static void
begin (void)
{
#if defined(__x86_64__)
  _mm_setcsr (_mm_getcsr () | 0x8040);
#elif defined(__aarch64__)
  unsigned long mode;

  __asm__ volatile ("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile ("msr fpcr, %0" : : "r"(mode | 1ul << 24));
#endif
}
