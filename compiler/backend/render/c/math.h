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
// tamed returns min(x, top) in the lanes of `some`; the others may have any value. scale_w returns x·2ⁿ in the lanes of
// `some`, and 0 in the others.
#ifdef MASKS // GCC does not find these instructions; min and max return y if x or y is NaN
INLINE wide maximum_w(wide x, wide y) { return select_w(ne_w(x, x), x, __builtin_ia32_maxpd512_mask(x, y, y, -1, 4)); }
INLINE wide minimum_w(wide x, wide y) { return select_w(ne_w(x, x), x, __builtin_ia32_minpd512_mask(x, y, y, -1, 4)); }
INLINE wide mulzero_w(wide x, wide y) { // x·y if x is not 0 (it may be NaN), else 0
  return __builtin_ia32_mulpd512_mask(x, y, (wide){}, ne_w(x, splat(0)), 4);
}
INLINE wide mulzeroadd_w(wide x, wide y, wide z) { return __builtin_ia32_vfmaddpd512_mask3(x, y, z, ne_w(x, splat(0)), 4); }
INLINE wide tamed(mask some, wide x, real top) { return __builtin_ia32_minpd512_mask(splat(top), x, x, -1, 4); }
INLINE wide scale_w(mask some, wide x, wide n) { return __builtin_ia32_scalefpd512_mask(x, n, (wide){}, some, 4); }
#else
INLINE wide maximum_w(wide x, wide y) { return select_w(lt_w(y, x) | ne_w(x, x), x, y); }
INLINE wide minimum_w(wide x, wide y) { return select_w(lt_w(x, y) | ne_w(x, x), x, y); }
INLINE wide mulzero_w(wide x, wide y) { return select_w(not_w(x), splat(0), x * y); }
INLINE wide mulzeroadd_w(wide x, wide y, wide z) { return select_w(not_w(x), z, x * y + z); }
INLINE wide tamed(mask some, wide x, real top) { return select_w(some, select_w(lt_w(splat(top), x), splat(top), x), splat(0)); }
INLINE wide scale_w(mask some, wide x, wide n) { // in two factors, each a normal number
  ints k = __builtin_convertvector(n, ints), half = k >> 1;
  return select_w(some, x * bits((half + 1023) << 52) * bits((k - half + 1023) << 52), splat(0));
}
#endif
SLOW wide mod_w(wide x, wide y) { // the remainder with the sign of y
  wide r = x;
  EACH r[l] = fmod(x[l], y[l]);
  return select_w(~not_w(r) & (negative(r) ^ negative(y)), r + y, r);
}

// exp of the C library is no faster, and slow if results underflow to 0, which they often do in sums of exponentials.
INLINE wide exp_w(wide x) {
  mask some = ~lt_w(x, splat(-745.14)); // a product that underflows takes about a hundred cycles
  wide n, p = exp_part(tamed(some, x, 710), &n);
  return scale_w(some, p, n);
}

INLINE wide sigmoid_w(wide x) {
  wide e = exp_w(-abs_w(x));
  return select_w(negative(x), e, splat(1)) / (1 + e);
}
INLINE wide softplus_w(wide x) { return select_w(negative(x), splat(0), x) + log1p_w(exp_w(-abs_w(x))); }
INLINE wide logsigmoid_w(wide x) { return -softplus_w(-x); }
