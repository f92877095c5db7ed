package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/distributed"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/flow"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/infer/renhd/renhdtest"
	"ppl/runtime/device"
	"ppl/runtime/native"
	"ppl/runtime/parallel/ranks"
)

// many returns a target with enough rows to be divided among ranks.
func many() infer.Target {
	r := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, 20_000)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	target, _, _ := dynamicstest.Means(y)
	return target
}

func options(t *testing.T, chains, warmup, draws int) infer.Options {
	t.Helper()
	d, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	o := infer.Defaults()
	o.Device, o.Seed, o.Threads, o.Thin = infer.Lowered(d), 3, 1, 1
	o.Chains, o.Warmup, o.Draws = chains, warmup, draws
	return o
}

// on runs a sampler on n local ranks, and returns the report of rank 0 and the errors of all.
func on(ctx context.Context, n int, s infer.Sampler, t infer.Target, o infer.Options, rec infer.Recorder,
	alter func(rank int, ctx context.Context, o *infer.Options) context.Context) (infer.Report, []error) {
	var all sync.WaitGroup
	var report infer.Report
	errs := make([]error, n)
	for rank, c := range ranks.Local(n) {
		all.Go(func() {
			mine, at := o, ctx
			if rank > 0 {
				mine.Checkpoints = nil
			}
			mine.Threads = 1 + rank%2
			if alter != nil {
				at = alter(rank, ctx, &mine)
			}
			var recorder infer.Recorder
			if rank == 0 {
				recorder = rec
			}
			got, err := distributed.Sampler(c, s)(at, t, mine, recorder)
			if errs[rank] = err; rank == 0 {
				report = got
			}
		})
	}
	all.Wait()
	return report, errs
}

type setting struct {
	sampler infer.Sampler
	o       infer.Options
	target  infer.Target
}

func settings(t *testing.T) map[string]setting {
	all := map[string]setting{
		"hmc":    {renhd.Sample, options(t, 2, 40, 10), many()},
		"nuts":   {nuts.Sample, options(t, 2, 20, 10), many()},
		"advi":   {flow.Sampler(flow.MeanField, nil), options(t, 2, 5, 20), many()},
		"ladder": {renhd.Sample, options(t, 3, 30, 5), many()},
		"batch":  {renhd.Sample, options(t, 2, 30, 5), many()},
	}
	ladder, batch := all["ladder"], all["batch"]
	ladder.o.Settings.Replicas, batch.o.Settings.Batch = 12, 100
	all["ladder"], all["batch"] = ladder, batch
	// enough lanes to be divided among two or three ranks; on five ranks the rows are divided
	all["many chains"] = setting{nuts.Sample, options(t, 20, 10, 5), many()}
	ladder.o.Settings.Batch, ladder.o.Settings.Replicas = 100, 8
	all["ladder with batches"] = ladder
	unequal, _ := renhdtest.UnequalInFile(2000)
	batch.target = unequal.InMemory()
	all["batch and rows of high leverage"] = batch
	batch.target, _ = renhdtest.UnequalInFile(300_000) // so many that ranks read different parts of the rows
	all["batch and rows of high leverage in a file"] = batch
	return all
}

// TestRanksGiveTheSameDraws checks that draws on 1, 2, 3 and 5 ranks, with different numbers of threads, are exactly
// those of one process without ranks, and also those of a run that is killed and resumed with other numbers of ranks.
func TestRanksGiveTheSameDraws(t *testing.T) {
	for name, c := range settings(t) {
		target := c.target
		t.Run(name, func(t *testing.T) {
			var want dynamicstest.Memory
			report, err := c.sampler(t.Context(), target, c.o, &want)
			if err != nil {
				t.Fatal(err)
			}
			same := func(what string, got *dynamicstest.Memory, again infer.Report, errs []error) {
				if err := errors.Join(errs...); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if !reflect.DeepEqual(got.Values, want.Values) || !reflect.DeepEqual(got.Stats, want.Stats) ||
					report.Gradients != again.Gradients || !reflect.DeepEqual(report.Ladder, again.Ladder) {
					t.Errorf("%s: other draws or energies, or %d gradients for %d", what, again.Gradients,
						report.Gradients)
				}
				if len(again.Notes) > len(report.Notes) && !strings.Contains(name, "batch") {
					t.Errorf("%s: %q", what, again.Notes)
				}
			}
			for _, n := range []int{1, 2, 3, 5} {
				var got dynamicstest.Memory
				again, errs := on(t.Context(), n, c.sampler, target, c.o, &got, nil)
				same(fmt.Sprint(n, " ranks"), &got, again, errs)
			}
			k, o := &killer{Killer: dynamicstest.Killer{}, every: 9}, c.o
			o.Checkpoints = k
			for n := 1; ; n++ {
				again, errs := on(t.Context(), 1+n%3, c.sampler, target, o, &k.Draws, nil)
				if errs[0] == nil {
					same(fmt.Sprint("after ", n, " kills"), &k.Draws, again, errs)
					break
				}
				if !errors.Is(errs[0], errKilled) || n > 200 {
					t.Fatal(n, errs)
				}
			}
		})
	}
}

