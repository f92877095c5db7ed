package terminal

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"ppl/infer"
)

// progress gives a function that shows how far a run is: one line that is redrawn on a terminal, a line for each phase
// elsewhere, nothing when quiet. The second function takes the line away.
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

// Lines of progress that cannot be redrawn come after 2 s, then after twice the time of the line before, at most 30 s:
// a user soon knows how long a run will take, and the log of a long run stays short.
const (
	plainFirst  = 2 * time.Second
	LongestWait = 30 * time.Second // between two lines
)

func (c *Console) plainProgress() func(infer.Progress) {
	lines := plainLines{phase: -1, wait: plainFirst}
	return func(p infer.Progress) {
		if line := lines.next(p, time.Now()); line != "" {
			c.Notef("%s", line)
		}
	}
}

// plainLines is what the lines of progress so far have said.
type plainLines struct {
	phase infer.Phase
	began time.Time     // of the phase
	first int           // iterations done then
	said  time.Time     // the last line
	wait  time.Duration // from there to the next
	of    pace
}

// next returns the line that is due; empty if none is.
func (l *plainLines) next(p infer.Progress, now time.Time) string {
	if p.Phase != l.phase {
		l.phase, l.began, l.first, l.said = p.Phase, now, p.Done, now
		if p.Phase == infer.Copying { // a note has said so
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
	return fmt.Sprintf("%s: %d of %d iterations (%.0f %%)%s%s", p.Phase, p.Done, p.Total,
		100*float64(p.Done)/float64(max(p.Total, 1)), l.left(p, now), l.of.text(p))
}

// left estimates when the phase ends, if iterations continue to take as long as they have so far.
func (l *plainLines) left(p infer.Progress, now time.Time) string {
	if p.Done <= l.first || p.Total < p.Done {
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
