// Functions for programs in which each lane has separate memory: their kernels are loops over points, which the C
// compiler vectorizes. Therefore these functions of one number have no calls and no branches, and use comparisons
// instead of fmin and fmax, which ignore NaN. The others are functions of the C library that have vector forms.
#if defined(LIBMVEC) && !defined(__clang__)
#define VECTORS __attribute__((simd("notinbranch"), const, nothrow))
#else
#define VECTORS __attribute__((const, nothrow))
#endif
// The functions of single precision are called for one number at a time.
#define LIBRARY(name) \
  extern VECTORS real name(real); \
  extern __attribute__((const, nothrow)) single name##f(single);
LIBRARY(log) LIBRARY(log1p) LIBRARY(expm1) LIBRARY(sin) LIBRARY(cos) LIBRARY(tan) LIBRARY(asin) LIBRARY(acos) LIBRARY(atan)
LIBRARY(sinh) LIBRARY(cosh) LIBRARY(tanh) LIBRARY(erf) LIBRARY(erfc)
extern VECTORS real pow(real, real);
extern VECTORS single powf(single, single);

#define BOTH(type, suffix, absolute, root, down, up, nearest) \
  INLINE type abs_one##suffix(type x) { return absolute(x); } \
  INLINE type sqrt_one##suffix(type x) { return root(x); } \
  INLINE type floor_one##suffix(type x) { return down(x); } \
  INLINE type ceil_one##suffix(type x) { return up(x); } \
  INLINE type round_one##suffix(type x) { return nearest(x); } \
  INLINE type sign_one##suffix(type x) { return x > 0 ? 1 : x < 0 ? -1 : x; } \
  INLINE type maximum_one##suffix(type x, type y) { return (y < x) | (x != x) ? x : y; } \
  INLINE type minimum_one##suffix(type x, type y) { return (x < y) | (x != x) ? x : y; } \
  INLINE type mulzero_one##suffix(type x, type y) { return x == 0 ? 0 : x * y; }
BOTH(real, , __builtin_fabs, __builtin_sqrt, __builtin_floor, __builtin_ceil, __builtin_round)
BOTH(single, _f, __builtin_fabsf, __builtin_sqrtf, __builtin_floorf, __builtin_ceilf, __builtin_roundf)

// exp as exp_w and exp_fw compute it. The last bits of the sum with `magic` are the integer n.
INLINE real exp_one(real x) {
  const real magic = 0x1.8p52;
  union { real x; long long i; } sum, low, high;
  real y = x > 710 ? 710 : x;
  sum.x = y * 0x1.71547652b82fep0 + magic;
  real n = sum.x - magic;
  real r = y - n * 0x1.62e42feep-1;
  r = r - n * 0x1.a39ef35793c76p-33;
  real r2 = r * r, r4 = r2 * r2;
  real a = 0.5 + r * 0.16666666666666433 + r2 * (0.04166666666660399 + r * 0.008333333333499955);
  real b = 0.0013888888926778947 + r * 0.0001984126946633665 + r2 * (2.4801508706552734e-05 + r * 2.755764082375038e-06);
  real c = 2.7625176477402527e-07 + r * 2.4978371934862845e-08;
  real p = 1 + (r + r2 * (a + r4 * (b + r4 * c)));
  long long k = sum.i - 0x4338000000000000, half = k >> 1;
  low.i = (long long)((word)(half + 1023) << 52), high.i = (long long)((word)(k - half + 1023) << 52);
  return x < -745.14 ? 0 : p * low.x * high.x;
}
// exp_part_f returns p near 1 and sets k such that exp x = p · 2^k, for x ≤ 89.
INLINE single exp_part_f(single x, int *k) {
  const single magic = 0x1.8p23f;
  union { single x; int i; } sum;
  sum.x = x * 0x1.715476p0f + magic;
  single n = sum.x - magic;
  single r = x - n * 0x1.62ep-1f;
  r = r - n * 0x1.0bfbe8p-15f;
  single r2 = r * r, r4 = r2 * r2;
  single a = 0.5f + r * (1.f / 6) + r2 * (1.f / 24 + r * (1.f / 120));
  *k = sum.i - 0x4B400000;
  return 1 + (r + r2 * (a + r4 * (1.f / 720 + r * (1.f / 5040))));
}
INLINE single power_f(int k) { // 2^k
  union { int i; single x; } power = {(int)((unsigned)(k + 127) << 23)};
  return power.x;
}
// exp x for x ≤ 89. 2^k is split into two factors, because it may be below the smallest number.
INLINE single exp_below_one_f(single x) {
  int k;
  single p = exp_part_f(x, &k);
  return x < -103.98f ? 0 : p * power_f(k >> 1) * power_f(k - (k >> 1));
}
INLINE single exp_one_f(single x) { return exp_below_one_f(x > 89 ? 89 : x); }
// tanh: an odd polynomial near 0 (Moshier, Cephes, tanhf.c), elsewhere by exp. Error below 2 ulp.
INLINE single tanh_one_f(single x) {
  single size = abs_one_f(x), z = x * x;
  single p = -5.70498872745e-3f * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  int k; // tanh x rounds to ±1 beyond 20
  single e = exp_part_f(size > 20 ? 40 : 2 * size, &k);
  single far = 1 - 2 / (e * power_f(k) + 1);
  return size < 0.625f ? p * z * x + x : x < 0 ? -far : far;
}
// These functions take exp only of numbers ≤ 0, which needs no upper bound.
#define ABOVE_EXP(type, suffix, exp, log1p) \
  INLINE type sigmoid_one##suffix(type x) { \
    type e = exp(-abs_one##suffix(x)); \
    return (x < 0 ? e : 1) / (1 + e); \
  } \
  INLINE type softplus_one##suffix(type x) { return (x < 0 ? 0 : x) + log1p(exp(-abs_one##suffix(x))); } \
  INLINE type logsigmoid_one##suffix(type x) { return -softplus_one##suffix(-x); }
