// Package terminal contains what all commands share: the console to which they print, common flags, the limits of a
// command, and exit codes.
//
// A command writes results to Out and everything else with Notef, so that a pipe receives only results. It returns an
// error of package fault, whose kind determines the exit code:
//
//	c := terminal.New(os.Stdout, os.Stderr)
//	fmt.Fprintln(c.Out, "mu 0.5")                  standard output
//	c.Notef("note: 4 chains")                      standard error
//	os.Exit(c.Conclude(cmd, fault.Usagef("…")))    prints the error and the usage; 2
//
// Redrawing, colours and width depend on the terminal (isatty) and on the convention of https://no-color.org. An
// environment variable selects whether notes are JSON objects for another program.
package terminal
