// The y with erf y = x, from Φ⁻¹ at the nearer end of −1…1, and near 0 by a step of Newton's, since (1 + x)/2 loses digits of x.
SLOW wide inverf_w(wide x) {
  wide a = abs_w(x), y = -normquantile_w(0.5 * (1 - a)) / 1.41421356237309504880;
  mask near = lt_w(a, splat(0.5));
  if (any(near)) y = select_w(near, y - (erf_w(y) - a) * exp_w(y * y) * 0.88622692545275801365, y);
  return like(y, x);
}
