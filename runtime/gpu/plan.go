package gpu

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/runtime/gpu/driver"
)

// grain returns how finely statements are cut. It decides the order of sums, so that it is the same for every GPU.
func grain() lower.Grain { return lower.Grain{Turn: 500, Least: 4000, Turns: 2048, Shared: 4096} }

// A plan is how a program runs on some lanes.
type plan struct {
	program   *ir.Program // cut into turns of tiles
	launching render.Launching
	stages    [][]render.Stage // by entry, if it runs by points
	// how many launches of entries by points are products for a library, and what is said of them
	products   int
	multiplied string
}

// An Option changes how programs run, for tests.
type Option func(*Device)

// ByPoints runs entries by points, whatever is faster; or none.
func ByPoints(all bool) Option {
	return func(d *Device) { d.faster = func(*plan, int, int, int) bool { return all } }
}

// InBlocksOf lays out lanes in blocks of that many.
func InBlocksOf(width int) Option {
	return func(d *Device) { d.width = func(int) int { return width } }
}

// InGrain cuts statements so finely.
func InGrain(g lower.Grain) Option { return func(d *Device) { d.grain = g } }

// Poisoned fills scratch memory with NaN before each entry that runs by points, and memory of one launch before the
// launch: what reads it before it is written shows.
func Poisoned() Option { return func(d *Device) { d.poisoned = true } }

// WithoutGraphs gives each launch by itself.
func WithoutGraphs() Option { return func(d *Device) { d.noGraphs = true } }

// plan decides how a program runs.
func (d *Device) plan(p *ir.Program, lanes int, points choice) *plan {
	l := &plan{program: lower.Spread(p, d.grain)}
	if err := ir.Verify(l.program); err != nil {
		panic(fmt.Sprintf("internal error: %v\n%s", err, l.program))
	}
	l.launching = render.Launching{Width: d.width(lanes), Points: make([]bool, len(p.Entries)), Shared: d.grain.Shared}
	if p.Layout == ir.Apart {
		l.launching.Width = 1
	}
	l.stages = l.launching.Stages(l.program)
	for i := range p.Entries {
		l.launching.Points[i] = points(l, i, lanes, d.driver.Info().Multiprocessors)
	}
	if !slices.Contains(l.launching.Points, true) && p.Layout != ir.Apart {
		l.launching.Width = render.Warp // one text for all numbers of lanes
	}
	return l
}

// width returns the number of lanes of a block: of a warp, or of part of one if there are few.
func width(lanes int) int {
	w := 4
	for w < min(lanes, render.Warp) {
		w *= 2
	}
	return w
}

// What a launch takes, and an addition in one thread, which waits for each to end before the next (µs): medians of
// steps of seven examples on an H200 (BenchmarkOnGPUChoice).
const (
	launchTime   = 3.6
	additionTime = 0.0085
)

// scattered is how much longer an entry by lanes takes where lanes are apart: what threads next to each other read then
// lies far apart, and each load brings numbers that no thread asked for (an estimate).
const scattered = 4

// fasterByPoints compares how long an entry takes by points and by lanes. What a library can compute is by points for
// any number of lanes (products.go).
func fasterByPoints(l *plan, entry, lanes, multiprocessors int) bool {
	if l.suited(entry) > 0 {
		return true
	}
	threads := func(items int) float64 { return float64(items * over(lanes, l.launching.Width) * l.launching.Width) }
	atOnce := float64(warpsEach * render.Warp * max(1, multiprocessors))
	took := func(items int, work float64) float64 { return max(1, threads(items)/atOnce) * work * additionTime }
	byPoints := 0.0
	for _, s := range l.stages[entry] {
		byPoints += launchTime + took(s.Items, s.Work)
	}
	byLanes := took(1, l.program.Work(l.program.Entries[entry].Name))
	if l.program.Layout == ir.Apart {
		byLanes *= scattered
	}
	return byPoints < byLanes
}

// over is n/d, rounded up.
func over(n, d int) int { return (n + d - 1) / d }

// words say how lanes lie in memory, if not side by side, which entries run by points, and in how many launches each:
// "lanes apart, step 5, end 3 launches by points, the others by lanes".
func (l *plan) words() string {
	if l.program.Layout == ir.Apart {
		return "lanes apart, " + l.ways()
	}
	return l.ways()
}

func (l *plan) ways() string {
	var named []string
	for i, e := range l.program.Entries {
		if l.launching.Points[i] {
			named = append(named, fmt.Sprintf("%s %d", e.Name, len(l.stages[i])))
		}
	}
	all := strings.Join(named, ", ") + " launches by points"
	if l.multiplied != "" {
		all += " (" + l.multiplied + ")"
	}
	switch len(named) {
	case 0:
		return "by lanes"
	case len(l.program.Entries):
		return all
	}
	return all + ", the others by lanes"
}

// Text returns what a GPU would compile for a program on some lanes, with a comment that says in words how it runs. The
// GPU has as many multiprocessors as an H100 or H200.
func Text(p *ir.Program, lanes int) string {
	d := New(described{})
	l := d.plan(p, lanes, d.faster)
	return fmt.Sprintf("// For %d lanes: %s.\n%s", lanes, l.words(), render.CUDA(l.program, l.launching))
}

// described is a GPU of which only its description exists.
type described struct{ driver.Driver }

func (described) Info() driver.Info { return driver.Info{Multiprocessors: 132} }
