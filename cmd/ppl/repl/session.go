package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/posterior/store"
)

// A session is what a REPL knows: runs that are open, by name, and a model that is being written.
type session struct {
	host     Host
	typed    bool // at a terminal
	done     bool
	failures int
	entered  []string // lines that were carried out

	runs     map[string]*analysis.Run
	order    []string      // names of runs, in the order in which they were opened
	run      *analysis.Run // that questions are about; nil before there are draws
	draft    *compiler.Draft
	changed  bool // the draft is no longer the model of run
	data     []string
	sampling *background // nil when nothing is being sampled
	pictures *pictures   // files that plots go to; nil where they are drawn in the terminal
}

// Run answers the lines of standard input, about the run or the model in a file, if path names one. Data are for the
// model, as --data takes them.
func Run(ctx context.Context, host Host, path string, data []string) error {
	s, err := newSession(host, path, data)
	if err != nil {
		return err
	}
	return s.loop(ctx)
}

// RunJSON is Run for a program, such as a Jupyter kernel: each line is a request, and each answer one line.
func RunJSON(ctx context.Context, host Host, path string, data []string) error {
	s, err := newSession(host, path, data)
	if err != nil {
		return err
	}
	return s.answerRequests(ctx, os.Stdin)
}

func newSession(host Host, path string, data []string) (*session, error) {
	s := &session{host: host, runs: map[string]*analysis.Run{}, data: data,
		draft: &compiler.Draft{Path: "model.ppl"}}
	if path == "" {
		return s, nil
	}
	return s, s.begin(path)
}

// diagnose prints diagnostics, and fails if one of them is an error.
func (s *session) diagnose(ds []diag.Diagnostic) error {
	s.host.PrintDiagnostics(ds)
	if diag.HasErrors(ds) {
		return fault.Wrong(nil)
	}
	return nil
}

// begin opens what the command line names.
func (s *session) begin(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return s.open(path, "")
	}
	path, text, data, err := s.host.ReadModel(path, s.data)
	if err != nil {
		return err
	}
	s.draft, s.data = &compiler.Draft{Path: path, Text: text}, data
	_, ds := s.draft.Check()
	return s.diagnose(ds)
}

// sessionNotes passes on what package app reports, in a script without progress.
type sessionNotes struct {
	notes.Notes
	s *session
}

// Progress shows how far a call is.
func (n sessionNotes) Progress(p infer.Progress) {
	if n.s.typed {
		n.Notes.Progress(p)
	}
}

// open opens a run under a name, and asks it from now on.
func (s *session) open(dir, name string) error {
	run, err := analysis.Open(dir, sessionNotes{s.host.Notes(), s})
	if err != nil {
		return err
	}
	if name == "" {
		name = fmt.Sprintf("m%d", len(s.order)+1)
	}
	s.enter(run, name)
	return s.takeModel(run)
}

// takeModel makes the model of a run the one that is being written.
func (s *session) takeModel(run *analysis.Run) error {
	text, err := run.ModelText()
	if err != nil {
		return err
	}
	s.draft = &compiler.Draft{Path: run.ModelPath(), Text: text}
	s.data, s.changed = run.Options.Data, false
	return nil
}

func (s *session) enter(run *analysis.Run, name string) {
	if s.runs[name] == nil {
		s.order = append(s.order, name)
	}
	s.runs[name], s.run = run, run
}

// greet says what is open.
func (s *session) greet() {
	switch {
	case s.run != nil:
		fmt.Fprintln(s.host.Out(), heading(s.run)+" · .help")
	case s.draft.Text != "":
		fmt.Fprintf(s.host.Out(), "%s · no draws yet: .sample · .help\n", filepath.Base(s.draft.Path))
	default:
		fmt.Fprintln(s.host.Out(), "an empty model: write its statements, then .sample · .help")
	}
}

// heading is "patients.ppl · 4 × 1,000 draws · renhd · no divergences".
func heading(o *analysis.Run) string {
	text := fmt.Sprintf("%s · %d × %s draws · %s", filepath.Base(o.Stored.Info.Model), o.Stored.Layout.Chains,
		diag.Thousands(o.Stored.Info.Draws), o.Stored.Info.Sampler)
	if o.Stored.Info.Status != store.Finished {
		text += " · " + string(o.Stored.Info.Status)
	}
	if !o.Stored.HasStat("diverging") {
		return text
	}
	chains, err := o.Stored.Stats("diverging")
	if err != nil {
		return text
	}
	n := 0
	for _, c := range chains {
		for _, d := range c {
			if d != 0 {
				n++
			}
		}
	}
	switch n {
	case 0:
		return text + " · no divergences"
	case 1:
		return text + " · 1 divergence"
	}
	return text + fmt.Sprintf(" · %s divergences", diag.Thousands(n))
}

func (s *session) prompt() string {
	if s.sampling != nil {
		return s.sampling.prompt()
	}
	return "> "
}

// follow looks what has come since the last line: draws of a run that is being written, the end of sampling.
func (s *session) follow() error {
	if s.sampling != nil {
		if err := s.collectSampling(); err != nil {
			return err
		}
	}
	if s.run != nil && s.run.Stored.Info.Status == store.Running {
		return s.run.Refresh()
	}
	return nil
}

var (
	statementWord = regexp.MustCompile(`^(data|generate|infer|import)\b`)
	definedName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
)

// isStatement distinguishes a statement of the model from a query: it draws, declares, or defines what the model
// defines; while there are no draws, every definition is one.
func (s *session) isStatement(line string) bool {
	if statementWord.MatchString(line) || topLevel(line, '~') {
		return true
	}
	if !topLevel(line, '=') {
		return false
	}
	return s.run == nil || s.draft.Defines(definedName.FindString(line))
}

// topLevel reports whether a mark stands outside of brackets and strings, and not as a part of ==, <=, >= or !=.
func topLevel(line string, mark byte) bool {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == '"':
			if end := strings.IndexByte(line[i+1:], '"'); end >= 0 {
				i += end + 1
			}
		case b == '#':
			return false
		case strings.IndexByte("([{", b) >= 0:
			depth++
		case strings.IndexByte(")]}", b) >= 0:
			depth--
		case strings.IndexByte("=<>!", b) >= 0 && i+1 < len(line) && line[i+1] == '=':
			i++
		case b == mark && depth == 0:
			return true
		}
	}
	return false
}

// statement changes the model.
func (s *session) statement(line string) error {
	if err := s.diagnose(errorsOf(s.draft.Add(line))); err != nil {
		return err
	}
	s.noteChange()
	return nil
}

func (s *session) noteChange() {
	if s.run != nil && !s.changed {
		s.host.Notef("the model has changed; the draws are of the model before: use .sample to draw again")
	}
	s.changed = true
}

// errorsOf leaves out warnings: a model that is being written is not whole yet.
func errorsOf(ds []diag.Diagnostic) (out []diag.Diagnostic) {
	for _, d := range ds {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}
