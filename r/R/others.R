# Methods for generic functions of tidybayes and priorsense, which find them when these packages are loaded.

#' @rawNamespace S3method(tidybayes::tidy_draws, ppl_run)
#' @rawNamespace S3method(priorsense::log_prior_draws, ppl_run)
#' @rawNamespace S3method(priorsense::log_lik_draws, ppl_run)
NULL

# tidy_draws gives tidybayes a row for each draw and a column for each element; spread_draws() and gather_draws() read
# the labels in the names of elements.
tidy_draws.ppl_run <- function(model, ...) {
  draws <- posterior::as_draws_df(model)
  first <- c(".chain", ".iteration", ".draw")
  draws <- as.data.frame(draws)
  draws[c(first, setdiff(names(draws), first))]
}

# log_prior_draws gives priorsense the log density of the priors that depend on no other parameter: those of groups are a
# part of the model, which scaling them would change.
log_prior_draws.ppl_run <- function(x, joint = FALSE, log_prior_name = "lprior", ...) {
  parts <- read_variables(x, "log_prior")
  parts <- parts[intersect(names(parts), unlist(layout_of(x, "top_level_priors")))]
  if (length(parts) == 0) {
    ppl_stop("run", "The model has no prior that depends on no other parameter.")
  }
  sums <- lapply(parts, function(p) apply(p, 1:2, sum))
  total <- Reduce(`+`, sums)
  posterior::as_draws_array(array(total, c(dim(total), 1), list(NULL, NULL, log_prior_name)))
}

# log_lik_draws gives priorsense the log likelihood of rows.
log_lik_draws.ppl_run <- function(x, joint = FALSE, log_lik_name = "log_lik", of = NULL, ...) {
  rows <- elements(log_lik_name, log_lik_of(x, of))
  if (joint) {
    total <- apply(rows, 1:2, sum)
    rows <- array(total, c(dim(total), 1), list(NULL, NULL, log_lik_name))
  }
  posterior::as_draws_array(rows)
}
