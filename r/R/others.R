# Methods for generic functions of tidybayes and priorsense, registered when these packages are loaded.

#' @rawNamespace S3method(tidybayes::tidy_draws, ppl_run)
#' @rawNamespace S3method(priorsense::log_prior_draws, ppl_run)
#' @rawNamespace S3method(priorsense::log_lik_draws, ppl_run)
NULL

# tidy_draws returns a row for each draw and a column for each element. spread_draws() and gather_draws() of tidybayes
# read labels from the names of elements.
tidy_draws.ppl_run <- function(model, ...) {
  draws <- posterior::as_draws_df(model)
  first <- c(".chain", ".iteration", ".draw")
  draws <- as.data.frame(draws)
  draws[c(first, setdiff(names(draws), first))]
}

# log_prior_draws returns the log density of the priors that depend on no other parameter. priorsense scales priors, and
# scaling those of groups would change the model.
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

# log_lik_draws returns the log likelihood of rows for priorsense.
log_lik_draws.ppl_run <- function(x, joint = FALSE, log_lik_name = "log_lik", of = NULL, ...) {
  rows <- elements(log_lik_name, log_lik_of(x, of))
  if (joint) {
    total <- apply(rows, 1:2, sum)
    rows <- array(total, c(dim(total), 1), list(NULL, NULL, log_lik_name))
  }
  posterior::as_draws_array(rows)
}
