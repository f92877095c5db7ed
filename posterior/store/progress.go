package store

import (
	"encoding/json"
	"path/filepath"
	"time"

	"ppl/runtime/sys/files"
)

// progressFile says how far a run is while it is under way. It is written often and never synced: after a crash of the
// machine nobody needs it.
const progressFile = "progress.json"

// Progress is how far a run is, for those who watch it.
type Progress struct {
	Phase       string    `json:"phase"` // "warm-up" or "sampling"
	Done        int       `json:"done"`  // iterations of the phase
	Total       int       `json:"total"`
	Divergences int       `json:"divergences"` // after warm-up
	PhaseBegan  time.Time `json:"phase_began_at"`
	First       int       `json:"first"` // Done when the phase began: not 0 where a run continues
	Written     time.Time `json:"written_at"`
	SwapRates   []Number  `json:"swap_rates,omitempty"` // between each rung of a ladder and the next
}

// WriteProgress lets readers know how far a run is.
func WriteProgress(disk files.System, dir string, p Progress) error {
	text, err := document(p)
	if err != nil {
		return err
	}
	return files.ReplaceQuickly(disk.Below(dir), filepath.Join(dir, progressFile), text)
}

// ReadProgress reads what WriteProgress has written last. The error is fs.ErrNotExist where a run has not begun.
func ReadProgress(dir string) (p Progress, err error) {
	text, err := files.Read(filepath.Join(dir, progressFile), mostProgress)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(text, &p)
}

// Rate returns the number of iterations a second, 0 before there are two numbers to compare.
func (p Progress) Rate() float64 {
	if seconds := p.Written.Sub(p.PhaseBegan).Seconds(); seconds > 0 {
		return float64(p.Done-p.First) / seconds
	}
	return 0
}

// Left returns the time that the rest of the phase takes at this rate; false if that is not known.
func (p Progress) Left() (time.Duration, bool) {
	rate := p.Rate()
	if rate <= 0 {
		return 0, false
	}
	return time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second)), true
}
