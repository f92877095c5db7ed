package repl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"ppl/app/fault"
)

// With --json a session serves a program such as a Jupyter kernel. Each input line is a request, each output line an
// answer:
//
//	{"entry": "mu ~ Normal(0, 1)\n.sample"}     {"status":"ok","text":"…","pictures":["/tmp/…/1.svg"],"notes":["…"]}
//	{"complete": "exp(si"}                      {"status":"ok","word":"si","completions":["sigma"]}
//	{"inspect": "sigma"}                        {"status":"ok","text":"sigma: …"}
//
// An entry that starts sampling is answered when sampling ends. SIGINT ends sampling and keeps the draws so far.

// A sessionRequest is a request. Exactly one of its fields is set.
type sessionRequest struct {
	Entry    *string `json:"entry"`
	Complete *string `json:"complete"`
	Inspect  *string `json:"inspect"`
}

// These are the statuses of answers.
const (
	answered           = "ok"
	answeredError      = "error"
	answeredIncomplete = "incomplete" // a bracket is open, or an operator is last
	answeredStopped    = "interrupted"
	answeredEnd        = "end" // after .quit; no answers follow
)

// A sessionAnswer is the answer to one request.
type sessionAnswer struct {
	Status      string             `json:"status"`
	Text        string             `json:"text,omitempty"`
	Notes       []string           `json:"notes,omitempty"`
	Diagnostics []diagnosticAnswer `json:"diagnostics,omitempty"`
	Error       string             `json:"error,omitempty"`
	Pictures    []string           `json:"pictures,omitempty"` // SVG files, which the reader may delete
	Word        string             `json:"word,omitempty"`     // word before the cursor
	Completions []string           `json:"completions,omitempty"`
}

// A diagnosticAnswer is a diagnostic in the form of `ppl check --json`.
type diagnosticAnswer struct {
	Severity string          `json:"severity"`
	Code     string          `json:"code"`
	At       json.RawMessage `json:"at"`
	Message  string          `json:"message"`
	Help     string          `json:"help,omitempty"`
	Related  json.RawMessage `json:"related,omitempty"`
}

// pictures holds the files to which plots of a session are written.
type pictures struct {
	folder string
	made   []string
	count  int
}

// of adds a new file to the words of a plot command, unless they name a file or the session draws in the terminal.
func (p *pictures) of(words []string) []string {
	if p == nil || slices.Contains(words, "--out") {
		return words
	}
	p.count++
	path := filepath.Join(p.folder, fmt.Sprintf("%d.svg", p.count))
	p.made = append(p.made, path)
	return append(words, "--out", path)
}

// answerRequests answers requests until the input ends.
func (s *session) answerRequests(ctx context.Context, in io.Reader) error {
	folder, err := os.MkdirTemp("", "ppl-pictures-")
	if err != nil {
		return fault.Of(err)
	}
	defer os.RemoveAll(folder)
	s.pictures = &pictures{folder: folder}
	out := json.NewEncoder(s.host.Out())
	out.SetEscapeHTML(false)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<26)
	for !s.done && lines.Scan() {
		if err := out.Encode(s.answerRequest(ctx, lines.Bytes())); err != nil {
			return fault.Of(err)
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Of(err)
	}
	return s.endSampling()
}

func (s *session) answerRequest(ctx context.Context, line []byte) sessionAnswer {
	var r sessionRequest
	if err := json.Unmarshal(line, &r); err != nil {
		return sessionAnswer{Status: answeredError, Error: fmt.Sprintf("not a request: %v", err)}
	}
	switch {
	case r.Entry != nil:
		return s.answerEntry(ctx, *r.Entry)
	case r.Complete != nil:
		word, all := completer{s}.candidates(*r.Complete)
		all = slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, word) })
		return sessionAnswer{Status: answered, Word: word, Completions: all}
	case r.Inspect != nil:
		return s.answerEntry(ctx, "? "+*r.Inspect)
	}
	return sessionAnswer{Status: answeredError, Error: "a request has entry, complete or inspect"}
}

// answerEntry carries out the lines of an entry, up to the first that fails.
func (s *session) answerEntry(ctx context.Context, text string) (a sessionAnswer) {
	within, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	var out, messages bytes.Buffer
	host := s.host
	defer func() { s.host = host }()
	s.host, s.pictures.made = host.Redirected(&out, &messages), nil
	a.Status = s.lines(within, text, &a)
	if within.Err() != nil {
		a.Status = answeredStopped
	}
	if a.Status != answeredError && s.done {
		a.Status = answeredEnd
	}
	a.Text = out.String()
	a.take(&messages)
	for _, path := range s.pictures.made {
		if _, err := os.Stat(path); err == nil {
			a.Pictures = append(a.Pictures, path)
		}
	}
	return a
}

// lines carries out the lines of a text, and returns the status.
func (s *session) lines(ctx context.Context, text string, a *sessionAnswer) string {
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for from := (pipedLines{scanner}); ctx.Err() == nil && !s.done; {
		line, err := s.entry(from)
		if errors.Is(err, io.EOF) {
			if strings.TrimSpace(line) != "" {
				return answeredIncomplete
			}
			return answered
		}
		line = strings.TrimSpace(withoutComments(line))
		if line == "" {
			continue
		}
		if err := s.line(ctx, line); err != nil {
			s.printError(err)
			return answeredError
		}
		s.entered = append(s.entered, line)
	}
	return answered
}

// take sorts messages by kind. If the entry failed, the last note becomes the error.
func (a *sessionAnswer) take(messages io.Reader) {
	for in := json.NewDecoder(messages); ; {
		var m struct {
			Kind, Text string
			diagnosticAnswer
		}
		if err := in.Decode(&m); err != nil {
			break
		}
		switch m.Kind {
		case "note":
			a.Notes = append(a.Notes, m.Text)
		case "diagnostic":
			a.Diagnostics = append(a.Diagnostics, m.diagnosticAnswer)
		}
	}
	if n := len(a.Notes); a.Status == answeredError && n > 0 {
		a.Error, a.Notes = a.Notes[n-1], a.Notes[:n-1]
	}
}
