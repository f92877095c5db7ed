// log Γ(x) for 0 ≤ x < 13: recurrence to 2 + z, |z| ≤ ½, so that it is exactly 0 at 1 and 2; log Γ(2+z)/z is the
// polynomial that interpolates it at the 18 Chebyshev nodes of [−½, ½] (computed with mpmath at 60 digits), relative
// error 6e-17.
SLOW wide lgamma_small(wide x) {
  static const real c[] = {
    0.4227843350984671356, 0.32246703342411322004, -0.067352301053195638653, 0.020580808427783379755,
    -0.0073855510289355447, 0.0028905103308659009277, -0.0011927539009983086944, 0.00050966951965266727797,
    -0.0002231549774629272317, 0.000099457616921571331318, -0.000044923727564247652589, 0.000020506019701747618598,
    -9.4562885151017191737e-6, 4.3828545383846667716e-6, -1.9743106888421067444e-6, 9.2428522251622767419e-7,
    -5.8112777689212461977e-7, 2.7475390051909663921e-7
  };
  wide whole = floor_w(x + 0.5), z = x - whole, up = splat(1);
  mask less = lt_w(whole, splat(2));
  for (int k = 1; k <= 11; k++) {
    mask on = le_w(splat(k + 2), whole);
    if (!any(on)) break;
    up *= select_w(on, x - k, splat(1));
  }
  wide l = log_w(select_w(less, select_w(lt_w(whole, splat(1)), x * (x + 1), x), up));
  return z * POLY(z, c) + select_w(less, -l, l);
}

// log Γ(x) for x ≥ 13: Stirling's series (Abramowitz & Stegun 6.1.41), next term below 2e-18.
SLOW wide lgamma_large(wide x) {
  static const real c[] = {1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156};
  wide r = 1 / x;
  return (x - 0.5) * (log_w(x) - 1) + (0.41893853320467274178 + r * POLY(r * r, c));
}

// log |Γ(x)|: error below 4 ulp for x > 0. Reflection below zero (6.1.17).
SLOW wide lgamma_w(wide x) {
  wide a = abs_w(x), y = splat(0);
  mask small = lt_w(a, splat(13)), low = negative(x);
  if (any(small)) y = lgamma_small(a);
  if (any(~small)) y = select_w(small, y, lgamma_large(a));
  if (any(low)) {
    wide r = -log_w(a) - log_w(abs_w(sinpi(a)) / 3.14159265358979323846) - y;
    y = select_w(low, select_w(eq_w(a, splat(INF)), x, select_w(eq_w(floor_w(a), a), splat(INF), r)), y);
  }
  return y;
}

// ψ(x) (6.3.5, 6.3.18, 6.3.7): recurrence up to 10 as one fraction, then the asymptotic series.
SLOW wide digamma_w(wide x) {
  static const real c[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12};
  mask low = le_w(x, splat(0));
  wide y = select_w(low, 1 - x, x), over = splat(0), under = splat(1); // Σ 1/(y+k) = over/under
  for (int k = 0; k < 10; k++) {
    mask on = lt_w(y, splat(10));
    if (!any(on)) break;
    over = select_w(on, over * y + under, over);
    under *= select_w(on, y, splat(1));
    y += select_w(on, splat(1), splat(0));
  }
  wide r = 1 / y, s = r * r;
  wide v = log_w(y) - 0.5 * r - s * POLY(s, c) - over / under;
  if (any(low)) v = select_w(low, select_w(eq_w(floor_w(x), x), splat(NAN), v - 3.14159265358979323846 / tanpi(x)), v);
  return v;
}

// ψ′(x) (6.4.6, 6.4.12, 6.4.7), likewise.
SLOW wide trigamma_w(wide x) {
  static const real c[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6};
  mask low = le_w(x, splat(0));
  wide y = select_w(low, 1 - x, x), over = splat(0), under = splat(1); // Σ 1/(y+k)² = over/under
  for (int k = 0; k < 10; k++) {
    mask on = lt_w(y, splat(10));
    if (!any(on)) break;
    wide q = y * y;
    over = select_w(on, over * q + under, over);
    under *= select_w(on, q, splat(1));
    y += select_w(on, splat(1), splat(0));
  }
  wide r = 1 / y, s = r * r;
  wide v = r * (1 + 0.5 * r + s * POLY(s, c)) + over / under;
  if (any(low)) {
    wide p = 3.14159265358979323846 / sinpi(x);
    v = select_w(low, select_w(eq_w(floor_w(x), x), splat(INF), p * p - v), v);
  }
  return v;
}

// log Φ(x): log1p(−Φ(−x)) above 0, log Φ to −20, then the asymptotic series (26.2.12). The argument of erfc is rounded, which costs
// x²/2 ulp above 0, where the result is tiny.
SLOW wide lognormcdf_w(wide x) {
  static const real c[] = {1, -3, 15, -105, 945, -10395};
  wide e = 0.5 * erfc_w(abs_w(x) / 1.41421356237309504880);
  wide v = select_w(positive(x), log1p_w(-e), log_w(e));
  mask far = lt_w(x, splat(-20));
  if (any(far)) {
    wide s = 1 / (x * x);
    wide t = -0.5 * x * x - log_w(-x) - 0.91893853320467274178 + log1p_w(-s * POLY(s, c));
    v = select_w(far, t, v);
  }
  return v;
}

