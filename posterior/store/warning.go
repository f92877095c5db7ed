package store

import (
	"fmt"
	"strings"
)

// A Warning describes a problem with the draws of a run.
type Warning struct {
	Fact   string   `json:"fact"`             // what was observed, with numbers
	Reason string   `json:"reason,omitempty"` // what that means, and its cause
	Advice []Advice `json:"advice,omitempty"` // what may help, most promising first
}

// Advice is one suggestion: a sentence, and for programs an action and its subject, which is a setting, a flag, or a
// name in the model.
type Advice struct {
	Do   Action `json:"do"`
	On   string `json:"on"`
	To   string `json:"to,omitempty"` // suggested value
	Text string `json:"text"`
}

// An Action is what advice suggests doing with its subject.
type Action string

const (
	Raise    Action = "raise"     // increase a number: draws, warm-up, rungs, minibatch rows
	Lower    Action = "lower"     // decrease a number, such as the step size
	Choose   Action = "choose"    // choose another sampler or rule
	Center   Action = "center"    // write an effect without `noncentered`
	Shift    Action = "noncenter" // mark an effect `noncentered`
	Order    Action = "order"     // order exchangeable elements
	Confine  Action = "confine"   // give a parameter a proper prior, or one with lighter tails
	Repair   Action = "repair"    // correct a formula whose values are not finite
	Rewrite  Action = "rewrite"   // reparameterize the model
	Continue Action = "continue"  // resume a run that has not ended
)

// SmallerSteps advises smaller steps, which reduce the discretisation error: half the current step size if that is
// known.
func SmallerSteps(now float64) Advice {
	a := Advice{Do: Lower, On: "step_size", Text: "Take smaller steps (--set step_size)."}
	if now > 0 {
		a.To = fmt.Sprintf("%.2g", now/2)
		a.Text = fmt.Sprintf("Take smaller steps: --set step_size=%s.", a.To)
	}
	return a
}

// LargerBatches advises minibatches of twice the current size, which reduce gradient noise.
func LargerBatches(now int) Advice {
	return Advice{Do: Raise, On: "batch", To: fmt.Sprint(2 * now),
		Text: fmt.Sprintf("Take larger minibatches: --set batch=%d.", 2*now)}
}

// Repeats reports whether two pieces of advice suggest the same action on the same subject.
func (a Advice) Repeats(b Advice) bool { return a.Do == b.Do && a.On == b.On }

// String returns the warning as text.
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
