// The y with erf y = x, computed by Φ⁻¹ of (1 − |x|)/2. For |x| < ½, where that loses digits of x, a step of Newton's
// method follows.
SLOW wide inverf_w(wide x) {
  wide a = abs_w(x), y = -normquantile_w(0.5 * (1 - a)) / 1.41421356237309504880;
  mask near = lt_w(a, splat(0.5));
  if (any(near)) y = select_w(near, y - (erf_w(y) - a) * exp_w(y * y) * 0.88622692545275801365, y);
  return like(y, x);
}
