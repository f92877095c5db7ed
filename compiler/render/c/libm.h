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

#if defined(LIBMVEC) && defined(__AVX512F__)
#define LIBM(f) \
  extern __attribute__((const)) wide _ZGVeN8v_##f(wide); \
  INLINE wide f##_w(wide x) { return _ZGVeN8v_##f(x); }
#define LIBM2(f) \
  extern __attribute__((const)) wide _ZGVeN8vv_##f(wide, wide); \
  INLINE wide f##_w(wide x, wide y) { return _ZGVeN8vv_##f(x, y); }
#elif defined(LIBMVEC)
#ifdef __AVX2__
#define PARTS 2
#define PART(args, f) _ZGVdN4##args##_##f
#else
#define PARTS 4
#define PART(args, f) _ZGVbN2##args##_##f
#endif
typedef double part __attribute__((vector_size(64 / PARTS)));
typedef union { wide whole; part part[PARTS]; } parts;
#define LIBM(f) \
  extern __attribute__((const)) part PART(v, f)(part); \
  SLOW wide f##_w(wide x) { \
    parts p = {x}; \
    for (int i = 0; i < PARTS; i++) p.part[i] = PART(v, f)(p.part[i]); \
    return p.whole; \
  }
#define LIBM2(f) \
  extern __attribute__((const)) part PART(vv, f)(part, part); \
  SLOW wide f##_w(wide x, wide y) { \
    parts p = {x}, q = {y}; \
    for (int i = 0; i < PARTS; i++) p.part[i] = PART(vv, f)(p.part[i], q.part[i]); \
    return p.whole; \
  }
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

LIBM(log) LIBM(log1p) LIBM(expm1)
LIBM(sin) LIBM(cos) LIBM(tan) LIBM(asin) LIBM(acos) LIBM(atan) LIBM(sinh) LIBM(cosh) LIBM(tanh)
LIBM(erf) LIBM(erfc) LIBM2(pow)
extern __attribute__((const)) real fmod(real, real);
