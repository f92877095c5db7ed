package store

import (
	"fmt"
	"strings"
)

// A Warning is one thing that speaks against the draws of a run.
type Warning struct {
	Fact   string   `json:"fact"`             // what was seen, with its numbers
	Reason string   `json:"reason,omitempty"` // what that means, and where it comes from
	Advice []Advice `json:"advice,omitempty"` // what may help; the first is to be tried first
}

// Advice is one thing to do, as a sentence, and for programs: an action on a subject, which is a setting, a flag, or a
// name of the model.
type Advice struct {
	Do   Action `json:"do"`
	On   string `json:"on"`
	To   string `json:"to,omitempty"` // the value that it should have
	Text string `json:"text"`
}

// An Action is what advice does to its subject.
type Action string

const (
	Raise    Action = "raise"     // a number: draws, warm-up, rungs, rows of a minibatch
	Lower    Action = "lower"     // a number, such as the step
	Choose   Action = "choose"    // one of several: a sampler, a rule
	Center   Action = "center"    // an effect: write it without `noncentered`
	Shift    Action = "noncenter" // an effect: mark it `noncentered`
	Order    Action = "order"     // elements that can change places
	Confine  Action = "confine"   // a parameter, by a proper prior or one with lighter tails
	Repair   Action = "repair"    // a formula with values that are not finite
	Rewrite  Action = "rewrite"   // the model, in other parameters
	Continue Action = "continue"  // a run that has not ended
)

// SmallerSteps lessen the error of discretisation; the step is half of what it was, if that is known.
func SmallerSteps(now float64) Advice {
	a := Advice{Do: Lower, On: "step_size", Text: "Take smaller steps (--set step_size)."}
	if now > 0 {
		a.To = fmt.Sprintf("%.2g", now/2)
		a.Text = fmt.Sprintf("Take smaller steps: --set step_size=%s.", a.To)
	}
	return a
}

// LargerBatches lessen the noise of gradients: they have twice the rows that they had.
func LargerBatches(now int) Advice {
	return Advice{Do: Raise, On: "batch", To: fmt.Sprint(2 * now),
		Text: fmt.Sprintf("Take larger minibatches: --set batch=%d.", 2*now)}
}

// Repeats reports whether two pieces of advice are one.
func (a Advice) Repeats(b Advice) bool { return a.Do == b.Do && a.On == b.On }

// String returns the warning in sentences.
func (w Warning) String() string {
	words := []string{w.Fact}
	if w.Reason != "" {
		words = append(words, w.Reason)
	}
	for _, a := range w.Advice {
		words = append(words, a.Text)
	}
	return strings.Join(words, " ")
}
