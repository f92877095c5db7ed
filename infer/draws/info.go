package draws

import (
	"encoding/json"
	"math"
	"time"
)

// A Status says how a run ended, if it did. A run whose process was killed stays Running; its draws up to the last chunk are there.
type Status string

const (
	Running     Status = "running"
	Finished    Status = "finished"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// Info is what run.json holds: the facts about a run that are not draws.
type Info struct {
	Format  string        `json:"format"` // "ppl run 1"
	Status  Status        `json:"status"`
	Error   string        `json:"error,omitempty"` // why it failed
	Model   string        `json:"model"`           // as the user called it
	Sampler string        `json:"sampler"`
	Device  string        `json:"device"`
	Seed    uint64        `json:"seed"`
	Version string        `json:"ppl_version"`
	Created time.Time     `json:"created_at"`
	Updated time.Time     `json:"updated_at"`
	Written []int         `json:"draws_written"` // draws in the store, by chain
	Draws   int           `json:"draws"`         // draws that can be read of every chain: the least of Written
	Report  SamplerReport `json:"sampler_report"`
}

const format = "ppl run 1"

// A SamplerReport has the sampler's own facts. What is empty or zero was not told.
type SamplerReport struct {
	Dynamics    string  // what moved the walkers: "hmc"
	Path        string  // what was tempered: "likelihood"
	Warmup      int     // iterations per chain
	Thin        int     // iterations per kept draw
	StepSize    float64 // of the T = 1 rung
	Steps       float64 // per iteration
	Divergences int     // after warm-up, in all iterations, kept or not
	Gradients   int64   // gradients of the log density computed: lane-steps
	Seconds     float64 // wall clock, with warm-up

	Temperatures []float64 // of the rungs, cold to hot; fewer than two: no replica exchange
	SwapRates    []float64 // accepted share of proposed swaps, between neighbouring rungs
	RoundTrips   int       // of replicas from cold to hot and back, all ladders together
	Barrier      float64   // Λ = Σ (1 − rate)

	Notes    []string // what was decided, in sentences
	Warnings []string // what to know before trusting the draws, in sentences
}

// Number is a float64 whose JSON form is null where it is not finite: JSON has no NaN.
type Number float64

// MarshalJSON writes the number, or null.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads a number; null is NaN.
func (x *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

// Numbers converts a slice for JSON; it is never nil, so that it prints as a list.
func Numbers(xs []float64) []Number {
	ns := make([]Number, len(xs))
	for i, x := range xs {
		ns[i] = Number(x)
	}
	return ns
}

func floats(ns []Number) []float64 {
	var xs []float64
	for _, n := range ns {
		xs = append(xs, float64(n))
	}
	return xs
}

// samplerReport is the JSON form.
type samplerReport struct {
	Dynamics     string   `json:"dynamics,omitempty"`
	Path         string   `json:"path,omitempty"`
	Warmup       int      `json:"warmup,omitempty"`
	Thin         int      `json:"thin,omitempty"`
	StepSize     Number   `json:"step_size"`
	Steps        Number   `json:"steps"`
	Divergences  int      `json:"divergences"`
	Gradients    int64    `json:"gradients"`
	Seconds      Number   `json:"seconds"`
	Temperatures []Number `json:"temperatures"`
	SwapRates    []Number `json:"swap_rates"`
	RoundTrips   int      `json:"round_trips"`
	Barrier      Number   `json:"barrier"`
	Notes        []string `json:"notes"`
	Warnings     []string `json:"warnings"`
}

// MarshalJSON writes the report; numbers that are not finite become null.
func (r SamplerReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(samplerReport{
		r.Dynamics, r.Path, r.Warmup, r.Thin, Number(r.StepSize), Number(r.Steps), r.Divergences, r.Gradients, Number(r.Seconds),
		Numbers(r.Temperatures), Numbers(r.SwapRates), r.RoundTrips, Number(r.Barrier), r.Notes, r.Warnings,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *SamplerReport) UnmarshalJSON(text []byte) error {
	var s samplerReport
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*r = SamplerReport{
		s.Dynamics, s.Path, s.Warmup, s.Thin, float64(s.StepSize), float64(s.Steps), s.Divergences, s.Gradients, float64(s.Seconds),
		temperatures(s.Temperatures), floats(s.SwapRates), s.RoundTrips, float64(s.Barrier), s.Notes, s.Warnings,
	}
	return nil
}

// temperatures that are not finite are infinite: the rung of the prior, which JSON has no number for.
func temperatures(ns []Number) []float64 {
	ts := floats(ns)
	for i, t := range ts {
		if math.IsNaN(t) {
			ts[i] = math.Inf(1)
		}
	}
	return ts
}
