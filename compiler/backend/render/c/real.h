// The functions above for numbers that all lanes share: one lane of the vector form, whose result does not depend on
// the lane.
#define REAL1(f) \
  SLOW real f##_s(real x) { return f##_w(splat(x))[0]; }
#define REAL2(f) \
  SLOW real f##_s(real x, real y) { return f##_w(splat(x), splat(y))[0]; }
EVERY(REAL1)
EVERY(REAL2)
