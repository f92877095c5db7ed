# Reads a run in CmdStan's CSV by rstan and posterior, and prints what they find of each element as CSV.
files <- commandArgs(trailingOnly = TRUE)
fit <- rstan::read_stan_csv(files)
draws <- posterior::as_draws_array(fit)
stopifnot(posterior::ndraws(draws) > 0)
found <- as.data.frame(posterior::summarise_draws(draws, "mean", "ess_bulk", "ess_tail", "rhat"))
found[-1] <- lapply(found[-1], as.numeric) # their own class of numbers cannot be written
found$n_eff <- rstan::summary(fit)$summary[found$variable, "n_eff"]
found$draws <- posterior::ndraws(draws)
found$chains <- posterior::nchains(draws)
found$divergent <- rstan::get_num_divergent(fit)
options(digits = 17)
write.csv(found, row.names = FALSE)
