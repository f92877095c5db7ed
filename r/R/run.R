# Runs: draws of a model, with summaries, predictions and plots.

#' Runs
#'
#' A run is a directory with the draws of a model, next to the model and the options. [ppl_sample()] and [ppl_fit()]
#' make one, `ppl_load()` opens one. Packages 'posterior', 'loo', 'bayesplot' and 'rstantools' accept it.
#'
#' @param path The directory of a run, such as `"growth.run"`.
#' @return An object of class `ppl_run`: `path`, the text of the model in `code`, and `interrupted`.
#' @seealso [as_draws_array.ppl_run()], [log_lik()], [posterior_predict()], [ppl_query()], [ppl_plot()]
#' @examples
#' \dontrun{
#' fit <- ppl_load("growth.run")
#' }
#' @name ppl_run
#' @export
ppl_load <- function(path) {
  if (!file.exists(file.path(path, "run.json"))) {
    ppl_stop("run", paste0("There is no run in ", path, "."))
  }
  path <- normalizePath(path)
  model <- file.path(path, "model.ppl")
  structure(
    list(path = path, code = if (file.exists(model)) read_text(model) else "", interrupted = FALSE),
    class = "ppl_run"
  )
}

about_run <- function(run) {
  tryCatch(
    jsonlite::fromJSON(file.path(run$path, "run.json"), simplifyVector = FALSE),
    error = function(e) ppl_stop("run", paste0("The run in ", run$path, " cannot be read: ", conditionMessage(e)))
  )
}

#' @export
print.ppl_run <- function(x, digits = 3, n = 20, ...) {
  about <- about_run(x)
  cat(basename(x$path), ": ", length(about$draws_written), " chains of ", about$draws, " draws, ", about$status, "\n",
    sep = "")
  table <- tryCatch(summary(x), ppl_error = function(e) NULL)
  if (!is.null(table)) {
    print(utils::head(table, n), digits = digits, row.names = FALSE)
    if (nrow(table) > n) {
      cat("and", nrow(table) - n, "more; summary() has all\n")
    }
  }
  invisible(x)
}

#' Summaries and diagnoses of a run
#'
#' `summary()` returns a table with a row for each element: mean, standard deviation, Monte Carlo error, quantiles,
#' effective sizes and R-hat. `ppl_diagnose()` says what is wrong with the draws and what to do about it.
#'
#' @param object,run A [ppl_run].
#' @param ... Names of variables or elements, such as `"a"` or `"a[Oslo]"`; all if there are none.
#' @param quantiles Quantiles instead of .05, .5 and .95.
#' @param ci `"hdi95"` for the shortest interval with 95 % of the draws, `"eti90"` for one with equal tails.
#' @return `summary()`: a data frame. `ppl_diagnose()`: an object of class `ppl_diagnosis` with `usable` and `topics`.
#' @examples
#' \dontrun{
#' summary(fit, "b", ci = "hdi95")
#' }
#' @export
summary.ppl_run <- function(object, ..., quantiles = NULL, ci = NULL) {
  marks <- if (!is.null(quantiles)) paste(quantiles, collapse = ",")
  rows <- json_of("summary", object$path, c(...), "--all", flags(quantiles = marks, ci = ci))$parameters
  rows <- lapply(rows, function(r) {
    if (length(r$asked) == 0) r else c(r[setdiff(names(r), c("asked", "q5", "q50", "q95"))], r$asked)
  })
  rows_frame(rows)
}

#' @rdname summary.ppl_run
#' @export
ppl_diagnose <- function(run) {
  found <- json_of("diagnose", run$path, accept = c(done, 3L))
  structure(rapply(rapply(found, readable, "character", how = "replace"), for_r, "character", how = "replace"),
    class = "ppl_diagnosis")
}

#' @export
print.ppl_diagnosis <- function(x, ...) {
  for (t in x$topics) {
    if (length(t$facts) + length(t$warnings) > 0) {
      cat(t$name, ": ", paste(unlist(t$facts), collapse = " "), "\n", sep = "")
      for (w in t$warnings) cat("  warning: ", paste(unlist(w), collapse = " "), "\n", sep = "")
    }
  }
  invisible(x)
}

