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

// A session is the state of an interactive session: open runs by name, and a model being written.
type session struct {
	host     Host
	typed    bool // whether lines are typed at a terminal
	done     bool
	failures int
	entered  []string // lines carried out so far

	runs     map[string]*analysis.Run
	order    []string      // names of runs, in the order of opening
	run      *analysis.Run // run for queries; nil before there are draws
	draft    *compiler.Draft
	changed  bool // whether the draft differs from the model of run
	data     []string
	sampling *background // nil if nothing is being sampled
	pictures *pictures   // files for plots; nil if plots are drawn in the terminal
}

// Run carries out the lines of standard input. path may name a run or model to open. data are arguments of --data for
// the model.
func Run(ctx context.Context, host Host, path string, data []string) error {
	s, err := newSession(host, path, data)
	if err != nil {
		return err
	}
	return s.loop(ctx)
}

// RunJSON is Run for a program such as a Jupyter kernel. Each line is a request, and each answer is one line.
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

// diagnose prints diagnostics, and returns an error if one of them is an error.
func (s *session) diagnose(ds []diag.Diagnostic) error {
	s.host.PrintDiagnostics(ds)
	if diag.HasErrors(ds) {
		return fault.Wrong(nil)
	}
	return nil
}

// begin opens the run or model that the command line names.
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

// sessionNotes passes on the reports of package app. A script gets no progress.
type sessionNotes struct {
	notes.Notes
	s *session
}

// Progress shows progress at a terminal.
func (n sessionNotes) Progress(p infer.Progress) {
	if n.s.typed {
		n.Notes.Progress(p)
	}
}

// open opens a run under a name, and makes it the run for queries.
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

// takeModel makes the model of a run the draft.
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

// greet prints what is open.
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

// heading returns a line like "patients.ppl · 4 × 1,000 draws · renhd · no divergences".
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

// follow updates the session before each line: it reads new draws of a run being written, and detects the end of
// sampling.
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

// isStatement reports whether a line is a statement of the model, not a query: it declares or draws something, or
// redefines a name of the model. While there are no draws, every definition is a statement.
func (s *session) isStatement(line string) bool {
	if statementWord.MatchString(line) || topLevel(line, '~') {
		return true
	}
	if !topLevel(line, '=') {
		return false
	}
	return s.run == nil || s.draft.Defines(definedName.FindString(line))
}

// topLevel reports whether a mark occurs outside brackets and strings, and not as a part of ==, <=, >= or !=.
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

// statement adds a statement to the model, or replaces one.
func (s *session) statement(line string) error {
	if err := s.diagnose(errorsOf(s.draft.Add(line))); err != nil {
		return err
	}
	s.noteChange()
	return nil
}

func (s *session) noteChange() {
	if s.run != nil && !s.changed {
		s.host.Notef("the model has changed, but the draws are those of the earlier model: use .sample to draw again")
	}
	s.changed = true
}

// errorsOf returns the errors among diagnostics, since an unfinished model causes many warnings.
func errorsOf(ds []diag.Diagnostic) (out []diag.Diagnostic) {
	for _, d := range ds {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}
