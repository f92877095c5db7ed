package ranks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// walk returns a program that adds noise and a given drift to three numbers, and copies one of them into a buffer of
// size 1 in single precision.
func walk() *ir.Program {
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 3})
	one := p.Buffer(ir.Buffer{Name: "one", Space: ir.Lane, Type: ir.F32, Size: 1})
	drift := p.Buffer(ir.Buffer{Name: "drift", Size: 3, Given: true})
	var body, copied ir.Body
	first := copied.Load(x, ir.Dense(1))
	next := body.Do(ir.Add, body.Load(x, ir.Dense(3)), body.Load(drift, ir.Dense(3)))
	next = body.Do(ir.Add, next, body.Noise(ir.Normal, 4))
	p.Entries = []ir.Entry{{Name: "step", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{3}, Body: body, Out: []ir.Output{{Buf: x, Index: ir.Dense(3), Value: next}}},
		&ir.Kernel{Extents: []int{1}, Body: copied,
			Out: []ir.Output{{Buf: one, Index: ir.Dense(1), Value: first}}}}}}
	return p
}

type loader struct {
	program *ir.Program
	broken  bool
}

func (l loader) Buffers() []ir.Buffer { return l.program.Buffers }

func (l loader) Load(o device.Options) (device.Executable, error) {
	e, err := host.Device{}.Load(l.program, o)
	if l.broken {
		return brokenExecutable{e}, err
	}
	return e, err
}

type brokenExecutable struct{ device.Executable }

var errBroken = errors.New("the device has failed")

func (brokenExecutable) Run([]device.Call, uint64, []bool) (uint64, error) { return 0, errBroken }

// use makes every call of an executable and returns the values that it reads.
func use(e device.Executable, lanes int) (read []float64, err error) {
	get := func(name string) {
		all := make([]float64, lanes*e.Size(name))
		e.Get(name, all)
		read = append(read, all...)
		one := make([]float64, e.Size(name))
		for lane := range lanes {
			e.GetLane(name, lane, one)
			read = append(read, one...)
		}
	}
	start := make([]float64, 3*lanes)
	for i := range start {
		start[i] = math.Sqrt(float64(i))
	}
	e.Set("x", start)
	e.Set("one", start[:lanes])
	e.Set("drift", []float64{0.5, 0, -1})
	e.SetLane("x", lanes-1, []float64{1, 2, 3})
	e.SetLane("one", lanes/2, []float64{0.1})
	get("one")
	get("x")
	drift := make([]float64, 3)
	e.Get("drift", drift)
	read = append(read, drift...)
	e.GetLane("drift", lanes-1, drift)
	read = append(read, drift...)
	mask := make([]bool, lanes)
	for i := range mask {
		mask[i] = i%3 > 0
	}
	step, err := e.Run([]device.Call{{Entry: "step", Times: 3}}, 5, nil)
	if err != nil {
		return nil, err
	}
	get("one")
	_, err = e.Run([]device.Call{{Entry: "step", Times: 2}}, step, mask)
	get("x")
	get("one")
	return read, err
}

// TestLanes checks that every rank reads the same numbers as a single process, also if some ranks have one block more
// than others.
func TestLanes(t *testing.T) {
	p := walk()
	for _, lanes := range []int{40, 33, 9} {
		whole, err := (loader{program: p}).Load(device.Options{Lanes: lanes, Seed: 3, Threads: 1, First: 16})
		if err != nil {
			t.Fatal(err)
		}
		want, err := use(whole, lanes)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 3, 5} {
			if (lanes+LaneBlock-1)/LaneBlock < size {
				continue
			}
			onAll(size, func(s *Session) {
				e, err := s.Parts(loader{program: p}).Load(device.Options{Lanes: lanes, Seed: 3, Threads: 1, First: 16})
				if err != nil {
					t.Error(err)
					return
				}
				got, err := use(e, lanes)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d lanes, rank %d of %d: %v, other numbers: %v", lanes, s.Rank(), size, err,
						!slices.Equal(got, want))
				}
				if s.Idle() != 0 {
					t.Errorf("%d of %d ranks are idle", s.Idle(), size)
				}
			})
		}
	}
}

