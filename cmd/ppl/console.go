package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/cmd/ppl/messages"
	"ppl/lang/diag"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/process"
)

// A console is where a command writes: results to out, progress and notes to err.
type console struct {
	out, err io.Writer
	width    int              // columns of out; 0 when it is no terminal
	live     bool             // err is a terminal: lines may be redrawn
	color    bool             // err takes colours
	job      *app.Job         // the ranks that a launcher has started; nil for a process alone
	opened   *analysis.Run    // that a session asks about, with its definitions; nil outside of one
	disk     files.System     // where runs are written
	memory   int64            // bytes that --max-memory gives; 0 without it
	network  app.Network      // data of other machines that the command may read
	messages *messages.Writer // of notes, diagnostics and progress for programs; nil where they are text
}

func newConsole(out, err *os.File) *console {
	results := &output{to: out}
	if process.StdoutClosed() {
		results.err = errOutputClosed
	}
	c := plainConsole(results, err)
	c.messages = messages.FromEnvironment(err)
	if c.messages != nil {
		return c
	}
	c.live = term.IsTerminal(int(err.Fd()))
	c.color = c.live && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, failed := term.GetSize(int(out.Fd())); failed == nil {
		c.width = width
	}
	return c
}

// notef writes a line for the reader, not for programs.
func (c *console) notef(format string, args ...any) {
	if c.messages != nil {
		c.messages.Note(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintln(c.err, diag.Printable(fmt.Sprintf(format, args...)))
}

// plainConsole is a console that is no terminal.
func plainConsole(out, err io.Writer) *console {
	return &console{out: out, err: err, disk: files.Disk{}}
}

// shown is how many diagnostics are printed: who gives a table for a model has one on each line.
const shown = 20

// diagnose prints diagnostics, and fails if one of them is an error.
func (c *console) diagnose(ds []diag.Diagnostic) error {
	c.printDiagnostics(ds)
	if diag.HasErrors(ds) {
		return fault.Wrong(nil)
	}
	return nil
}

func (c *console) printDiagnostics(ds []diag.Diagnostic) {
	if c.messages != nil {
		c.messages.Diagnostics(ds)
		return
	}
	diag.Render(c.err, ds[:min(shown, len(ds))], c.color)
	if len(ds) > shown {
		c.notef("\nand %d more", len(ds)-shown)
	}
}

// A reporter prints what was found, for people or for programs.
type reporter interface {
	Text(w io.Writer, width int) error
	JSON(w io.Writer) error
}

func (c *console) printed(r reporter, asJSON bool) error {
	if asJSON {
		return r.JSON(c.out)
	}
	return r.Text(c.out, c.width)
}