// TestRowsAreSentToRankZeroAlone checks that values that only the recorder reads, such as the log likelihood of each
// row, are sent only to rank 0: 8 bytes for each value of a draw from a lane of another rank. The draws must be those
// of one process.
func TestRowsAreSentToRankZeroAlone(t *testing.T) {
	const n, chains, draws, few, rows = 3, 24, 4, 8, 500
	for name, sample := range map[string]infer.Sampler{"nuts": nuts.Sample, "renhd": renhd.Sample,
		"advi": flow.Sampler(flow.MeanField, nil)} {
		elsewhere := chains * 2 / 3 // number of chains whose lanes are on ranks 1 and 2
		o := options(t, chains, 30, draws)
		o.Judged = 1
		var want dynamicstest.Memory
		if _, err := sample(t.Context(), wide{many(), rows}, o, &want); err != nil {
			t.Fatal(err)
		}
		received := map[int][]int{}
		for _, more := range []int{few, rows} {
			var got dynamicstest.Memory
			comms := ranks.Local(n)
			counts := make([]int, n)
			errs := make([]error, n)
			var all sync.WaitGroup
			for rank, c := range comms {
				all.Go(func() {
					var r infer.Recorder
					if rank == 0 {
						r = &got
					}
					_, errs[rank] = distributed.Sampler(&counting{c, &counts[rank]}, sample)(t.Context(),
						wide{many(), more}, o, r)
				})
			}
			all.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(name, err)
			}
			if more == rows && !reflect.DeepEqual(got.Values, want.Values) {
				t.Errorf("%s: other draws", name)
			}
			received[more] = counts
		}
		for rank := range n {
			more, want := received[rows][rank]-received[few][rank], 0
			if rank == 0 {
				want = 8 * (rows - few) * draws * elsewhere
			}
			if more != want {
				t.Errorf("%s: rank %d receives %d bytes more for %d numbers more of each draw, want %d", name, rank,
					more, rows-few, want)
			}
		}
	}
}

// A wide target has additional saved values, on which the sampler does not depend.
type wide struct {
	infer.Target
	more int
}

func (t wide) Values(theta autodiff.Node) autodiff.Node {
	first := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
	return autodiff.Concat(0, t.Target.Values(theta), autodiff.Broadcast(first, []int{t.more}, nil))
}

// counting counts the bytes that a rank receives.
type counting struct {
	ranks.Comm
	received *int
}

func (c *counting) Gather(all []byte, starts []int) error {
	*c.received += starts[c.Size()] - (starts[c.Rank()+1] - starts[c.Rank()])
	return c.Comm.Gather(all, starts)
}

func (c *counting) Collect(mine, all []byte, starts []int) error {
	if c.Rank() == 0 {
		*c.received += starts[c.Size()] - len(mine)
	}
	return c.Comm.Collect(mine, all, starts)
}

func (c *counting) Broadcast(data []byte, from int) error {
	if c.Rank() != from {
		*c.received += len(data)
	}
	return c.Comm.Broadcast(data, from)
}

// A killer ends rank 0 after each `every` saves; the other ranks end with it.
type killer struct {
	dynamicstest.Killer
	every, saves int
}

var errKilled = errors.New("killed")

func (k *killer) Save(state any) error {
	before := string(k.Saved)
	err := k.Killer.Save(state)
	if k.saves++; err == nil && k.saves%k.every == 0 && before != string(k.Saved) {
		return errKilled
	}
	return err
}

// TestOneRankEndsAll checks that a cancelled rank stops all ranks with its reason, and that a rank that fails ends all
// ranks with its message.
func TestOneRankEndsAll(t *testing.T) {
	target, o := many(), options(t, 2, 1000, 100_000)
	var m dynamicstest.Memory
	_, errs := on(t.Context(), 3, renhd.Sample, target, o, &m,
		func(rank int, ctx context.Context, o *infer.Options) context.Context {
			if rank != 2 {
				return ctx
			}
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx
		})
	for rank, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("rank %d ends with %v", rank, err)
		}
	}
	_, errs = on(t.Context(), 2, renhd.Sample, target, o, &m,
		func(rank int, ctx context.Context, o *infer.Options) context.Context {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		})
	for rank, err := range errs {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("rank %d ends with %v", rank, err)
		}
	}
	full := errors.New("no space left on device")
	_, errs = on(t.Context(), 3, renhd.Sample, target, options(t, 2, 20, 50), &failing{after: 20, err: full}, nil)
	if !errors.Is(errs[0], full) || errs[1] == nil || errs[2] == nil {
		t.Errorf("a full disk: %v", errs)
	}
	o = options(t, 2, 20, 50)
	_, errs = on(t.Context(), 3, failsOnRankOne, target, o, &m, nil)
	for rank, err := range errs {
		if want := "rank 1 of 3: its file is gone"; rank != 1 && (err == nil || err.Error() != want) {
			t.Errorf("rank %d: %v, want %s", rank, err, want)
		}
	}
}

