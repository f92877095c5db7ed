// Package scope represents the meaning of names: scopes, and the arrays, functions, templates, distributions and
// trajectories in them, each with the statements that define it.
//
//	data y[N]              y: an Array with a Decl
//	mu ~ Normal(0, 10)     mu: an Array with a Draw
//	f(x) = x + mu          f: a Function, whose Scope is that of the file
//	y[i in N] ~ Normal(f(0), 1)
//
// Scopes are lexical, a tree from the library to the innermost block, as in other compilers (Aho et al. 2006,
// Compilers, section 2.7). The order of statements within a scope does not matter. The package stores what package
// check determines; itself it only finds the order in which arrays that read each other must be elaborated.
package scope
