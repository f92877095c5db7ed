package dynamicstest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"ppl/infer"
	"ppl/infer/checkpoint"
)

// A Killer is an infer.Checkpoints in memory that ends the run after a number of saves, as a kill would.
type Killer struct {
	Every int             // number of saves between kills; 0: no kills
	Alter func(state any) // planted fault: changes a checkpoint when it is loaded
	Draws Memory          // draws of the run so far
	Saved []byte
	Kills int

	saves int
	kept  []int // number of draws of each chain at the checkpoint
}

var errKilled = errors.New("killed")

// Load restores the state and removes the draws after it, as a run directory does.
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

// Due returns true.
func (k *Killer) Due(int) bool { return true }

// Save stores the state. It does not kill the run if the checkpoint equals the previous one: then the run has nothing
// left to do.
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

// Run samples, and restarts after each kill until the run ends normally.
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
