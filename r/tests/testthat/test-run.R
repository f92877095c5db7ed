test_that("draws agree with the summary of the program", {
  skip_without_ppl()
  fit <- fitted_growth()
  ours <- posterior::summarise_draws(as_draws_array(fit), "mean", "sd", "ess_bulk", "ess_tail", "rhat")
  theirs <- summary(fit)
  expect_identical(ours$variable, theirs$variable)
  for (column in c("mean", "sd", "ess_bulk", "ess_tail", "rhat")) {
    expect_equal(as.numeric(ours[[column]]), theirs[[column]], tolerance = 1e-6, label = column)
  }
})

test_that("random variables have the same draws", {
  skip_without_ppl()
  fit <- fitted_growth()
  r <- as_draws_rvars(fit)
  draws <- as_draws_matrix(fit)
  expect_equal(posterior::draws_of(r$u)[, 3], as.vector(draws[, "u[empty]"]), ignore_attr = TRUE)
  expect_equal(mean(r$b), mean(draws[, "b"]))
  expect_identical(posterior::nchains(r), 4L)
})

test_that("loo agrees with the program", {
  skip_without_ppl()
  skip_if_not_installed("loo")
  fit <- fitted_growth()
  expect_identical(dim(log_lik(fit)), c(1200L, 8L))
  theirs <- pplr:::json_of("loo", fit$path)
  ours <- suppressWarnings(loo(fit))
  expect_equal(ours$estimates["elpd_loo", 1], theirs$elpd_loo, tolerance = 1e-3)
  expect_equal(ours$estimates["elpd_loo", 2], theirs$se * sqrt(8 / 7), tolerance = 1e-3) # which divides by n
  expect_identical(suppressWarnings(loo::loo(fit))$estimates, ours$estimates)
})

test_that("predictions follow the mean", {
  skip_without_ppl()
  fit <- fitted_growth()
  again <- posterior_predict(fit, seed = 3)
  expect_identical(dim(again), c(1200L, 8L))
  b <- as_draws_rvars(fit)
  new <- predict(fit, data.frame(day.no = c(2, 20), plot = c("z", "z")))
  expected <- mean(b$a + b$b * c(2, 20) + b$u[1])
  expect_equal(new$mean, expected, tolerance = 0.05)
  expect_gt(new$sd[2], new$sd[1])
  known <- data.frame(day.no = c(2, 20), plot = c("z", "z"))
  epred <- posterior_epred(fit, known)
  expect_identical(dim(epred), c(1200L, 2L))
  expect_equal(unname(colMeans(epred)), expected, tolerance = 1e-6)
  expect_identical(rstantools::posterior_epred(fit, newdata = known), epred)
  other <- data.frame(day.no = 2, plot = "elsewhere")
  expect_equal(mean(posterior_epred(fit, other, new_levels = "zero")), mean(b$a + b$b * 2), tolerance = 1e-6)
  expect_error(posterior_epred(fit, other, new_levels = "refuse"), "groups that the run did not have")
  at_rows <- posterior_epred(fit)
  expect_identical(dim(at_rows), c(1200L, 8L))
  expect_equal(cor(colMeans(at_rows), colMeans(again)), 1, tolerance = 0.05)
})

test_that("expected values of categories are an array", {
  skip_without_ppl()
  data <- data.frame(x = 1:6, kind = factor(c("u", "v", "v", "u", "v", "v")))
  fit <- suppressWarnings(ppl_sample(
    "data x[N], kind[N]: index(Kinds)\nb ~ Normal(0, 1)\nkind[i in N] ~ Categorical(logits = [0, b * x[i]])\n",
    data, seed = 1, draws = 100, warmup = 100
  ))
  shares <- posterior_epred(fit, data.frame(x = c(0, 2)))
  expect_identical(dim(shares), c(400L, 2L, 2L))
  expect_equal(shares[, 1, "v"], rep(0.5, 400))
  expect_equal(shares[, 2, "v"], plogis(2 * as.vector(posterior::as_draws_df(fit)$b)), tolerance = 1e-6)
})

test_that("tidybayes and priorsense get draws and densities", {
  skip_without_ppl()
  fit <- fitted_growth()
  tidy <- tidy_draws.ppl_run(fit)
  expect_identical(names(tidy)[1:3], c(".chain", ".iteration", ".draw"))
  b <- posterior::as_draws_df(fit)
  expect_identical(tidy[["u[z]"]], b[["u[z]"]])
  prior <- log_prior_draws.ppl_run(fit)
  expect_identical(posterior::variables(prior), "lprior")
  u <- as.matrix(as.data.frame(b)[c("u[z]", "u[a]", "u[empty]")])
  expected <- dnorm(b$a, 0, 20, log = TRUE) + dnorm(b$b, 0, 20, log = TRUE) + rowSums(dnorm(u, log = TRUE)) +
    log(2) + dnorm(b$sigma, 0, 5, log = TRUE)
  expect_equal(as.vector(prior), expected, tolerance = 1e-6)
  rows <- log_lik_draws.ppl_run(fit)
  expect_identical(dim(rows)[3], 8L)
  joint <- log_lik_draws.ppl_run(fit, joint = TRUE)
  expect_equal(as.vector(joint), rowSums(log_lik(fit)), ignore_attr = TRUE)
})