#' Evaluate expressions of the language at every draw
#'
#' @param run A [ppl_run].
#' @param ... Expressions, such as `"exp(b)"`, `"P(tau > 3)"` or `"a[\"X\"] - a[\"Y\"]"`.
#' @return A data frame with a row for each element of each expression.
#' @examples
#' \dontrun{
#' ppl_query(fit, "P(b > 0)", "a + 3 * b")
#' }
#' @export
ppl_query <- function(run, ...) {
  questions <- c(...)
  if (length(questions) == 0) {
    ppl_stop("usage", "A question is missing, such as \"P(tau > 3)\".")
  }
  rows <- list()
  for (q in json_of("query", run$path, questions)$queries) {
    rows <- c(rows, lapply(q$elements, function(e) c(list(query = q$query), e)))
  }
  out <- rows_frame(rows)
  names(out)[names(out) == "variable"] <- "element"
  out <- out[c("query", setdiff(names(out), "query"))]
  out[vapply(out, function(x) !all(is.na(x)), TRUE)]
}

#' How the expected outcome depends on predictors
#'
#' Other predictors are at their mean or their first level. Group effects are those of a new group, at
#' their mean 0.
#'
#' @param run A [ppl_run].
#' @param term A predictor, or two as in `"x:f"`, which shows x for each f.
#' @param at Named values of other predictors, such as `c(f = "b", z = 1)`.
#' @param new_levels `"zero"`, or `"sample"` for draws of the effects of a new group.
#' @param of The outcome, if there are several.
#' @param contrasts Whether the differences from the first level of the term are returned.
#' @return A data frame with a row for each value: mean, sd and quantiles over the draws.
#' @examples
#' \dontrun{
#' ppl_effects(fit, "Days")
#' }
#' @export
ppl_effects <- function(run, term, at = NULL, new_levels = "zero", of = NULL, contrasts = FALSE) {
  answer <- json_of(
    "effects", run$path, term, flags(new_levels = new_levels, of = of),
    if (length(at) > 0) repeated("--at", paste0(names(at), "=", vapply(as.list(at), plain, "")))
  )
  rows <- lapply(if (contrasts) answer$contrasts else answer$effects, function(e) {
    less <- if (!is.null(e$less)) list(reference = for_r(as.character(e$less[[1]])))
    c(e$at, less, e[setdiff(names(e), c("at", "less"))])
  })
  out <- rows_frame(rows)
  out[setdiff(names(out), "variable")]
}

#' Continue a run
#'
#' @param run A [ppl_run] that was interrupted, or whose draws are too few.
#' @param draws The number of draws of each chain to reach.
#' @param progress Whether to show progress; by default in interactive sessions.
#' @return The run.
#' @examples
#' \dontrun{
#' fit <- ppl_resume(fit, draws = 4000)
#' }
#' @export
ppl_resume <- function(run, draws = NULL, progress = NULL) {
  answer <- call_ppl("sample", run$path, "--resume", "--json", flags(draws = draws), progress = progress,
    accept = c(done, interrupted))
  sampled(run$path, answer)
}

#' Pictures and pages of a run
#'
#' `ppl_plot()` writes a picture to a file; `ppl_report()` writes what a run found as one HTML page. `plot()` draws the
#' densities and traces of some variables.
#'
#' @param run,x A [ppl_run].
#' @param kind Such as `"trace"`, `"pairs"`, `"forest"`, `"density"` or `"ppc"`; `ppl plot --help` lists them.
#' @param ... Variables, elements or, for `ppl_plot()`, expressions.
#' @param out The file: a picture that ends in `.svg`, `.png` or `.pdf`, or a page. By default temporary.
#' @param n How many variables `plot()` draws if none is named.
#' @return The path of the file; `plot()` returns the run, invisibly.
#' @examples
#' \dontrun{
#' ppl_plot(fit, "pairs", "a", "b", out = "pairs.svg")
#' plot(fit, "b")
#' }
#' @export
ppl_plot <- function(run, kind = "trace", ..., out = tempfile(fileext = ".svg")) {
  if (kind %in% c("ppc", "ppc-stat", "ppc-group", "loo-pit", "calibration")) {
    need_replicates(run)
  }
  call_ppl("plot", run$path, kind, c(...), "--out", out)
  out
}

