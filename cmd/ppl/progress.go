package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"ppl/infer"
)

// progress gives a function that shows how far a run is: one line that is redrawn on a terminal, a line for each phase
// elsewhere, nothing when quiet. The second function takes the line away.
func (c *console) progress(quiet bool) (show func(infer.Progress), clear func()) {
	switch {
	case quiet:
		return func(infer.Progress) {}, func() {}
	case c.messages != nil:
		return c.jsonProgress(), func() {}
	case c.live:
		return c.liveProgress()
	}
	return c.plainProgress(), func() {}
}

// plainEvery is the time from one line of progress to the next where lines cannot be redrawn.
const plainEvery = 30 * time.Second

func (c *console) plainProgress() func(infer.Progress) {
	last, said := infer.Phase(-1), time.Time{}
	var of pace
	return func(p infer.Progress) {
		switch {
		case p.Phase != last && p.Phase == infer.Copying: // a note has said so
		case p.Phase != last:
			c.notef("%s: %d iterations%s", p.Phase, p.Total, thinned(p))
		case time.Since(said) >= plainEvery && p.Phase == infer.Copying:
			c.notef("%s: %d %%", p.Phase, p.Done)
		case time.Since(said) >= plainEvery:
			c.notef("%s: %d of %d iterations%s", p.Phase, p.Done, p.Total, of.text(p))
		default:
			return
		}
		last, said = p.Phase, time.Now()
	}
}

func (c *console) liveProgress() (show func(infer.Progress), clear func()) {
	var bar *progressbar.ProgressBar
	last := infer.Phase(-1)
	var of pace
	clear = func() {
		if bar != nil {
			bar.Clear() // a terminal that does not take it is no failure of the run
		}
	}
	show = func(p infer.Progress) {
		if p.Phase != last {
			clear()
			bar, last = c.bar(p), p.Phase
		}
		if text := thinned(p) + of.text(p); text != "" {
			bar.Describe(p.Phase.String() + text)
		}
		if p.Total != bar.GetMax() { // how many iterations there are may be decided on the way
			bar.ChangeMax(p.Total)
		}
		bar.Set(p.Done)
	}
	return show, clear
}

func (c *console) bar(p infer.Progress) *progressbar.ProgressBar {
	return progressbar.NewOptions(p.Total,
		progressbar.OptionSetWriter(c.err),
		progressbar.OptionSetDescription(p.Phase.String()),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100e6),
		progressbar.OptionClearOnFinish(),
	)
}

// thinned says that not each iteration is a draw.
func thinned(p infer.Progress) string {
	if p.Thin <= 1 {
		return ""
	}
	return fmt.Sprintf(", 1 of %d kept", p.Thin)
}

// A pace is how fast the phase of a network is.
type pace struct {
	phase infer.Phase
	began time.Time
	first int64
}

// text says of a network how many epochs a phase has gone through and how fast, and what the last look at rows that are
// held out has shown; nothing of other models.
func (t *pace) text(p infer.Progress) string {
	if p.Epoch == 0 {
		return ""
	}
	if t.began.IsZero() || p.Phase != t.phase {
		*t = pace{p.Phase, time.Now(), p.Steps}
	}
	text := fmt.Sprintf(", epoch %.1f", p.Epoch)
	if seconds := time.Since(t.began).Seconds(); seconds > 1 {
		text += fmt.Sprintf(", %.3g steps a second", float64(p.Steps-t.first)/seconds)
	}
	if p.HeldOut != 0 {
		text += fmt.Sprintf(", mean log likelihood %.3f, of rows held out %.3f", p.Learned, p.HeldOut)
	}
	return text
}
