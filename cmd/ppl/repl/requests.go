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

// With --json a session is for programs such as a Jupyter kernel. Each line of its input is a request, and each line of
// its output the answer:
//
//	{"entry": "mu ~ Normal(0, 1)\n.sample"}     {"status":"ok","text":"…","pictures":["/tmp/…/1.svg"],"notes":["…"]}
//	{"complete": "exp(si"}                      {"status":"ok","word":"si","completions":["sigma"]}
//	{"inspect": "sigma"}                        {"status":"ok","text":"sigma: …"}
//
// An entry that has begun to sample is answered when sampling has ended. SIGINT ends it, with the draws so far.

// A sessionRequest has one of its fields.
type sessionRequest struct {
	Entry    *string `json:"entry"`
	Complete *string `json:"complete"`
	Inspect  *string `json:"inspect"`
}

// The statuses of answers.
const (
	answered           = "ok"
	answeredError      = "error"
	answeredIncomplete = "incomplete" // a bracket is open, or an operator is last
	answeredStopped    = "interrupted"
	answeredEnd        = "end" // .quit: nothing follows
)

// A sessionAnswer is the answer to one request.
type sessionAnswer struct {
	Status      string             `json:"status"`
	Text        string             `json:"text,omitempty"`
	Notes       []string           `json:"notes,omitempty"`
	Diagnostics []diagnosticAnswer `json:"diagnostics,omitempty"`
	Error       string             `json:"error,omitempty"`
	Pictures    []string           `json:"pictures,omitempty"` // SVG files, which the reader may remove
	Word        string             `json:"word,omitempty"`     // what stands before the cursor
	Completions []string           `json:"completions,omitempty"`
}

// A diagnosticAnswer is a diagnostic as ppl check --json has it.
type diagnosticAnswer struct {
	Severity string          `json:"severity"`
	Code     string          `json:"code"`
	At       json.RawMessage `json:"at"`
	Message  string          `json:"message"`
	Help     string          `json:"help,omitempty"`
	Related  json.RawMessage `json:"related,omitempty"`
}

// pictures are files that plots of a session go to.
type pictures struct {
	folder string
	made   []string
	count  int
}

// of gives the words of a plot a file to write to, unless they name one.
func (p *pictures) of(words []string) []string {
	if p == nil || slices.Contains(words, "--out") {
		return words
	}
	p.count++
	path := filepath.Join(p.folder, fmt.Sprintf("%d.svg", p.count))
	p.made = append(p.made, path)
	return append(words, "--out", path)
}

// answerRequests answers requests until there are no more.
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

// lines carries out the lines of a text and returns the status.
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

// take sorts messages by their kinds. Of an entry that failed the last note says why, unless diagnostics do.
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
