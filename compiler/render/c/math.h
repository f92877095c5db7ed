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
  return t + select_w(le_w(splat(0.5), abs_w(x - t)), like(splat(1), x), splat(0));
}
INLINE wide sign_w(wide x) { return select_w(positive(x), splat(1), select_w(negative(x), splat(-1), x)); }
INLINE wide maximum_w(wide x, wide y) { return select_w(lt_w(y, x) | ne_w(x, x), x, y); }
INLINE wide minimum_w(wide x, wide y) { return select_w(lt_w(x, y) | ne_w(x, x), x, y); }
INLINE wide mulzero_w(wide x, wide y) { return select_w(not_w(x), splat(0), x * y); }
SLOW wide mod_w(wide x, wide y) { // the remainder with the sign of y
  wide r = x;
  EACH r[l] = fmod(x[l], y[l]);
  return select_w(~not_w(r) & (negative(r) ^ negative(y)), r + y, r);
}

// exp x = 2ⁿ·exp r, n = round(x / log 2), |r| ≤ ½ log 2, exp r by its Taylor polynomial of degree 13 (next term 4e-18). Error below 1 ulp.
// The library's is as fast, but not where results underflow to 0, as they do in most sums of exponentials.
INLINE wide exp_w(wide x) {
  const real magic = 0x1.8p52; // its last bit is 1: adding it rounds
  ints none = lt_w(x, splat(-745.14)); // multiplying to an underflow takes processors a hundred cycles
  x = select_w(none, splat(0), select_w(lt_w(splat(710), x), splat(710), x));
  wide t = x * 0x1.71547652b82fep0 + magic, n = t - magic;
  wide r = x - n * 0x1.62e42feep-1; // log 2 in two parts, the first short enough for n times it to be exact
  r = r - n * 0x1.a39ef35793c76p-33;
  wide p = splat(1. / 6227020800);
  p = p * r + 1. / 479001600, p = p * r + 1. / 39916800, p = p * r + 1. / 3628800, p = p * r + 1. / 362880;
  p = p * r + 1. / 40320, p = p * r + 1. / 5040, p = p * r + 1. / 720, p = p * r + 1. / 120, p = p * r + 1. / 24;
  p = p * r + 1. / 6, p = p * r + 0.5, p = p * r + 1, p = p * r + 1;
  ints k = (ints)t - (ints)splat(magic), half = k >> 1; // 2ⁿ in two factors, each a normal number
  return select_w(none, splat(0), p * bits((half + 1023) << 52) * bits((k - half + 1023) << 52));
}

INLINE wide sigmoid_w(wide x) {
  wide e = exp_w(-abs_w(x));
  return select_w(negative(x), e, splat(1)) / (1 + e);
}
INLINE wide softplus_w(wide x) { return select_w(negative(x), splat(0), x) + log1p_w(exp_w(-abs_w(x))); }
INLINE wide logsigmoid_w(wide x) { return -softplus_w(-x); }