ABOVE_EXP(real, , exp_one, log1p) ABOVE_EXP(single, _f, exp_below_one_f, log1pf)

#define exp_s exp_one
#define exp_fs exp_one_f
#define abs_s abs_one
#define abs_fs abs_one_f
#define sqrt_s sqrt_one
#define sqrt_fs sqrt_one_f
#define floor_s floor_one
#define floor_fs floor_one_f
#define ceil_s ceil_one
#define ceil_fs ceil_one_f
#define round_s round_one
#define round_fs round_one_f
#define sign_s sign_one
#define sign_fs sign_one_f
#define maximum_s maximum_one
#define maximum_fs maximum_one_f
#define minimum_s minimum_one
#define minimum_fs minimum_one_f
#define mulzero_s mulzero_one
#define mulzero_fs mulzero_one_f
#define sigmoid_s sigmoid_one
#define sigmoid_fs sigmoid_one_f
#define softplus_s softplus_one
#define softplus_fs softplus_one_f
#define logsigmoid_s logsigmoid_one
#define logsigmoid_fs logsigmoid_one_f
#define tanh_fs tanh_one_f
#define log_s log
#define log_fs logf
#define log1p_s log1p
#define log1p_fs log1pf
#define expm1_s expm1
#define expm1_fs expm1f
#define sin_s sin
#define sin_fs sinf
#define cos_s cos
#define cos_fs cosf
#define tan_s tan
#define asin_s asin
#define acos_s acos
#define atan_s atan
#define atan_fs atanf
#define sinh_s sinh
#define cosh_s cosh
#define tanh_s tanh
#define erf_s erf
#define erf_fs erff
#define erfc_s erfc
#define pow_s pow

// normals_s and uniforms_s write the noise of n points, beginning with point `first`, for the block's only lane. Each
// vector has numbers of LANES pairs of points. The numbers are those of the other layouts.
#define NOISE(name, of) \
  static __attribute__((noinline)) void name(const context *c, word site, word first, long n, real *out) { \
    words c1 = (words){} + (c->step & 0xffffffff), c2 = (words){} + (c->step >> 32 << 24 | site), c3 = (words){} + c->lane[0]; \
    for (word pair = first >> 1; 2 * pair < first + n; pair += LANES) { \
      words c0; \
      EACH c0[l] = (pair + l) & 0xffffffff; \
      block b = philox4x32(c0, c1, c2, c3, c->seed & 0xffffffff, c->seed >> 32); \
      wide z[2] = {of(b.half[0]), of(b.half[1])}; \
      long at = 2 * pair - first; \
      if (at >= 0 && at + 2 * LANES <= n) \
        for (int l = 0; l < LANES; l++) out[at + 2 * l] = z[0][l], out[at + 2 * l + 1] = z[1][l]; \
      else \
        for (int l = 0; l < 2 * LANES; l++) \
          if (at + l >= 0 && at + l < n) out[at + l] = z[l & 1][l >> 1]; \
    } \
  }
NOISE(normals_s, normal_w) NOISE(uniforms_s, uniform_w)

// normals_fs writes normal noise of single precision. A complete group of 64 points is computed in `out`; the points
// needed of an incomplete group are copied.
static __attribute__((noinline)) void normals_fs(const context *c, word site, word first, long n, single *out) {
  for (word group = first >> 6; group << 6 < first + n; group++) {
    single some[64];
    long at = (long)(group << 6) - (long)first;
    if (at >= 0 && at + 64 <= n) {
      group_f(c, site, group, c->lane[0], out + at);
      continue;
    }
    group_f(c, site, group, c->lane[0], some);
    for (int j = 0; j < 64; j++)
      if (at + j >= 0 && at + j < n) out[at + j] = some[j];
  }
}