test_that("effects are expected outcomes", {
  skip_without_ppl()
  fit <- fitted_growth()
  b <- as_draws_rvars(fit)
  shown <- ppl_effects(fit, "day_no:plot")
  expect_named(shown, c("day_no", "plot", "mean", "sd", "q2.5", "q50", "q97.5", "p_positive"), ignore.order = TRUE)
  one <- shown[shown$plot == "a", ][1, ]
  expect_equal(one$mean, mean(b$a + b$b * one$day_no + b$u[2]), tolerance = 1e-6)
  less <- ppl_effects(fit, "plot", at = c(day_no = 3), contrasts = TRUE)
  expect_equal(less$mean[less$plot == "a"], unname(mean(b$u[2] - b$u[1])), tolerance = 1e-6)
  expect_identical(less$reference[1], "z")
})

test_that("formulas of brms with further parameters are written as text", {
  growth <- structure(
    list(formula = height ~ day, pforms = list(sigma = sigma ~ plot), pfix = list(nu = 4), family = "student"),
    class = c("brmsformula", "bform")
  )
  expect_identical(pplr:::formula_text(growth), "bf(height ~ day, sigma ~ plot, nu = 4, family = student)")
  both <- structure(list(forms = list(growth, growth), rescor = FALSE), class = c("mvbrmsformula", "bform"))
  expect_match(pplr:::formula_text(both), "+ set_rescor(FALSE)", fixed = TRUE)
})

test_that("statistics of the sampler have Stan's names", {
  skip_without_ppl()
  fit <- fitted_growth()
  p <- nuts_params(fit)
  expect_named(p, c("Chain", "Iteration", "Parameter", "Value"))
  expect_true(all(c("accept_stat__", "divergent__", "energy__") %in% p$Parameter))
  expect_identical(nrow(log_posterior(fit)), 1200L)
  skip_if_not_installed("bayesplot")
  expect_identical(bayesplot::nuts_params(fit), p)
})

test_that("expressions, modes, log densities and reports", {
  skip_without_ppl()
  fit <- fitted_growth()
  expect_equal(ppl_query(fit, "a + b")$mean, sum(summary(fit, "a", "b")$mean), tolerance = 1e-4)
  expect_error(ppl_query(fit, "nothing + 1"), class = "ppl_error")
  mode <- ppl_optimize(growth_model, growth, seed = 1)
  expect_true(mode$converged)
  expect_equal(mode$table$mode[mode$table$variable == "b"], 2, tolerance = 0.1)
  density <- suppressWarnings(ppl_logprob("x ~ Normal(0, 1)", list(x = 1), gradient = TRUE))
  expect_equal(density$log_prior, stats::dnorm(1, log = TRUE))
  expect_equal(density$gradient$x, -1)
  page <- ppl_report(fit, tempfile(fileext = ".html"))
  expect_match(readLines(page, n = 1), "doctype html")
  expect_match(readLines(ppl_plot(fit, "trace", "b"), n = 5), "<svg", all = FALSE)
})

test_that("an interrupted run has its draws, also without a summary", {
  skip_without_ppl()
  fit <- fitted_growth()
  answer <- list(exit_code = 130L, text = "")
  expect_warning(again <- pplr:::sampled(fit$path, answer), "the first 300", class = "ppl_sampling_warning")
  expect_true(again$interrupted)
  expect_error(pplr:::sampled(tempfile(), answer), class = "ppl_interrupted")
})

test_that("a run continues, and is opened again", {
  skip_without_ppl()
  out <- file.path(tempfile("run"), "again.run")
  dir.create(dirname(out))
  fit <- suppressWarnings(ppl_sample("x ~ Normal(0, 1)", seed = 2, draws = 100, warmup = 100, out = out))
  more <- suppressWarnings(ppl_resume(fit, draws = 150))
  expect_identical(dim(as_draws_array(more)), c(150L, 4L, 1L))
  expect_identical(as.vector(as_draws_array(more)[1:100, , ]), as.vector(as_draws_array(ppl_load(out))[1:100, , ]))
  expect_error(ppl_load(dirname(out)), "no run", class = "ppl_run_error")
  expect_error(ppl_sample("x ~ Normal(0, 1)", out = out, draws = 10), class = "ppl_error")
})
