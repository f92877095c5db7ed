#define POLY(x, c) horner(x, c, sizeof c / sizeof *c)
INLINE wide horner(wide x, const real *c, int n) { // constant first
  wide y = splat(c[n - 1]);
  for (int k = n - 2; k >= 0; k--) y = y * x + c[k];
  return y;
}

