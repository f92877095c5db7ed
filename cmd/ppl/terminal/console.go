package terminal

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

// A Console receives the output of a command: results go to Out, progress and notes to Err.
type Console struct {
	Out, Err io.Writer
	Width    int              // number of columns of Out; 0 if it is not a terminal
	Live     bool             // whether Err is a terminal, so that lines can be redrawn
	Color    bool             // whether Err supports colours
	Job      *app.Job         // ranks started by a launcher; nil for a single process
	Opened   *analysis.Run    // run of an interactive session, with its definitions; nil outside a session
	Disk     files.System     // file system for runs
	Network  app.Network      // remote data that the command may read
	Messages *messages.Writer // writer for JSON messages; nil if messages are text
	memory   int64            // value of --max-memory in bytes; 0 if not given
}

// New returns the console of a process.
func New(out, err *os.File) *Console {
	c := Plain(out, err)
	if process.StdoutClosed() {
		c.Out = &output{to: out, err: errOutputClosed}
	}
	c.Messages = messages.FromEnvironment(err)
	if c.Messages != nil {
		return c
	}
	c.Live = term.IsTerminal(int(err.Fd()))
	c.Color = c.Live && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, failed := term.GetSize(int(out.Fd())); failed == nil {
		c.Width = width
	}
	return c
}

// Notef writes a line for people, not for programs.
func (c *Console) Notef(format string, args ...any) {
	if c.Messages != nil {
		c.Messages.Note(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintln(c.Err, diag.Printable(fmt.Sprintf(format, args...)))
}

// Plain returns a console without terminal features.
func Plain(out, err io.Writer) *Console {
	return &Console{Out: &output{to: out}, Err: err, Disk: files.Disk{}}
}

// shown is the maximum number of diagnostics that are printed. A table given as a model would have one per line.
const shown = 20

// Diagnose prints diagnostics, and returns an error if one of them is an error.
func (c *Console) Diagnose(ds []diag.Diagnostic) error {
	c.PrintDiagnostics(ds)
	if diag.HasErrors(ds) {
		return fault.Wrong(nil)
	}
	return nil
}

// PrintDiagnostics prints the first twenty diagnostics.
func (c *Console) PrintDiagnostics(ds []diag.Diagnostic) {
	if c.Messages != nil {
		c.Messages.Diagnostics(ds)
		return
	}
	diag.Render(c.Err, ds[:min(shown, len(ds))], c.Color)
	if len(ds) > shown {
		c.Notef("\nand %d more", len(ds)-shown)
	}
}

// A reporter prints a result, for people or for programs.
type reporter interface {
	Text(w io.Writer, width int) error
	JSON(w io.Writer) error
}

// Print prints a result as text or as JSON.
func (c *Console) Print(r reporter, asJSON bool) error {
	if asJSON {
		return r.JSON(c.Out)
	}
	return r.Text(c.Out, c.Width)
}
