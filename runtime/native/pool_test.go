//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// TestCrewDoesAll checks for many calls that each task runs once, before its call returns, and that a worker runs one
// task at a time.
func TestCrewDoesAll(t *testing.T) {
	const workers = 4
	c := newWorkerPool(workers)
	defer c.close()
	var busy [workers]atomic.Bool
	for call := range 2000 {
		done := make([]int, call%9)
		c.do(len(done), func(worker, i int) {
			if busy[worker].Swap(true) {
				t.Error("a worker with two tasks")
			}
			done[i]++
			busy[worker].Store(false)
		})
		for i, n := range done {
			if n != 1 {
				t.Fatalf("call %d: task %d ran %d times", call, i, n)
			}
		}
	}
}

// TestCrewWorksAbreast checks that tasks run at the same time: they wait for each other.
func TestCrewWorksAbreast(t *testing.T) {
	c := newWorkerPool(3)
	defer c.close()
	for range 20 {
		var all sync.WaitGroup
		all.Add(3)
		c.do(3, func(int, int) { all.Done(); all.Wait() })
	}
}

// TestShortRunsWakeNobody checks that the caller computes blocks that are known to be short, that all workers share
// others, and that the results are the same.
func TestShortRunsWakeNobody(t *testing.T) {
	d, err := New()
	if err != nil {
		t.Skip(err)
	}
	var b ir.Body
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 1})
	v := b.Do(ir.Add, b.Load(x, ir.Dense(1)), b.Const(1))
	p.Entries = []ir.Entry{{Name: "add",
		Body: []ir.Stmt{&ir.Kernel{Extents: []int{1}, Body: b,
			Out: []ir.Output{{Buf: x, Index: ir.Dense(1), Value: v}}}}}}
	loaded, err := d.Load(p, device.Options{Lanes: 3 * 8, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	e := loaded.(*executable)
	run := func(pace time.Duration) (shared int64) {
		var tasks atomic.Int64
		e.blockTime[0] = pace
		e.task = func(worker, i int) { tasks.Add(1); e.takeChunk(worker, i) }
		if _, err := e.Run([]device.Call{{Entry: "add", Times: 2}}, 0, nil); err != nil {
			t.Fatal(err)
		}
		return tasks.Load()
	}
	blocks := int64(len(e.Blocks))
	if unknown, long, short := run(0), run(time.Hour), run(1); unknown != blocks || long != blocks || short != 0 {
		t.Errorf("tasks shared out of %d: %d where nothing is known, %d of long ones, %d of short ones", blocks,
			unknown, long, short)
	}
	if e.blockTime[0] == 0 {
		t.Error("nothing is known after a run")
	}
	sum := make([]float64, 24)
	e.Get("x", sum)
	for lane, got := range sum {
		if got != 6 {
			t.Errorf("lane %d: %v, want 6 after three runs", lane, got)
		}
	}
}

// TestOneBlockHasManyWorkers checks that one block of lanes has as many workers as threads if its tiles can be divided
// among them.
func TestOneBlockHasManyWorkers(t *testing.T) {
	d, err := New()
	if err != nil {
		t.Skip(err)
	}
	var b ir.Body
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 40})
	v := b.Do(ir.Add, b.Counter(0), b.Const(1))
	b[0].Index.Step = 10
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{&ir.Tiles{Rows: 40, Size: 10, Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{10}, Body: b,
			Out: []ir.Output{{Buf: x, Index: ir.Index{Step: 10, Stride: []int{1}}, Value: v}}}}}}}}
	e, err := d.Load(p, device.Options{Lanes: 2, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if n := len(e.(*executable).workers); n != 3 {
		t.Errorf("%d workers for 4 turns on 3 threads", n)
	}
	if _, err := e.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 40)
	e.GetLane("x", 1, got)
	for i, v := range got {
		if v != float64(i+1) {
			t.Errorf("x[%d] is %v", i, v)
		}
	}
}
