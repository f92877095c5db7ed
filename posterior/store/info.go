package store

import (
	"encoding/json"
	"math"
	"time"
)

// A Status says how a run ended, if it did. Of a run that was killed, the draws up to the last checkpoint are there.
type Status string

const (
	Running     Status = "running"
	Finished    Status = "finished"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
	Killed      Status = "killed" // run.json says running, but the process that wrote it has ended
)

// Info is what run.json holds: the facts about a run that are not draws.
type Info struct {
	Format  string        `json:"format"`       // "ppl run 2"
	ID      string        `json:"id,omitempty"` // of what decides the draws; chunks are bound to it
	Status  Status        `json:"status"`
	Error   string        `json:"error,omitempty"` // why it failed
	Model   string        `json:"model"`           // as the user called it
	Sampler string        `json:"sampler"`
	Device  string        `json:"device"`
	Seed    uint64        `json:"seed"`
	Version string        `json:"ppl_version"`
	Process Process       `json:"process"` // that wrote it last
	Created time.Time     `json:"created_at"`
	Updated time.Time     `json:"updated_at"`
	Written []int         `json:"draws_written"`  // draws in the store, by chain
	Keep    []string      `json:"keep,omitempty"` // names and patterns of what is kept of a draw; all if there are none
	Draws   int           `json:"draws"`          // draws that can be read of every chain: the least of Written
	Report  SamplerReport `json:"sampler_report"`
}

// The format that is written, and the one before, whose files are not bound to their run; it is read and extended.
const (
	format      = "ppl run 2"
	firstFormat = "ppl run 1"
)

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

// A Series is a list of numbers whose JSON form has null for those that are not finite. It is written as a list, and
// read as nil, if it is empty.
type Series []float64

// MarshalJSON writes the list.
func (xs Series) MarshalJSON() ([]byte, error) { return json.Marshal(Numbers(xs)) }

// UnmarshalJSON reads a list.
func (xs *Series) UnmarshalJSON(text []byte) error {
	var ns []Number
	err := json.Unmarshal(text, &ns)
	*xs = nil
	for _, n := range ns {
		*xs = append(*xs, float64(n))
	}
	return err
}
