library(testthat)
library(pplr)

test_check("pplr")
