package dynamicstest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"ppl/infer"
	"ppl/infer/checkpoint"
)

// A Killer is infer.Checkpoints in memory that ends the run, as a kill would, each time it has saved so often.
type Killer struct {
	Every int             // checkpoints from one kill to the next; 0: never
	Alter func(state any) // planted faults: what happens to a checkpoint on the way back
	Draws Memory          // of the run so far
	Saved []byte
	Kills int

	saves int
	kept  []int // by chain: draws at the checkpoint
}

var errKilled = errors.New("killed")

// Load gives the state back, and forgets the draws after it, as a run directory does.
func (k *Killer) Load(state any) (bool, error) {
	if k.Saved == nil {
		return false, nil
	}
	for chain := range k.Draws.Values {
		n := 0
		if chain < len(k.kept) {
			n = k.kept[chain]
		}
		k.Draws.Values[chain], k.Draws.Stats[chain] = k.Draws.Values[chain][:n], k.Draws.Stats[chain][:n]
	}
	err := checkpoint.Decode(k.Saved, state)
	if k.Alter != nil {
		k.Alter(state)
	}
	return true, err
}

// Due is always.
func (k *Killer) Due(int) bool { return true }

// Save keeps the state. A checkpoint equal to the one before, as at the end of a run that has nothing left to do, kills
// nobody.
func (k *Killer) Save(state any) (err error) {
	before := k.Saved
	if k.Saved, err = checkpoint.Encode(state); err != nil {
		return err
	}
	k.kept = nil
	for _, chain := range k.Draws.Values {
		k.kept = append(k.kept, len(chain))
	}
	k.saves++
	if k.Every > 0 && k.saves%k.Every == 0 && !bytes.Equal(before, k.Saved) {
		return errKilled
	}
	return nil
}

// Run samples, and starts again each time the run has been killed, until it ends.
func (k *Killer) Run(t testing.TB, s infer.Sampler, target infer.Target, o infer.Options) infer.Report {
	t.Helper()
	o.Checkpoints = k
	for {
		report, err := s(context.Background(), target, o, &k.Draws)
		switch {
		case err == nil:
			return report
		case !errors.Is(err, errKilled):
			t.Fatal(err)
		}
		k.Kills++
		if k.Kills > 10_000 {
			t.Fatal("the run makes no progress")
		}
	}
}
