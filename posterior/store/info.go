package store

import (
	"encoding/json"
	"math"
	"time"
)

// A Process identifies a process that writes a run.
type Process struct {
	Host    string    `json:"host"`
	Boot    string    `json:"boot,omitempty"` // identifier of the machine's current boot; empty if unknown
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
}

// A Status states whether and how a run ended. A killed run keeps its draws up to the last checkpoint.
type Status string

const (
	Running     Status = "running"
	Finished    Status = "finished"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
	Killed      Status = "killed" // run.json says "running", but the process that wrote it has ended
)

// Info is the content of run.json: everything about a run except its draws.
type Info struct {
	Format  string        `json:"format"`       // "ppl run 2"
	ID      string        `json:"id,omitempty"` // hash of everything that determines the draws; chunks are bound to it
	Status  Status        `json:"status"`
	Error   string        `json:"error,omitempty"` // reason of a failure
	Model   string        `json:"model"`           // as the user named it
	Sampler string        `json:"sampler"`
	Device  string        `json:"device"`
	Seed    uint64        `json:"seed"`
	Version string        `json:"ppl_version"`
	Process Process       `json:"process"` // process that wrote the run last
	Created time.Time     `json:"created_at"`
	Updated time.Time     `json:"updated_at"`
	Written []int         `json:"draws_written"`  // number of stored draws, by chain
	Keep    []string      `json:"keep,omitempty"` // names and patterns of the variables stored; empty for all
	Draws   int           `json:"draws"`          // number of draws readable of every chain: the minimum of Written
	Report  SamplerReport `json:"sampler_report"`
}

// format is written to new runs. Runs of firstFormat, whose files are not bound to their run, can be read and extended.
const (
	format      = "ppl run 2"
	firstFormat = "ppl run 1"
)

// Number is a float64 that JSON represents as null if it is not finite, since JSON has no NaN.
type Number float64

// MarshalJSON writes the number, or null.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads a number, or null as NaN.
func (x *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

// Numbers converts a slice for JSON. The result is never nil, so that an empty one is printed as a list.
func Numbers(xs []float64) []Number {
	ns := make([]Number, len(xs))
	for i, x := range xs {
		ns[i] = Number(x)
	}
	return ns
}

// A Series is a list of numbers with null in JSON for those that are not finite. An empty Series is written as a list,
// and read as nil.
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