#' @rdname ppl_plot
#' @export
ppl_report <- function(run, out = paste0(tools::file_path_sans_ext(run$path), ".html")) {
  call_ppl("report", run$path, "--out", out)
  out
}

#' @rdname ppl_plot
#' @export
plot.ppl_run <- function(x, ..., n = 4) {
  draws <- as_draws_array(x)
  wanted <- c(...)
  all <- posterior::variables(draws)
  shown <- if (length(wanted) == 0) utils::head(all, n) else all[all %in% wanted | sub("\\[.*", "", all) %in% wanted]
  if (length(shown) == 0) {
    ppl_stop("usage", paste0("The run has no variable ", paste(wanted, collapse = ", "), "."))
  }
  old <- graphics::par(mfrow = c(length(shown), 2), mar = c(2.2, 2.2, 1.6, 0.6))
  on.exit(graphics::par(old))
  for (v in shown) {
    values <- matrix(draws[, , v], nrow(draws))
    graphics::plot(stats::density(values), main = v, xlab = "", ylab = "")
    graphics::matplot(values, type = "l", lty = 1, main = v, xlab = "", ylab = "")
  }
  invisible(x)
}

#' Write the draws in another format
#'
#' @param run A [ppl_run].
#' @param out The file.
#' @param ... Variables or elements; all if there are none.
#' @param format `"csv"`, `"json"`, `"parquet"`, `"netcdf"` or `"cmdstan-csv"`; by default the ending of the file
#'   says it.
#' @param group Such as `"log_likelihood"`; the posterior by default.
#' @return The path of the file, invisibly.
#' @examples
#' \dontrun{
#' ppl_export(fit, "draws.parquet")
#' }
#' @export
ppl_export <- function(run, out, ..., format = NULL, group = NULL) {
  call_ppl("export", run$path, c(...), "--out", out, flags(format = format, group = group))
  invisible(out)
}

#' Compare models, and estimate their evidence
#'
#' `ppl_compare()` compares models of the same data by how well they predict rows that they have not seen.
#' `ppl_evidence()` estimates the log marginal likelihood of a model.
#'
#' @param ... Runs; arguments with names give the names in the table.
#' @param of The observed array, if there are several.
#' @param run A [ppl_run].
#' @return `ppl_compare()`: a data frame with a row for each model, the best first. `ppl_evidence()`: a list with
#'   `log_evidence`, `se`, `estimates` and `warnings`.
#' @examples
#' \dontrun{
#' ppl_compare(pooled = fit1, partial = fit2)
#' }
#' @export
ppl_compare <- function(..., of = NULL) {
  runs <- list(...)
  if (length(runs) < 2) {
    ppl_stop("usage", "At least two runs are compared.")
  }
  paths <- vapply(runs, `[[`, "", "path")
  given <- or(names(runs), rep("", length(runs)))
  names <- ifelse(nzchar(given), given, make.unique(tools::file_path_sans_ext(basename(paths))))
  rows <- json_of("compare", paths, flags(of = of))$models
  out <- rows_frame(lapply(rows, function(r) {
    at <- match(normalizePath(r$run), paths)
    c(list(name = names[at]), r[setdiff(names(r), "run")])
  }))
  names(out)[1] <- "model"
  out
}

#' @rdname ppl_compare
#' @export
ppl_evidence <- function(run) {
  a <- json_of("evidence", run$path)[[1]]
  list(
    log_evidence = number(a$log_evidence), se = number(a$se), estimates = a$estimates,
    warnings = for_r(as.character(unlist(a$warnings)))
  )
}
