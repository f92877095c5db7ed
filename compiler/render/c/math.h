// Functions that follow from IEEE 754 and the definitions: exact, or rounded once.
INLINE wide abs_w(wide x) { return bits((ints)x & 0x7fffffffffffffff); }
INLINE wide like(wide x, wide sign) { return bits((ints)abs_w(x) | ((ints)sign & ~0x7fffffffffffffff)); }
INLINE wide sqrt_w(wide x) {
  EACH x[l] = __builtin_sqrt(x[l]);
  return x;
}
INLINE wide floor_w(wide x) {
  EACH x[l] = __builtin_floor(x[l]);
  return x;
}
INLINE wide ceil_w(wide x) {
  EACH x[l] = __builtin_ceil(x[l]);
  return x;
}
INLINE wide round_w(wide x) { // halves away from zero
  wide t = i32_w(x);
  return t + select_w(abs_w(x - t) >= 0.5, like(splat(1), x), splat(0));
}
INLINE wide sign_w(wide x) { return select_w(x > 0, splat(1), select_w(x < 0, splat(-1), x)); }
INLINE wide maximum_w(wide x, wide y) { return select_w((x > y) | (x != x), x, y); }
INLINE wide minimum_w(wide x, wide y) { return select_w((x < y) | (x != x), x, y); }
INLINE wide mulzero_w(wide x, wide y) { return select_w(x == 0, splat(0), x * y); }
SLOW wide mod_w(wide x, wide y) { // the remainder with the sign of y
  wide r = x;
  EACH r[l] = fmod(x[l], y[l]);
  return select_w((r != 0) & ((r < 0) ^ (y < 0)), r + y, r);
}

INLINE wide sigmoid_w(wide x) {
  wide e = exp_w(-abs_w(x));
  return select_w(x < 0, e, splat(1)) / (1 + e);
}
INLINE wide softplus_w(wide x) { return select_w(x < 0, splat(0), x) + log1p_w(exp_w(-abs_w(x))); }
INLINE wide logsigmoid_w(wide x) { return -softplus_w(-x); }
