// Package terminal is what all commands of ppl share: the console to which they print, flags that several of them have,
// the limits of a command, and exit codes.
//
// A command prints results with Out and everything else with Notef, so that a pipe gets results alone, and returns an
// error of package fault, whose kind decides the exit code:
//
//	c := terminal.New(os.Stdout, os.Stderr)
//	fmt.Fprintln(c.Out, "mu 0.5")                  standard output
//	c.Notef("note: 4 chains")                      standard error
//	os.Exit(c.Conclude(cmd, fault.Usagef("…")))    prints the error and the usage; 2
//
// Whether a line may be redrawn, have colours or a width is a question about the terminal (isatty) and about the
// convention of https://no-color.org; whether notes are JSON objects for another program is one about the environment.
package terminal
