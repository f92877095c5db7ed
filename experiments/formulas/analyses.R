# Compares models of formulas with what lm, glm, lme4, MASS, nlme and survival find for analyses of data that come with
# R and these packages. For each analysis it prints the largest difference of a coefficient's posterior mean from the
# estimate, in standard errors of the estimate, the median ratio of standard deviations to standard errors, and the
# seconds of the run by the clock. A difference that is too large is a failure.
#
#   Rscript experiments/formulas/analyses.R [NAME...]     with the package pplr installed, and ppl on PATH
suppressMessages({
  library(pplr)
  library(lme4)
  library(MASS)
  library(nlme, exclude = c("lmList", "ranef", "fixef", "VarCorr", "getData"))
  library(survival)
})

# An analysis has a formula, data, a family, the function that estimates it, and how far means may be from estimates:
# priors and the skewness of posteriors move them by some tenths of a standard error.
analysis <- function(name, source, formula, data, family = "gaussian", fit, estimate = fixed, within = 0.25) {
  list(name = name, source = source, formula = formula, data = data, family = family, fit = fit, estimate = estimate,
    within = within)
}

fixed <- function(fit) {
  table <- coef(summary(fit))
  data.frame(term = rownames(table), estimate = table[, 1], se = table[, 2])
}

# of_table reads the coefficients of a fit whose summary has a table.
of_table <- function(fit) {
  table <- summary(fit)$table
  data.frame(term = rownames(table), estimate = table[, 1], se = table[, 2])
}

of_gls <- function(fit) {
  table <- summary(fit)$tTable
  data.frame(term = rownames(table), estimate = table[, 1], se = table[, 2])
}

contraception <- within(epil, base4 <- log(base / 4))
quine2 <- quine
lung2 <- within(lung, {
  cens <- ifelse(status == 1, "right", "none")
  female <- sex - 1
})
lung2 <- lung2[complete.cases(lung2[c("time", "age", "female")]), c("time", "age", "female", "cens", "status")]
bacteria2 <- within(bacteria, y <- as.integer(y == "y"))
housing2 <- housing[rep(seq_len(nrow(housing)), housing$Freq), c("Sat", "Infl", "Type", "Cont")]
insects <- InsectSprays
orthodont <- as.data.frame(Orthodont)
orthodont$Subject <- factor(orthodont$Subject, ordered = FALSE)
oats <- as.data.frame(Oats)
oats$Block <- factor(oats$Block, ordered = FALSE)
machines <- as.data.frame(Machines)
machines$Worker <- factor(machines$Worker, ordered = FALSE)

# coefficient gives the name of a coefficient of R in the run: elements of factors have an array over their levels.
coefficient <- function(term, data) {
  if (term == "(Intercept)") {
    return("b_Intercept")
  }
  parts <- strsplit(term, ":", fixed = TRUE)[[1]]
  names <- character()
  factors <- character()
  levels <- character()
  for (part in parts) {
    factor <- Filter(function(n) (is.factor(data[[n]]) || is.character(data[[n]])) && startsWith(part, n), names(data))
    if (part %in% names(data) || length(factor) == 0) {
      names <- c(names, gsub("[^A-Za-z0-9_]+", "_", sub("_$", "", sub("^I\\((.*)\\^2\\)$", "\\1_squared",
        sub("^log\\((.*)\\)$", "log_\\1", part)))))
    } else {
      factor <- factor[which.max(nchar(factor))]
      factors <- c(factors, factor)
      levels <- c(levels, substring(part, nchar(factor) + 1))
    }
  }
  names <- c(names, factors) # numbers are first in the names of products
  paste0("b_", paste(gsub("[^A-Za-z0-9_]", "_", names), collapse = "_"),
    if (length(levels) > 0) paste0("[", paste(levels, collapse = ","), "]"))
}

