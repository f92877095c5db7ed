// The same functions of numbers that all lanes share, one lane of the vector form: a value does not depend on which it is.
#define REAL1(f) \
  SLOW real f##_s(real x) { return f##_w(splat(x))[0]; }
#define REAL2(f) \
  SLOW real f##_s(real x, real y) { return f##_w(splat(x), splat(y))[0]; }
REAL1(abs) REAL1(sign) REAL1(floor) REAL1(ceil) REAL1(round) REAL1(exp) REAL1(log) REAL1(log1p) REAL1(expm1) REAL1(sqrt)
REAL1(sin) REAL1(cos) REAL1(tan) REAL1(asin) REAL1(acos) REAL1(atan) REAL1(sinh) REAL1(cosh) REAL1(tanh)
REAL1(sigmoid) REAL1(softplus) REAL1(logsigmoid) REAL1(lgamma) REAL1(digamma) REAL1(trigamma) REAL1(erf) REAL1(erfc)
REAL1(lognormcdf) REAL1(normquantile) REAL1(lambertw)
REAL2(pow) REAL2(mod) REAL2(maximum) REAL2(minimum) REAL2(mulzero)
