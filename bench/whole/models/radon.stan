data {
  int J, N;
  array[N] int county;
  vector[N] floor, y;
}
parameters {
  real mu_a, mu_b;
  real<lower=0> sigma_a, sigma_b, sigma_y;
  vector[J] a, b;
}
model {
  mu_a ~ normal(0, 10);
  mu_b ~ normal(0, 10);
  sigma_a ~ std_normal();
  sigma_b ~ std_normal();
  sigma_y ~ std_normal();
  a ~ normal(mu_a, sigma_a);
  b ~ normal(mu_b, sigma_b);
  y ~ normal(a[county] + b[county] .* floor, sigma_y);
}
