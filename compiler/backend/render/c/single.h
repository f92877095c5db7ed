// Single precision: the types single and singles correspond to real and wide. Names of functions end in _fs and _fw.
// Functions that are rare or lose digits are computed in double precision.
typedef float single;
typedef float singles __attribute__((vector_size(4 * LANES)));
typedef int ints_f __attribute__((vector_size(4 * LANES)));

INLINE singles singles_from(wide x) { return __builtin_convertvector(x, singles); }
INLINE wide wide_from(singles x) { return __builtin_convertvector(x, wide); }
#if LANES == 8
INLINE singles splat_f(single x) { return (singles){x, x, x, x, x, x, x, x}; }
#elif LANES == 4
INLINE singles splat_f(single x) { return (singles){x, x, x, x}; }
#else
INLINE singles splat_f(single x) { return (singles){x, x}; }
#endif
INLINE singles bits_f(ints_f x) { return (singles)x; }
#ifdef MASKS
typedef mask mask_f;
#define COMPARE_F(name, operator, code) \
  INLINE mask_f name##_fw(singles x, singles y) { return __builtin_ia32_cmpps256_mask(x, y, code, -1); } \
  INLINE long name##_fs(single x, single y) { return x operator y; }
INLINE singles select_fw(mask_f m, singles a, singles b) { return __builtin_ia32_blendmps_256_mask(b, a, m); }
INLINE mask_f mask_f_from(mask m) { return m; }
INLINE mask mask_from(mask_f m) { return m; }
#else
typedef ints_f mask_f;
#define COMPARE_F(name, operator, code) \
  INLINE mask_f name##_fw(singles x, singles y) { return x operator y; } \
  INLINE long name##_fs(single x, single y) { return x operator y; }
INLINE singles select_fw(mask_f m, singles a, singles b) { return bits_f((m & (ints_f)a) | (~m & (ints_f)b)); }
INLINE mask_f mask_f_from(mask m) { return __builtin_convertvector(m, mask_f); }
INLINE mask mask_from(mask_f m) { return __builtin_convertvector(m, mask); }
#endif
COMPARE_F(lt, <, 17) COMPARE_F(le, <=, 18) COMPARE_F(eq, ==, 0) COMPARE_F(ne, !=, 4)
INLINE single select_fs(long long m, single a, single b) { return m ? a : b; }
INLINE singles truth_fw(mask_f m) { return select_fw(m, splat_f(1), splat_f(0)); }
INLINE single truth_fs(long long m) { return m ? 1 : 0; }
INLINE mask_f positive_f(singles x) { return lt_fw(splat_f(0), x); }
INLINE mask_f negative_f(singles x) { return lt_fw(x, splat_f(0)); }
INLINE mask_f not_fw(singles x) { return eq_fw(x, splat_f(0)); }
INLINE long not_fs(single x) { return x == 0; }
INLINE mask_f isfinite_fw(singles x) { return eq_fw(x - x, splat_f(0)); }
INLINE long isfinite_fs(single x) { return x - x == 0; }

INLINE singles gather_fs(const single *b, ints at) {
  singles x;
  EACH x[l] = b[at[l]];
  return x;
}
INLINE singles gather_fw(const singles *b, ints at) {
  singles x;
  EACH x[l] = ((const single *)b)[at[l] * LANES + l];
  return x;
}
INLINE void scatter_fw(singles *b, ints at, singles x) {
  EACH ((single *)b)[at[l] * LANES + l] = x[l];
}

