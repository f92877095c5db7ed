// Package messages writes the reports of a command as JSON objects, one per line, for programs that call ppl:
//
//	to := messages.New(os.Stderr)
//	to.Note("16 walkers agree on where the target is, so no temperature ladder is used")
//	to.Error(1, "no such run")
//
// Examples of objects:
//
//	{"kind":"diagnostic","severity":"error","code":"E10","at":{…},"message":"`s` is not defined","help":"…"}
//	{"kind":"note","text":"16 walkers agree on where the target is, so no temperature ladder is used"}
//	{"kind":"progress","phase":"sampling","done":120,"total":2000,"divergences":0}
//	{"kind":"error","exit":1,"text":"no such run"}
//
// An error is the last object. If diagnostics already describe all problems, there is no error object. The format is
// JSON Lines, https://jsonlines.org.
package messages

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"ppl/infer"
	"ppl/lang/diag"
)

// variable is the name of the environment variable that selects the format of messages.
const variable = "PPL_MESSAGES"

// A Writer writes messages.
type Writer struct{ to *json.Encoder }

// New returns a Writer that writes to w.
func New(w io.Writer) *Writer {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return &Writer{e}
}

// FromEnvironment returns a Writer if the environment variable PPL_MESSAGES is "json". It returns nil otherwise, which
// means that messages are text.
func FromEnvironment(w io.Writer) *Writer {
	if os.Getenv(variable) != "json" {
		return nil
	}
	return New(w)
}

// Note writes a note. It removes the prefix "note: ", since the kind of the message contains it.
func (w *Writer) Note(text string) {
	w.to.Encode(noteMessage{"note", diag.Printable(strings.TrimPrefix(text, "note: "))})
}

// Diagnostics writes the problems of a model.
func (w *Writer) Diagnostics(ds []diag.Diagnostic) {
	for _, d := range ds {
		w.to.Encode(diagnosticMessage{"diagnostic", DiagnosticOf(d)})
	}
}

// Error writes the error that ends a command, with its exit code.
func (w *Writer) Error(exit int, text string) {
	w.to.Encode(errorMessage{"error", exit, diag.Printable(text)})
}

type noteMessage struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type diagnosticMessage struct {
	Kind string `json:"kind"`
	Diagnostic
}

type errorMessage struct {
	Kind string `json:"kind"`
	Exit int    `json:"exit"`
	Text string `json:"text"`
}

type progressMessage struct {
	Kind        string   `json:"kind"`
	Phase       string   `json:"phase"`
	Done        int      `json:"done"`
	Total       int      `json:"total"`
	Divergences int      `json:"divergences"`
	Part        string   `json:"part,omitempty"`
	Gradients   int64    `json:"gradients,omitempty"`
	Thin        int      `json:"thin,omitempty"`
	Epoch       float64  `json:"epoch,omitempty"`
	Learned     *float64 `json:"mean_log_likelihood,omitempty"`
	HeldOut     *float64 `json:"held_out_log_likelihood,omitempty"`
}

// every is the minimum time between two progress messages in a phase.
const every = 100 * time.Millisecond

// Progress returns a function that writes progress: the start and end of each phase, and intermediate states at
// intervals.
func (w *Writer) Progress() func(infer.Progress) {
	last, done, said := infer.Phase(-1), 0, time.Time{}
	return func(p infer.Progress) {
		now := time.Now()
		ends := p.Done >= p.Total && p.Done != done
		if p.Phase == last && !ends && now.Sub(said) < every {
			return
		}
		last, done, said = p.Phase, p.Done, now
		m := progressMessage{Kind: "progress", Phase: p.Phase.String(), Done: p.Done, Total: p.Total,
			Divergences: p.Divergences, Part: p.Part, Gradients: p.Gradients, Thin: p.Thin, Epoch: p.Epoch}
		if p.HeldOut != 0 {
			m.Learned, m.HeldOut = finite(p.Learned), finite(p.HeldOut)
		}
		w.to.Encode(m)
	}
}

// finite returns a pointer to a number, or nil if it is not finite, since JSON has no such numbers.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
