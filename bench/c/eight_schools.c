// Eight schools, non-centred: theta is mu, log tau, effects / tau; data are y[J], 1/sigma[J], Σ log sigma.
enum { J = 8 };

static __attribute__((noinline)) void density(const double *const *data, v8 *work, const v8 *theta, v8 *out) {
  const double *y = data[0], *inverse = data[1];
  const v8 mu = theta[0], tau = vexp(theta[1]), *z = theta + 2;
  v8 t = tau * 0.2, over = 1 / (1 + t * t), gmu = -0.04 * mu, gtau = splat(0);
  v8 lp = -0.02 * mu * mu + theta[1];
  for (int j = 0; j < J; j++) {
    v8 r = (y[j] - mu - tau * z[j]) * inverse[j], pull = r * inverse[j];
    lp -= 0.5 * (r * r + z[j] * z[j]);
    gmu += pull;
    gtau += pull * z[j];
    out[3 + j] = pull * tau - z[j];
  }
  // half-Cauchy(5): log(2/(5π)) − log(1 + (tau/5)²)
  out[0] = lp + vlog(over) - (data[2][0] + J * LOG_2PI + 0.5 * LOG_2PI + 1.6094379124341003746 + 2.0610206177235550);
  out[1] = gmu;
  out[2] = gtau * tau + 1 - 2 * t * t * over;
}