// failsOnRankOne is a sampler that fails on rank 1 only, outside of the device.
func failsOnRankOne(ctx context.Context, t infer.Target, o infer.Options, r infer.Recorder) (infer.Report, error) {
	if o.Threads == 2 { // rank 1, see on
		return infer.Report{}, errors.New("its file is gone")
	}
	return renhd.Sample(ctx, t, o, r)
}

// A failing recorder returns an error after some draws.
type failing struct {
	dynamicstest.Memory
	after int
	err   error
}

func (f *failing) Draw(chain int, values, stats []float64) error {
	if f.after--; f.after < 0 {
		return f.err
	}
	return f.Memory.Draw(chain, values, stats)
}

// TestLanesNeedTheirNumbers is a planted fault for TestRanksGiveTheSameDraws: if lanes use the noise of their number on
// the rank instead of their number in the run, the draws must differ.
func TestLanesNeedTheirNumbers(t *testing.T) {
	target, c := many(), settings(t)["ladder"]
	var want, got dynamicstest.Memory
	if _, err := c.sampler(t.Context(), target, c.o, &want); err != nil {
		t.Fatal(err)
	}
	c.o.Device = misnumbered{c.o.Device}
	if _, errs := on(t.Context(), 2, c.sampler, target, c.o, &got, nil); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	if reflect.DeepEqual(got.Values, want.Values) {
		t.Error("the draws are the same")
	}
}

// misnumbered is a device that numbers the lanes of each rank from 0.
type misnumbered struct{ infer.Device }

func (d misnumbered) Compile(entries []lower.Entry) (device.Loader, error) {
	l, err := d.Device.Compile(entries)
	return misnumberedLoader{l}, err
}

type misnumberedLoader struct{ device.Loader }

func (l misnumberedLoader) Load(o device.Options) (device.Executable, error) {
	o.First = 0
	return l.Loader.Load(o)
}

// A breaking is a Comm that fails after some calls, on all ranks.
type breaking struct {
	ranks.Comm
	left int
}

var errGone = errors.New("a rank has gone")

func (b *breaking) Gather(all []byte, starts []int) error {
	b.left--
	if b.left < 0 {
		return errGone
	}
	return b.Comm.Gather(all, starts)
}

func (b *breaking) Collect(mine, all []byte, starts []int) error {
	b.left--
	if b.left < 0 {
		return errGone
	}
	return b.Comm.Collect(mine, all, starts)
}

func (b *breaking) Broadcast(data []byte, from int) error {
	b.left--
	if b.left < 0 {
		return errGone
	}
	return b.Comm.Broadcast(data, from)
}

// TestRanksAreLost checks that a run ends with the reason if communication fails after any number of calls, and that
// all draws recorded before are right.
func TestRanksAreLost(t *testing.T) {
	for _, name := range []string{"nuts", "many chains"} {
		c := settings(t)[name]
		var want dynamicstest.Memory
		if _, err := c.sampler(t.Context(), c.target, c.o, &want); err != nil {
			t.Fatal(err)
		}
		recorded := 0
		for left, done := 1, false; !done; left += 1 + left/40 {
			var got dynamicstest.Memory
			errs := make([]error, 2)
			var all sync.WaitGroup
			for rank, comm := range ranks.Local(2) {
				all.Go(func() {
					var r infer.Recorder
					if rank == 0 {
						r = &got
					}
					_, errs[rank] = distributed.Sampler(&breaking{comm, left}, c.sampler)(t.Context(), c.target, c.o, r)
				})
			}
			all.Wait()
			done = errs[0] == nil
			for _, err := range errs {
				if err != nil && !errors.Is(err, errGone) {
					t.Errorf("%s, after %d calls: %v", name, left, err)
				}
			}
			for chain, draws := range got.Values {
				recorded += len(draws)
				if len(draws) > 0 && !reflect.DeepEqual(draws, want.Values[chain][:len(draws)]) {
					t.Errorf("%s, after %d calls: other draws", name, left)
				}
			}
		}
		if recorded == 0 {
			t.Errorf("%s: no draws were compared", name)
		}
	}
}
