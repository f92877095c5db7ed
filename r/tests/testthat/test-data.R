written <- function(data, types = NULL) {
  path <- tempfile(fileext = ".R")
  pplr:::write_data(data, path, types)
  path
}

test_that("R reads back what is written", {
  data <- list(
    x = c(0.1, NA, 1e-300, -Inf), n = c(1L, NA), text = c("a\"b\\c", NA, "\u00e9\n"), truth = c(TRUE, NA),
    m = matrix(as.double(1:6), 2), day = as.Date(c("2024-02-29", NA)), one = 5,
    f = factor(c("b", NA, "a"), levels = c("c", "b", "a"))
  )
  environment <- new.env()
  source(written(data), local = environment, encoding = "UTF-8")
  expect_identical(environment$x, data$x)
  expect_equal(environment$n, as.numeric(data$n))
  expect_identical(environment$text, data$text)
  expect_identical(environment$m, data$m)
  expect_equal(environment$day, data$day)
  expect_identical(as.character(environment$f), as.character(data$f))
  expect_identical(levels(environment$f), levels(data$f))
})

test_that("a single element is a number, unless the model reads an array", {
  text <- function(types) paste(readLines(written(list(y = 3), types)), collapse = "")
  expect_match(text(NULL), "<- 3$")
  expect_match(text(c(y = "real[N]")), "structure(c(3), .Dim = c(1))", fixed = TRUE)
})

test_that("what cannot be handed over is an error if the model reads it", {
  data <- list(y = 1:2, extra = list(1, "a"), z = complex(2))
  expect_error(written(data), class = "ppl_data_error")
  expect_silent(written(data, c(y = "real[N]")))
  expect_error(written(list(z = complex(2)), c(z = "real[N]")), "`z` has complex values", class = "ppl_data_error")
  twice <- data.frame(a = 1, a = 2, check.names = FALSE)
  expect_error(written(twice), "Two columns are named", class = "ppl_data_error")
  expect_error(written(growth[0, ]), "no rows", class = "ppl_data_error")
  expect_error(pplr:::data_arguments("no/such.csv", tempdir()), "no data file", class = "ppl_data_error")
})

test_that("matrices in a data frame are columns, and names of rows a column", {
  data <- data.frame(y = 1:2, row.names = c("u", "v"))
  data$m <- matrix(1:4, 2, dimnames = list(NULL, c("p", "q")))
  expect_named(pplr:::unpacked(data), c("y", "m.p", "m.q", "row"))
})

test_that("factors keep their levels and their order", {
  skip_without_ppl()
  expect_identical(
    posterior::variables(as_draws_array(fitted_growth()))[3:5], c("u[z]", "u[a]", "u[empty]")
  )
})
