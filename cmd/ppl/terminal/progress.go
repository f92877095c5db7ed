package terminal

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"ppl/infer"
	"ppl/lang/diag"
)

// progress returns a function that shows progress: one line that is redrawn on a terminal, separate lines elsewhere,
// nothing if quiet is set. clear removes the redrawn line.
func (c *Console) progress(quiet bool) (show func(infer.Progress), clear func()) {
	switch {
	case quiet:
		return func(infer.Progress) {}, func() {}
	case c.Messages != nil:
		return c.Messages.Progress(), func() {}
	case c.Live:
		return c.liveProgress()
	}
	return c.plainProgress(), func() {}
}

// If lines cannot be redrawn, progress lines come after 1 s, then at intervals that double up to 30 s. The user soon
// learns how long a run will take, and the log of a long run stays short.
const (
	plainFirst  = time.Second
	LongestWait = 30 * time.Second // maximum interval between two lines
)

func (c *Console) plainProgress() func(infer.Progress) {
	lines := plainLines{phase: -1, wait: plainFirst}
	return func(p infer.Progress) {
		if line := lines.next(p, time.Now()); line != "" {
			c.Notef("%s", line)
		}
	}
}

// plainLines is the state of progress lines that cannot be redrawn.
type plainLines struct {
	phase infer.Phase
	began time.Time     // start of the phase
	first int           // number of iterations done at that time
	said  time.Time     // time of the last line
	wait  time.Duration // interval until the next line
	of    pace
}

// next returns the next line if it is due, else "".
func (l *plainLines) next(p infer.Progress, now time.Time) string {
	if p.Phase != l.phase {
		l.phase, l.began, l.first, l.said = p.Phase, now, p.Done, now
		if p.Phase == infer.Copying { // a note has already announced it
			return ""
		}
		return fmt.Sprintf("%s: %d iterations%s", p.Phase, p.Total, thinned(p))
	}
	if now.Sub(l.said) < l.wait {
		return ""
	}
	l.said, l.wait = now, min(2*l.wait, LongestWait)
	if p.Phase == infer.Copying {
		return fmt.Sprintf("%s: %d %%%s", p.Phase, p.Done, l.left(p, now))
	}
	return fmt.Sprintf("%s: %d of %d iterations (%.0f %%)%s%s%s", p.Phase, p.Done, p.Total,
		100*float64(p.Done)/float64(max(p.Total, 1)), effort(p), l.left(p, now), l.of.text(p))
}

// left estimates the remaining time of the phase from the mean time per iteration so far. A pass over all rows
// can take much longer than an iteration, so there is no estimate during one.
func (l *plainLines) left(p infer.Progress, now time.Time) string {
	if p.Done <= l.first || p.Total < p.Done || p.Share > 0 {
		return ""
	}
	each := now.Sub(l.began).Seconds() / float64(p.Done-l.first)
	left := time.Duration(each * float64(p.Total-p.Done) * float64(time.Second))
	return fmt.Sprintf(", about %v left", left.Round(time.Second))
}

func (c *Console) liveProgress() (show func(infer.Progress), clear func()) {
	var bar *progressbar.ProgressBar
	last := infer.Phase(-1)
	var of pace
	clear = func() {
		if bar != nil {
			bar.Clear() // an error of the terminal does not matter
		}
	}
	show = func(p infer.Progress) {
		if p.Phase != last {
			clear()
			bar, last = c.bar(p), p.Phase
		}
		if text := thinned(p) + effort(p) + of.text(p); text != "" {
			bar.Describe(p.Phase.String() + text)
		}
		if p.Total != bar.GetMax() { // the total may change during a phase
			bar.ChangeMax(p.Total)
		}
		bar.Set(p.Done)
	}
	return show, clear
}

func (c *Console) bar(p infer.Progress) *progressbar.ProgressBar {
	return progressbar.NewOptions(p.Total,
		progressbar.OptionSetWriter(c.Err),
		progressbar.OptionSetDescription(p.Phase.String()),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100e6),
		progressbar.OptionClearOnFinish(),
	)
}

// thinned states that only some iterations are kept, or returns "".
func thinned(p infer.Progress) string {
	if p.Thin <= 1 {
		return ""
	}
	return fmt.Sprintf(", 1 of %d kept", p.Thin)
}

// effort describes the part of warm-up that runs, and the gradients so far. It is empty if neither is known.
func effort(p infer.Progress) (text string) {
	if p.Part != "" {
		text = ", " + p.Part
	}
	if p.Share > 0 {
		text += fmt.Sprintf(" (%.0f %% of a pass over the rows)", 100*p.Share)
	}
	if p.Gradients > 0 {
		text += fmt.Sprintf(", %s gradients", diag.Thousands(int(p.Gradients)))
	}
	return text
}

// A pace measures the speed of a network's phase.
type pace struct {
	phase infer.Phase
	began time.Time
	first int64
}

// text describes the progress of a network: epochs, speed, and the latest log likelihood of held-out rows. It is empty
// for other models.
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