analyses <- list(
  analysis("sleepstudy", "Belenky et al. 2003 (lme4)", Reaction ~ Days + (1 + Days | Subject), sleepstudy,
    fit = lmer),
  analysis("dyestuff", "Davies & Goldsmith 1972 (lme4)", Yield ~ 1 + (1 | Batch), Dyestuff, fit = lmer),
  analysis("penicillin", "Davies & Goldsmith 1972 (lme4)", diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin,
    fit = lmer),
  analysis("pastes", "Davies & Goldsmith 1972 (lme4)", strength ~ 1 + (1 | batch) + (1 | sample), Pastes, fit = lmer),
  analysis("cake", "Cook 1938 (lme4)", angle ~ temp + recipe + (1 | recipe:replicate), cake, fit = lmer),
  analysis("orthodont", "Potthoff & Roy 1964 (nlme)", distance ~ age * Sex + (1 + age | Subject), orthodont,
    fit = lmer),
  analysis("oats", "Yates 1935 (nlme)", yield ~ nitro + Variety + (1 | Block / Variety), oats, fit = lmer),
  analysis("machines", "Milliken & Johnson 1992 (nlme)", score ~ Machine + (1 | Worker), machines, fit = lmer),
  analysis("rail", "Devore 2000 (nlme)", travel ~ 1 + (1 | Rail), within(as.data.frame(Rail),
    Rail <- factor(Rail, ordered = FALSE)), fit = lmer),
  analysis("cbpp", "Lesnoff et al. 2004 (lme4)", cbind(incidence, healthy) ~ period + (1 | herd),
    within(cbpp, healthy <- size - incidence), "binomial", function(f, d) glmer(f, d, binomial)),
  analysis("grouseticks", "Elston et al. 2001 (lme4)", TICKS ~ YEAR + (1 | BROOD) + (1 | LOCATION), grouseticks,
    "poisson", function(f, d) glmer(f, d, poisson)),
  analysis("epilepsy", "Thall & Vail 1990 (MASS)", y ~ base4 + trt + (1 | subject), contraception, "poisson",
    function(f, d) glmer(f, d, poisson)),
  analysis("bacteria", "Venables & Ripley 2002 (MASS)", y ~ trt + week + (1 | ID), bacteria2, "bernoulli",
    function(f, d) glmer(f, d, binomial)),
  analysis("quine", "Aitkin 1978 (MASS)", Days ~ Eth + Sex + Lrn, quine2, "negbinomial",
    function(f, d) glm.nb(f, d)),
  analysis("insurance", "Baxter et al. 1980 (MASS)", Claims ~ Age2 + offset(log(Holders)),
    within(Insurance, Age2 <- factor(Age, ordered = FALSE)), "poisson", function(f, d) glm(f, poisson, d)),
  analysis("birthwt", "Hosmer & Lemeshow 1989 (MASS)", low ~ age + lwt + smoke + ht + ui, birthwt, "bernoulli",
    function(f, d) glm(f, binomial, d)),
  analysis("housing", "Cox & Snell 1984 (MASS)", Sat ~ Infl + Type + Cont, housing2, "cumulative",
    function(f, d) polr(f, d, Hess = TRUE)),
  analysis("warpbreaks", "Tippett 1950 (datasets)", breaks ~ wool * tension, warpbreaks, fit = lm),
  analysis("mtcars", "Henderson & Velleman 1981 (datasets)", mpg ~ wt + hp + I(wt^2), mtcars, fit = lm),
  analysis("trees", "Ryan et al. 1976 (datasets)", Volume ~ Girth + Height, trees, fit = lm),
  analysis("insectsprays", "Beall 1942 (datasets)", count ~ spray, insects, "poisson",
    function(f, d) glm(f, poisson, d)),
  analysis("esoph", "Breslow & Day 1980 (datasets)", cbind(ncases, ncontrols) ~ agegp2 + alc,
    within(esoph, {
      agegp2 <- factor(as.character(agegp))
      alc <- as.integer(alcgp)
    }), "binomial", function(f, d) glm(f, binomial, d), within = 0.8), # one case in the reference group
  analysis("toothgrowth", "Crampton 1947 (datasets)", len ~ supp * dose, ToothGrowth, fit = lm),
  analysis("chickweight", "Crowder & Hand 1990 (datasets)", weight ~ Time * Diet + (1 + Time | Chick),
    within(as.data.frame(ChickWeight), Chick <- factor(Chick, ordered = FALSE)), fit = lmer),
  analysis("lung", "Loprinzi et al. 1994 (survival)", time | cens(cens) ~ age + female, lung2, "exponential",
    function(f, d) survreg(Surv(time, status == 2) ~ age + female, d, dist = "exponential"), estimate = of_table),
  analysis("cox", "Loprinzi et al. 1994 (survival)", time | cens(cens) ~ age + female, lung2, "cox",
    function(f, d) coxph(Surv(time, status == 2) ~ age + female, d), function(fit) {
      table <- coef(summary(fit))
      data.frame(term = rownames(table), estimate = table[, 1], se = table[, 3])
    }),
  analysis("unequal", "Potthoff & Roy 1964 (nlme)", "distance ~ age, sigma ~ Sex", orthodont,
    fit = function(f, d) gls(distance ~ age, d, weights = varIdent(form = ~ 1 | Sex), method = "ML"),
    estimate = of_gls)
)

# compare runs one analysis, and returns the largest difference in standard errors.
compare <- function(a) {
  theirs <- a$estimate(suppressMessages(suppressWarnings(a$fit(a$formula, a$data))))
  if (a$name == "housing") {
    theirs <- theirs[!grepl("|", theirs$term, fixed = TRUE), ]
  }
  before <- proc.time()[["elapsed"]]
  run <- suppressWarnings(ppl_fit(a$formula, a$data, a$family, seed = 1))
  used <- proc.time()[["elapsed"]] - before
  ours <- summary(run)
  rownames(ours) <- ours$variable
  name <- vapply(theirs$term, coefficient, "", data = a$data)
  missing <- setdiff(name, ours$variable)
  if (length(missing) > 0) {
    stop(a$name, ": the run has no ", paste(missing, collapse = ", "), "; it has ",
      paste(head(ours$variable, 20), collapse = ", "))
  }
  z <- (ours[name, "mean"] - theirs$estimate) / theirs$se
  ratio <- ours[name, "sd"] / theirs$se
  data.frame(analysis = a$name, coefficients = nrow(theirs), largest = round(max(abs(z)), 2),
    sd_ratio = round(stats::median(ratio), 2), seconds = round(used, 1),
    result = if (max(abs(z)) < a$within) "agrees" else "differs")
}

chosen <- commandArgs(TRUE)
rows <- NULL
for (a in analyses) {
  if (length(chosen) == 0 || a$name %in% chosen) {
    row <- tryCatch(compare(a), error = function(e) {
      data.frame(analysis = a$name, coefficients = NA, largest = NA, sd_ratio = NA, seconds = NA,
        result = conditionMessage(e))
    })
    cat(paste(row, collapse = "\t"), "\n", sep = "")
    rows <- rbind(rows, row)
  }
}
quit(status = as.integer(any(rows$result != "agrees")))
