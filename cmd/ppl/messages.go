package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"ppl/infer"
	"ppl/lang/diag"
)

// messagesVariable is the environment variable that makes every message one JSON object on a line of stderr, for
// programs that call ppl:
//
//	{"kind":"diagnostic","severity":"error","code":"E10","at":{…},"message":"`s` is not defined","help":"…"}
//	{"kind":"note","text":"16 walkers agree on where the target is, so no temperature ladder is used"}
//	{"kind":"progress","phase":"sampling","done":120,"total":2000,"divergences":0}
//	{"kind":"error","exit":1,"text":"no such run"}
//
// An error comes last. A command that has reported all that is wrong as diagnostics prints no error.
const messagesVariable = "PPL_MESSAGES"

// messagesFromEnvironment is the encoder of messages, or nil where they are text.
func messagesFromEnvironment(err io.Writer) *json.Encoder {
	if os.Getenv(messagesVariable) != "json" {
		return nil
	}
	e := json.NewEncoder(err)
	e.SetEscapeHTML(false)
	return e
}

type noteMessage struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type diagnosticMessage struct {
	Kind string `json:"kind"`
	diagnosticObject
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
	Thin        int      `json:"thin,omitempty"`
	Epoch       float64  `json:"epoch,omitempty"`
	Learned     *float64 `json:"mean_log_likelihood,omitempty"`
	HeldOut     *float64 `json:"held_out_log_likelihood,omitempty"`
}

// messageEvery is the time between two messages of progress in one phase.
const messageEvery = 100 * time.Millisecond

// jsonProgress reports each phase, where it ends, and what is between from time to time.
func (c *console) jsonProgress() func(infer.Progress) {
	last, said := infer.Phase(-1), time.Time{}
	return func(p infer.Progress) {
		now := time.Now()
		if p.Phase == last && p.Done < p.Total && now.Sub(said) < messageEvery {
			return
		}
		last, said = p.Phase, now
		m := progressMessage{Kind: "progress", Phase: p.Phase.String(), Done: p.Done, Total: p.Total,
			Divergences: p.Divergences, Thin: p.Thin, Epoch: p.Epoch}
		if p.HeldOut != 0 {
			m.Learned, m.HeldOut = finite(p.Learned), finite(p.HeldOut)
		}
		c.messages.Encode(m)
	}
}

// finite is a number that JSON has, or nil.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// noteJSON is notef for programs. The mark of a note is its kind.
func (c *console) noteJSON(format string, args ...any) {
	text := strings.TrimPrefix(fmt.Sprintf(format, args...), "note: ")
	c.messages.Encode(noteMessage{"note", diag.Printable(text)})
}
