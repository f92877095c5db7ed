// A density by hand: eight walkers abreast in one vector, theta[dim] to out[0] = log density, out[1…dim] = its gradient. Vector forms of the
// mathematical functions are the C library's (libmvec) where it has them.
#include <features.h>
#define LANES 8
#define EACH for (int l = 0; l < LANES; l++)
typedef double v8 __attribute__((vector_size(64)));
typedef long long i8 __attribute__((vector_size(64)));

#if defined(__AVX512F__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define LIBM(f) \
  extern __attribute__((const)) v8 _ZGVeN8v_##f(v8); \
  static inline v8 v##f(v8 x) { return _ZGVeN8v_##f(x); }
#else
#define LIBM(f) \
  extern double f(double); \
  static inline v8 v##f(v8 x) { \
    EACH x[l] = f(x[l]); \
    return x; \
  }
#endif
LIBM(exp) LIBM(log) LIBM(log1p) LIBM(expm1)

static inline v8 splat(double x) { return (v8){x, x, x, x, x, x, x, x}; }
static inline v8 vabs(v8 x) { return (v8)((i8)x & 0x7fffffffffffffff); }

#ifdef __AVX512F__
#include <immintrin.h>
typedef __mmask8 mask;
static inline mask less(v8 x, v8 y) { return _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_LT_OQ); }
static inline v8 pick(mask m, v8 x, v8 y) { return (v8)_mm512_mask_blend_pd(m, (__m512d)y, (__m512d)x); }
static inline v8 vmax(v8 x, v8 y) { return (v8)_mm512_max_pd((__m512d)x, (__m512d)y); }
static inline int any(mask m) { return m != 0; }
#else
typedef i8 mask;
static inline mask less(v8 x, v8 y) { return x < y; }
static inline v8 pick(mask m, v8 x, v8 y) { return (v8)((m & (i8)x) | (~m & (i8)y)); }
static inline v8 vmax(v8 x, v8 y) { return pick(less(y, x), x, y); }
static inline int any(mask m) {
  long long x = 0;
  EACH x |= m[l];
  return x != 0;
}
#endif

static inline v8 vsqrt(v8 x) {
  EACH x[l] = __builtin_sqrt(x[l]);
  return x;
}

#define LOG_2PI 1.837877066409345483560659472811

static void density(const double *const *data, v8 *work, const v8 *theta, v8 *out);

__attribute__((visibility("default"))) void run(const double *const *data, v8 *work, const v8 *theta, v8 *out, long times) {
  for (long t = 0; t < times; t++) density(data, work, theta, out);
}
