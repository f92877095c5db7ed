// Functions of the C library. glibc has vector forms of them on x86 (libmvec: within 4 ulp; Cornea, Kusswurm et al., Intel);
// elsewhere they are called lane by lane.
#if __has_include(<features.h>)
#include <features.h>
#endif
#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define LIBMVEC
#endif
#endif

#ifdef LIBMVEC
#if defined(__AVX512F__)
#define VECTOR(args, f) _ZGVeN8##args##_##f
#elif defined(__AVX2__)
#define VECTOR(args, f) _ZGVdN4##args##_##f
#elif defined(__AVX__)
#define VECTOR(args, f) _ZGVcN4##args##_##f
#else
#define VECTOR(args, f) _ZGVbN2##args##_##f
#endif
#define LIBM(f) \
  extern __attribute__((const)) wide VECTOR(v, f)(wide); \
  INLINE wide f##_w(wide x) { return VECTOR(v, f)(x); }
#define LIBM2(f) \
  extern __attribute__((const)) wide VECTOR(vv, f)(wide, wide); \
  INLINE wide f##_w(wide x, wide y) { return VECTOR(vv, f)(x, y); }
#else
#define LIBM(f) \
  extern __attribute__((const)) real f(real); \
  SLOW wide f##_w(wide x) { \
    EACH x[l] = f(x[l]); \
    return x; \
  }
#define LIBM2(f) \
  extern __attribute__((const)) real f(real, real); \
  SLOW wide f##_w(wide x, wide y) { \
    EACH x[l] = f(x[l], y[l]); \
    return x; \
  }
#endif

EVERY(LIBM)
EVERY(LIBM2)
extern __attribute__((const)) real fmod(real, real);
