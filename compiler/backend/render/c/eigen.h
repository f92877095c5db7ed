// The eigendecomposition of a symmetric matrix: Householder's reduction, then implicit QL (Golub & Van Loan, Matrix
// Computations, 8.3), as in package special in Go. Consecutive elements are `from` numbers apart in `a` and `step`
// apart in `out`. Row 0 of `out` has the eigenvalues, the next rows the matrix of eigenvectors.
#define D(i) out[(i) * step]
#define Z(i, j) out[(((i) + 1) * n + (j)) * step]

// reflector overwrites column k below the diagonal by the unit vector v of the reflection I − 2vvᵀ that makes all but
// its first element 0, and returns this first element. v is 0 if the other elements are 0 already.
static real reflector(real *out, long step, long k, long n) {
  real first = Z(k + 1, k), rest = 0, norm = 0;
  for (long i = k + 2; i < n; i++) rest = __builtin_fmax(rest, __builtin_fabs(Z(i, k)));
  if (rest == 0) {
    Z(k + 1, k) = 0;
    return first;
  }
  real size = __builtin_fmax(__builtin_fabs(first), rest);
  for (long i = k + 1; i < n; i++) {
    Z(i, k) /= size;
    norm += Z(i, k) * Z(i, k);
  }
  norm = -__builtin_copysign(__builtin_sqrt(norm), first);
  Z(k + 1, k) -= norm;
  real scale = 1 / __builtin_sqrt(-2 * norm * Z(k + 1, k));
  for (long i = k + 1; i < n; i++) Z(i, k) *= scale;
  return norm * size;
}

static void reflect(real *out, long step, real *w, long k, long n) {
  real inner = 0;
  for (long i = k + 1; i < n; i++) {
    real s = 0;
    for (long j = k + 1; j < n; j++) s += (i > j ? Z(i, j) : Z(j, i)) * Z(j, k);
    w[i] = 2 * s;
    inner += s * Z(i, k);
  }
  for (long i = k + 1; i < n; i++) {
    w[i] -= 2 * inner * Z(i, k);
    for (long j = k + 1; j <= i; j++) Z(i, j) -= Z(i, k) * w[j] + w[i] * Z(j, k);
  }
}

static void product(real *out, long step, long n) {
  for (long k = n - 1; k >= 0; k--) {
    for (long j = k + 1; j < n; j++) {
      real s = 0;
      for (long i = k + 1; i < n; i++) s += Z(i, k) * Z(i, j);
      for (long i = k + 1; i < n; i++) Z(i, j) -= 2 * s * Z(i, k);
    }
    for (long i = k + 1; i < n; i++) Z(i, k) = Z(k, i) = 0;
    Z(k, k) = 1;
  }
}

static void chase(real *out, long step, real *e, long l, long m, long n) {
  real g = (D(l + 1) - D(l)) / (2 * e[l]), s = 1, c = 1, p = 0;
  g = D(m) - D(l) + e[l] / (g + __builtin_copysign(__builtin_sqrt(g * g + 1), g));
  for (long i = m - 1; i >= l; i--) {
    real f = s * e[i], b = c * e[i], r = __builtin_sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) {
      D(i + 1) -= p;
      e[m] = 0;
      return;
    }
    s = f / r, c = g / r;
    g = D(i + 1) - p;
    r = (D(i) - g) * s + 2 * c * b;
    p = s * r;
    D(i + 1) = g + p;
    g = c * r - b;
    for (long k = 0; k < n; k++) {
      real x = Z(k, i), y = Z(k, i + 1);
      Z(k, i) = c * x - s * y, Z(k, i + 1) = s * x + c * y;
    }
  }
  D(l) -= p;
  e[l] = g, e[m] = 0;
}

static int diagonal(real *out, long step, real *e, long n) {
  for (long l = 0; l < n; l++)
    for (int round = 0;; round++) {
      long m = l;
      while (m + 1 < n && __builtin_fabs(e[m]) > 0x1p-53 * (__builtin_fabs(D(m)) + __builtin_fabs(D(m + 1)))) m++;
      if (m == l) break;
      if (round == 60) return 0;
      chase(out, step, e, l, m, n);
    }
  return 1;
}

static void order(real *out, long step, long n) {
  for (long j = 0; j < n; j++) {
    long least = j;
    for (long i = j + 1; i < n; i++)
      if (D(i) < D(least)) least = i;
    real d = D(j), sign = 0;
    D(j) = D(least), D(least) = d;
    for (long i = 0; i < n; i++) {
      real x = Z(i, least);
      Z(i, least) = Z(i, j), Z(i, j) = x;
      if (sign == 0 && __builtin_fabs(x) > 1e-8) sign = __builtin_copysign(1, x);
    }
    for (long i = 0; i < n; i++) Z(i, j) *= sign;
  }
}

static __attribute__((noinline)) void eigen(const real *a, long from, real *out, long step, long n, real *e, real *w) {
  real sum = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) sum += Z(i, j) = a[(i * n + j) * from];
  for (long k = 0; k < n; k++) {
    D(k) = Z(k, k);
    if (k + 1 < n) {
      e[k] = reflector(out, step, k, n);
      reflect(out, step, w, k, n);
    }
  }
  product(out, step, n);
  if (sum - sum == 0 && diagonal(out, step, e, n)) {
    order(out, step, n);
    return;
  }
  for (long i = 0; i < (n + 1) * n; i++) out[i * step] = NAN;
}
#undef D
#undef Z
