data {
  int J, N;
  array[N] int group;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau, sigma;
  vector[J] theta;
}
model {
  mu ~ normal(0, 10);
  tau ~ normal(0, 5);
  sigma ~ normal(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta[group], sigma);
}
