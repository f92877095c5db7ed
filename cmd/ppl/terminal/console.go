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

// A Console is where a command writes: results to Out, progress and notes to Err.
type Console struct {
	Out, Err io.Writer
	Width    int              // columns of Out; 0 if it is not a terminal
	Live     bool             // Err is a terminal: lines may be redrawn
	Color    bool             // Err takes colours
	Job      *app.Job         // the ranks that a launcher has started; nil for a process alone
	Opened   *analysis.Run    // that a session asks about, with its definitions; nil outside of one
	Disk     files.System     // where runs are written
	Network  app.Network      // data of other machines that the command may read
	Messages *messages.Writer // of notes, diagnostics and progress for programs; nil if they are text
	memory   int64            // bytes that --max-memory gives; 0 without it
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

// Notef writes a line for the reader, not for programs.
func (c *Console) Notef(format string, args ...any) {
	if c.Messages != nil {
		c.Messages.Note(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintln(c.Err, diag.Printable(fmt.Sprintf(format, args...)))
}

// Plain returns a console that is not a terminal.
func Plain(out, err io.Writer) *Console {
	return &Console{Out: &output{to: out}, Err: err, Disk: files.Disk{}}
}

// shown is how many diagnostics are printed: who gives a table for a model has one on each line.
const shown = 20

// Diagnose prints diagnostics, and fails if one of them is an error.
func (c *Console) Diagnose(ds []diag.Diagnostic) error {
	c.PrintDiagnostics(ds)
	if diag.HasErrors(ds) {
		return fault.Wrong(nil)
	}
	return nil
}

// PrintDiagnostics prints diagnostics, the first twenty of them.
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

// A reporter prints what was found, for people or for programs.
type reporter interface {
	Text(w io.Writer, width int) error
	JSON(w io.Writer) error
}

// Print prints what was found as text or as JSON.
func (c *Console) Print(r reporter, asJSON bool) error {
	if asJSON {
		return r.JSON(c.Out)
	}
	return r.Text(c.Out, c.Width)
}
