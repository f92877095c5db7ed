// Package modifiers adds the modifiers after a distribution to its term, and reports errors for those that do not fit.
//
//	sigma ~ Normal(0, 1) in 0..inf         truncation: needs the distribution function, unless all is constant
//	y[i in N] ~ Normal(mu, s) upto c[i]    only data can be censored, rounded or weighted
//	cut[K] ~ Normal(0, 2) ordered          elements must be exchangeable
//	b[J] ~ Normal(mu, s) noncentered       needs a location and scale, or a support that maps to the line
//
// The density of a truncated or censored term needs log F and log (1 - F) of its distribution (Klein and Moeschberger
// 2003, Survival Analysis, section 3.5). The noncentered form is that of Papaspiliopoulos, Roberts and Sköld 2007
// (doi:10.1214/088342307000000014).
package modifiers