INLINE singles abs_fw(singles x) { return bits_f((ints_f)x & 0x7fffffff); }
INLINE singles sqrt_fw(singles x) {
  EACH x[l] = __builtin_sqrtf(x[l]);
  return x;
}
INLINE singles floor_fw(singles x) {
  EACH x[l] = __builtin_floorf(x[l]);
  return x;
}
INLINE singles ceil_fw(singles x) {
  EACH x[l] = __builtin_ceilf(x[l]);
  return x;
}
INLINE singles sign_fw(singles x) { return select_fw(positive_f(x), splat_f(1), select_fw(negative_f(x), splat_f(-1), x)); }
INLINE singles maximum_fw(singles x, singles y) { return select_fw(lt_fw(y, x) | ne_fw(x, x), x, y); }
INLINE singles minimum_fw(singles x, singles y) { return select_fw(lt_fw(x, y) | ne_fw(x, x), x, y); }
INLINE singles mulzero_fw(singles x, singles y) { return select_fw(not_fw(x), splat_f(0), x * y); }
INLINE singles mulzeroadd_fw(singles x, singles y, singles z) { return select_fw(not_fw(x), z, x * y + z); }
#ifdef MASKS
INLINE singles tamed_f(mask_f some, singles x, single top) { return __builtin_ia32_minps256_mask(splat_f(top), x, x, -1); }
INLINE singles scale_fw(mask_f some, singles x, singles n) { return __builtin_ia32_scalefps256_mask(x, n, (singles){}, some); }
#else
INLINE singles tamed_f(mask_f some, singles x, single top) {
  return select_fw(some, select_fw(lt_fw(splat_f(top), x), splat_f(top), x), splat_f(0));
}
INLINE singles scale_fw(mask_f some, singles x, singles n) { // in two factors, each a normal number
  ints_f k = __builtin_convertvector(n, ints_f), half = k >> 1;
  return select_fw(some, x * bits_f((half + 127) << 23) * bits_f((k - half + 127) << 23), splat_f(0));
}
#endif

// exp x as in math.h: the Taylor polynomial has degree 7 (next term 5e-9). Error below 2 ulp.
INLINE singles exp_fw(singles x) {
  const single magic = 0x1.8p23f;
  mask_f some = ~lt_fw(x, splat_f(-103.98f));
  x = tamed_f(some, x, 89);
  singles n = (x * 0x1.715476p0f + magic) - magic;
  singles r = x - n * 0x1.62ep-1f; // log 2 in two parts
  r = r - n * 0x1.0bfbe8p-15f;
  singles r2 = r * r, r4 = r2 * r2;
  singles a = 0.5f + r * (1.f / 6) + r2 * (1.f / 24 + r * (1.f / 120));
  singles p = 1 + (r + r2 * (a + r4 * (1.f / 720 + r * (1.f / 5040))));
  return scale_fw(some, p, n);
}

// THROUGH and THROUGH2 define functions by their forms of double precision.
#define THROUGH(f) \
  INLINE singles f##_fw(singles x) { return singles_from(f##_w(wide_from(x))); }
#define THROUGH2(f) \
  INLINE singles f##_fw(singles x, singles y) { return singles_from(f##_w(wide_from(x), wide_from(y))); }
#if defined(LIBMVEC) && LANES > 2
#if LANES == 8
#define VECTOR_F(name) _ZGVdN8v_##name##f
#else
#define VECTOR_F(name) _ZGVbN4v_##name##f
#endif
#define LIBM_F(f) \
  extern __attribute__((const)) singles VECTOR_F(f)(singles); \
  INLINE singles f##_fw(singles x) { return VECTOR_F(f)(x); }
#else
#define LIBM_F(f) THROUGH(f)
#endif
EVERY(LIBM_F)
THROUGH(round)
EVERY(THROUGH)
EVERY(THROUGH2)
THROUGH2(mod)

INLINE singles sigmoid_fw(singles x) {
  singles e = exp_fw(-abs_fw(x));
  return select_fw(negative_f(x), e, splat_f(1)) / (1 + e);
}
INLINE singles softplus_fw(singles x) { return select_fw(negative_f(x), splat_f(0), x) + log1p_fw(exp_fw(-abs_fw(x))); }
INLINE singles logsigmoid_fw(singles x) { return -softplus_fw(-x); }

// The functions above for numbers that all lanes share.
#define SINGLE1(f) \
  SLOW single f##_fs(single x) { return f##_fw(splat_f(x))[0]; }
#define SINGLE2(f) \
  SLOW single f##_fs(single x, single y) { return f##_fw(splat_f(x), splat_f(y))[0]; }
EVERY(SINGLE1)
EVERY(SINGLE2)

