// sigmoid, softplus and logsigmoid without branches: exp, log1p and divisions of CUDA have branches for rare arguments,
// and the compiler does not compute several rows of a loop side by side if there are branches in between.

// inverse returns 1/x for 1 ≤ x ≤ 4, within 1 ulp.
#ifdef CUDASIM
INLINE double inverse(double x) { return 1 / x; }
INLINE float inverse(float x) { return 1 / x; }
#else
INLINE double inverse(double x) { // Newton's steps from 20 bits
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(fma(-x, y, 1.0), y, y);
  return fma(fma(-x, y, 1.0), y, y);
}
INLINE float inverse(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fmaf(fmaf(-x, y, 1.0f), y, y);
}
#endif

// exp_below returns exp x for x ≤ 0, by exp_part and two factors that are normal numbers.
INLINE double exp_below(double x) {
  double n, p = exp_part(x < -746 ? -746 : x, &n);
  long long k = (long long)n, half = k >> 1;
  return p * __longlong_as_double((half + 1023) << 52) * __longlong_as_double((k - half + 1023) << 52);
}
INLINE float exp_below(float x) { return expf(x); }

// atanh_part returns (artanh u / u − 1) / u² at u² = z ≤ (3 − √8)²: polynomials with the least errors, 1.3e-18 and 9e-10
// relative to artanh u / u (Remez, with mpmath).
INLINE double atanh_part(double z) {
  return 0.3333333333333365135 + z * (0.19999999999718256832 + z * (0.14285714369129815619 + z * (0.11111099473489356871 +
    z * (0.09091773386843142102 + z * (0.07657231468517410199 + z * 0.073960578856262505506)))));
}
INLINE float atanh_part(float z) { return 0.333333876364f + z * (0.199888241298f + z * 0.149346682756f); }

// log_above returns log(1 + e) for 0 ≤ e ≤ 1: 2 artanh(e / (2 + e)), or log 2 + 2 artanh((e − 1) / (e + 3)) for e above
// √2 − 1.
template <class T> INLINE T log_above(T e) {
  bool far = e > T(0.41421356237309505);
  T above = far ? e - 1 : e, below = far ? e + 3 : e + 2, over = inverse(below);
  T u = above * over;
  u = u + over * (above - u * below); // within 1 ulp
  T z = u * u, twice = u + u;
  return (far ? T(0.6931471805599453) : T(0)) + (twice + twice * z * atanh_part(z));
}

#define LOGISTIC(s, T) \
  INLINE T sigmoid_##s(T x) { \
    T e = exp_below(-abs_##s(x)); \
    return (x < 0 ? e : T(1)) * inverse(1 + e); \
  } \
  INLINE T softplus_##s(T x) { return (x < 0 ? T(0) : x) + log_above(exp_below(-abs_##s(x))); } \
  INLINE T logsigmoid_##s(T x) { return -softplus_##s(-x); }
LOGISTIC(w, double) LOGISTIC(s, double) LOGISTIC(fw, float) LOGISTIC(fs, float)
