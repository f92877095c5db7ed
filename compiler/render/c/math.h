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
#ifdef MASKS // GCC does not find these instructions; theirs is y where a number is missing
INLINE wide maximum_w(wide x, wide y) { return select_w(ne_w(x, x), x, __builtin_ia32_maxpd512_mask(x, y, y, -1, 4)); }
INLINE wide minimum_w(wide x, wide y) { return select_w(ne_w(x, x), x, __builtin_ia32_minpd512_mask(x, y, y, -1, 4)); }
INLINE wide mulzero_w(wide x, wide y) { // a product where x ≠ 0, or is no number
  return __builtin_ia32_mulpd512_mask(x, y, (wide){}, ne_w(x, splat(0)), 4);
}
INLINE wide mulzeroadd_w(wide x, wide y, wide z) { return __builtin_ia32_vfmaddpd512_mask3(x, y, z, ne_w(x, splat(0)), 4); }
INLINE wide scale_w(wide x, wide n) { return __builtin_ia32_scalefpd512_mask(x, n, x, -1, 4); }
#else
INLINE wide maximum_w(wide x, wide y) { return select_w(lt_w(y, x) | ne_w(x, x), x, y); }
INLINE wide minimum_w(wide x, wide y) { return select_w(lt_w(x, y) | ne_w(x, x), x, y); }
INLINE wide mulzero_w(wide x, wide y) { return select_w(not_w(x), splat(0), x * y); }
INLINE wide mulzeroadd_w(wide x, wide y, wide z) { return select_w(not_w(x), z, x * y + z); }
INLINE wide scale_w(wide x, wide n) { // x·2ⁿ in two factors, each a normal number
  ints k = __builtin_convertvector(n, ints), half = k >> 1;
  return x * bits((half + 1023) << 52) * bits((k - half + 1023) << 52);
}
#endif
SLOW wide mod_w(wide x, wide y) { // the remainder with the sign of y
  wide r = x;
  EACH r[l] = fmod(x[l], y[l]);
  return select_w(~not_w(r) & (negative(r) ^ negative(y)), r + y, r);
}

// exp x = 2ⁿ·exp r, n = round(x / log 2), |r| ≤ ½ log 2, exp r by its Taylor polynomial of degree 13 (next term 4e-18), in Estrin's order,
// which waits for few products. Error below 1 ulp. The library's is as fast, but not where results underflow to 0, as they do in most
// sums of exponentials.
INLINE wide exp_w(wide x) {
  const real magic = 0x1.8p52; // its last bit is 1: adding it rounds
  mask none = lt_w(x, splat(-745.14)); // multiplying to an underflow takes processors a hundred cycles
  x = select_w(none, splat(0), select_w(lt_w(splat(710), x), splat(710), x));
  wide n = (x * 0x1.71547652b82fep0 + magic) - magic;
  wide r = x - n * 0x1.62e42feep-1; // log 2 in two parts, the first short enough for n times it to be exact
  r = r - n * 0x1.a39ef35793c76p-33;
  wide r2 = r * r, r4 = r2 * r2;
  wide a = 0.5 + r * (1. / 6) + r2 * (1. / 24 + r * (1. / 120));
  wide b = 1. / 720 + r * (1. / 5040) + r2 * (1. / 40320 + r * (1. / 362880));
  wide c = 1. / 3628800 + r * (1. / 39916800) + r2 * (1. / 479001600 + r * (1. / 6227020800));
  wide p = 1 + (r + r2 * (a + r4 * (b + r4 * c)));
  return select_w(none, splat(0), scale_w(p, n));
}

INLINE wide sigmoid_w(wide x) {
  wide e = exp_w(-abs_w(x));
  return select_w(negative(x), e, splat(1)) / (1 + e);
}
INLINE wide softplus_w(wide x) { return select_w(negative(x), splat(0), x) + log1p_w(exp_w(-abs_w(x))); }
INLINE wide logsigmoid_w(wide x) { return -softplus_w(-x); }
