package store

import (
	"encoding/json"
	"path/filepath"
	"time"

	"ppl/runtime/sys/files"
)

// progressFile holds the progress of a run. It is written often but never synced, since nobody needs it after a crash
// of the machine.
const progressFile = "progress.json"

// Progress states how far a run has come, for monitoring.
type Progress struct {
	Phase       string    `json:"phase"` // "warm-up" or "sampling"
	Done        int       `json:"done"`  // number of iterations of the phase so far
	Total       int       `json:"total"`
	Part        string    `json:"part,omitempty"`      // part of warm-up
	Gradients   int64     `json:"gradients,omitempty"` // number of gradients of the run so far
	Divergences int       `json:"divergences"`         // number of divergences after warm-up
	PhaseBegan  time.Time `json:"phase_began_at"`
	First       int       `json:"first"` // value of Done when the phase began; not 0 if a run is resumed
	Written     time.Time `json:"written_at"`
	SwapRates   []Number  `json:"swap_rates,omitempty"` // between neighbouring rungs of a ladder
}

// WriteProgress writes the progress file.
func WriteProgress(disk files.System, dir string, p Progress) error {
	text, err := document(p)
	if err != nil {
		return err
	}
	return files.ReplaceQuickly(disk.Below(dir), filepath.Join(dir, progressFile), text)
}

// ReadProgress reads the progress file. The error is fs.ErrNotExist if the run has not begun.
func ReadProgress(dir string) (p Progress, err error) {
	text, err := files.Read(filepath.Join(dir, progressFile), mostProgress)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(text, &p)
}

// Rate returns the number of iterations per second, or 0 if no time has passed.
func (p Progress) Rate() float64 {
	if seconds := p.Written.Sub(p.PhaseBegan).Seconds(); seconds > 0 {
		return float64(p.Done-p.First) / seconds
	}
	return 0
}

// Left returns the expected time for the rest of the phase. ok is false if the rate is unknown.
func (p Progress) Left() (time.Duration, bool) {
	rate := p.Rate()
	if rate <= 0 {
		return 0, false
	}
	return time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second)), true
}
