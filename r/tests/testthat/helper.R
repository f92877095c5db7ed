skip_without_ppl <- function() {
  found <- tryCatch(ppl_path(), ppl_binary_error = function(e) NULL)
  skip_if(is.null(found), "the program ppl is missing")
}

growth <- data.frame(
  height = c(12.1, 14.3, 15.2, 18.9, 20.3, 21.2, 24.4, 26.1),
  day.no = c(1, 2, 3, 4, 5, 6, 7, 8),
  plot = factor(c("z", "a", "z", "a", "z", "a", "z", "a"), levels = c("z", "a", "empty"))
)

growth_model <- "
data height[N], day_no[N], plot[N]: index(Plots)
a, b ~ Normal(0, 20)
u[p in Plots] ~ Normal(0, 1)
sigma ~ HalfNormal(5)
height[i in N] ~ Normal(a + b * day_no[i] + u[plot[i]], sigma)
"

# fitted returns a run that all tests share.
shared <- new.env()
fitted_growth <- function() {
  if (is.null(shared$run)) {
    shared$run <- suppressWarnings(ppl_sample(growth_model, growth, seed = 1, draws = 300, warmup = 300))
  }
  shared$run
}
