data {
  int J, I;
  array[J, I] int correct;
}
parameters {
  vector[J] ability;
  vector<lower=0>[I] sharp;
  vector[I] hard;
}
model {
  ability ~ std_normal();
  sharp ~ lognormal(0, 0.5);
  hard ~ normal(0, 1.5);
  for (j in 1:J)
    correct[j] ~ bernoulli_logit(sharp .* (ability[j] - hard));
}