// TestReadAndCollectLanes checks that every rank can read the first numbers of lanes in any order, that rank 0 can
// collect them alone, and that each byte is sent once, by the rank that has the lane.
func TestReadAndCollectLanes(t *testing.T) {
	const lanes, size = 40, 3
	p := walk()
	wanted := []int{39, 3, 17, 8, 0}
	start := make([]float64, lanes*3)
	for i := range start {
		start[i] = float64(i)
	}
	for _, n := range []int{1, 2, 3, 5} {
		onAllOf(counted(n), func(s *Session) {
			e, err := s.Lanes(loader{program: p}).Load(device.Options{Lanes: lanes, Threads: 1})
			if err != nil {
				t.Error(err)
				return
			}
			e.Set("x", start)
			e.Set("one", start[:lanes])
			comm := s.Comm.(*counting)
			for _, first := range []int{1, 2, size} {
				read, collected := room(len(wanted), first), room(len(wanted), first)
				device.ReadLanes(e, "x", wanted, read)
				comm.sent, comm.collects = 0, 0
				device.CollectLanes(e, "x", wanted, collected)
				mine := 0
				for k, lane := range wanted {
					want := start[lane*size : lane*size+first]
					if !slices.Equal(read[k], want) ||
						s.Rank() == 0 && !slices.Equal(collected[k], want) {
						t.Errorf("rank %d of %d, lane %d: %v and %v, want %v", s.Rank(), n, lane, read, collected,
							want)
					}
					if e, ok := e.(*laneExecutable); ok && e.mine(lane) {
						mine++
					}
				}
				if want := statusSize + 8*first*mine; comm.sent != want || comm.collects != 1 {
					t.Errorf("rank %d of %d has sent %d bytes, want %d", s.Rank(), n, comm.sent, want)
				}
			}
			one := room(len(wanted), 1)
			device.CollectLanes(e, "one", wanted, one)
			for k, lane := range wanted {
				if one[k][0] != float64(lane) {
					t.Errorf("lane %d has the number %v", lane, one[k][0])
				}
			}
		})
	}
}

// room returns n slices of a size.
func room(n, size int) (out [][]float64) {
	for range n {
		out = append(out, make([]float64, size))
	}
	return out
}

// counting counts the bytes that a rank sends to others.
type counting struct {
	Comm
	sent, collects int
}

func (c *counting) Gather(all []byte, starts []int) error {
	c.sent += starts[c.Rank()+1] - starts[c.Rank()]
	return c.Comm.Gather(all, starts)
}

func (c *counting) Collect(mine, all []byte, starts []int) error {
	c.sent, c.collects = c.sent+len(mine), c.collects+1
	return c.Comm.Collect(mine, all, starts)
}

// counted returns local ranks that count the bytes that they send.
func counted(n int) (all []Comm) {
	for _, c := range Local(n) {
		all = append(all, &counting{Comm: c})
	}
	return all
}

// TestOneDeviceFails checks that a device that fails on one rank ends all ranks, each with the reason.
func TestOneDeviceFails(t *testing.T) {
	onAll(3, func(s *Session) {
		e, err := s.Parts(loader{walk(), s.Rank() == 1}).Load(device.Options{Lanes: 24, Threads: 1})
		if err == nil {
			_, err = use(e, 24)
		}
		switch err = s.Conclude(err); {
		case s.Rank() == 1 && !errors.Is(err, errBroken):
			t.Errorf("rank 1: %v", err)
		case s.Rank() != 1 && fmt.Sprint(err) != "rank 1 of 3: the device has failed":
			t.Errorf("rank %d: %v", s.Rank(), err)
		}
	})
}

// onAll calls do on each of several local ranks.
func onAll(size int, do func(*Session)) { onAllOf(Local(size), do) }

func onAllOf(comms []Comm, do func(*Session)) {
	var all sync.WaitGroup
	for _, c := range comms {
		all.Go(func() { do(NewSession(context.Background(), c)) })
	}
	all.Wait()
}

// A gathering executable calls GatherTurns in the middle of a run, as devices do; it cannot return an error of the
// call.
type gathering struct {
	device.Executable
	turns device.Turns
}

func (g gathering) Run(_ []device.Call, step uint64, _ []bool) (uint64, error) {
	g.turns.GatherTurns(make([]byte, 4), 2)
	return step + 1, nil
}

type gatheringLoader struct{ loader }

func (l gatheringLoader) Load(o device.Options) (device.Executable, error) {
	e, err := l.loader.Load(o)
	return gathering{e, o.Turns}, err
}

// A cut Comm fails once, after left calls.
type cut struct {
	Comm
	left int
}

var errCut = errors.New("rank 1 has gone")

func (c *cut) Gather(all []byte, starts []int) error {
	c.left--
	if c.left == -1 {
		return errCut
	}
	return c.Comm.Gather(all, starts)
}

// TestLostInTheMiddle checks that a run during which other ranks are lost returns the reason, and that all later calls
// do as well.
func TestLostInTheMiddle(t *testing.T) {
	c := &cut{Local(1)[0], 100}
	s := NewSession(context.Background(), c)
	e, err := s.Rows(gatheringLoader{loader{program: walk()}}).Load(device.Options{Lanes: 8, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	once := []device.Call{{Entry: "step", Times: 1}}
	if _, err := e.Run(once, 0, nil); err != nil {
		t.Error(err)
	}
	c.left = 1 // the first is before the device begins
	if _, err := e.Run(once, 0, nil); err != errCut {
		t.Errorf("the run: %v", err)
	}
	if _, err := e.Run(once, 0, nil); err != errCut {
		t.Errorf("the run after it: %v", err)
	}
	if err := s.Conclude(nil); err != errCut {
		t.Errorf("the conclusion: %v", err)
	}
}
