data {
  int N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> rho, alpha, sigma;
}
model {
  matrix[N, N] k = add_diag(gp_exp_quad_cov(x, alpha, rho), square(sigma));
  rho ~ gamma(25, 4);
  alpha ~ normal(0, 2);
  sigma ~ normal(0, 1);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(k));
}
