functions {
  vector slope(real t, vector z, vector theta) {
    return [(theta[1] - theta[2] * z[2]) * z[1], (theta[4] * z[1] - theta[3]) * z[2]]';
  }
}
data {
  int N;
  array[N] real t;
  vector[2] first;
  array[N] vector[2] y;
}
parameters {
  vector<lower=0>[4] theta;
  vector<lower=0>[2] start, sigma;
}
model {
  array[N] vector[2] z = ode_rk45_tol(slope, start, 0, t, 1e-6, 1e-6, 10000, theta);
  theta[{1, 3}] ~ normal(1, 0.5);
  theta[{2, 4}] ~ normal(0.05, 0.05);
  start ~ lognormal(log(10), 1);
  sigma ~ lognormal(-1, 1);
  first ~ lognormal(log(start), sigma);
  for (n in 1:N)
    y[n] ~ lognormal(log(z[n]), sigma);
}
