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

// grain returns how finely statements are divided. It determines the order of sums, so it is the same for every GPU.
func grain() lower.Grain { return lower.Grain{Turn: 500, Least: 4000, Turns: 3072, Shared: 4096} }

// A plan describes how a program runs for a number of lanes.
type plan struct {
	program   *ir.Program // divided into iterations of Tiles
	launching render.Launching
	stages    [][]render.Stage // stages of each entry, used if it runs by points
	// number of launches of entries by points that are products for a library, and a description of how these run
	products   int
	multiplied string
}

// An Option changes how programs run, for tests.
type Option func(*Device)

// ByPoints makes all entries run by points, or none, independently of the estimate.
func ByPoints(all bool) Option {
	return func(d *Device) { d.faster = func(*plan, int, int, int) bool { return all } }
}

// InBlocksOf sets the number of lanes in a block.
func InBlocksOf(width int) Option {
	return func(d *Device) { d.width = func(int) int { return width } }
}

// InGrain sets how finely statements are divided.
func InGrain(g lower.Grain) Option { return func(d *Device) { d.grain = g } }

// Poisoned fills scratch memory with NaN before each entry that runs by points, and the memory of a single launch
// before the launch. This reveals reads before the first write.
func Poisoned() Option { return func(d *Device) { d.poisoned = true } }

// WithoutGraphs makes all launches one by one.
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

// width returns the number of lanes of a block: a warp, or a part of one if there are few lanes.
func width(lanes int) int {
	w := 4
	for w < min(lanes, render.Warp) {
		w *= 2
	}
	return w
}

// Time of a launch, and of an addition in one thread that waits for each result (µs): medians of steps of seven
// examples on an H200 (BenchmarkOnGPUChoice).
const (
	launchTime   = 3.6
	additionTime = 0.0085
)

// scattered is the factor by which an entry by lanes is slower for layout Apart: neighbouring threads then read distant
// addresses, and each load brings numbers that no thread needs (an estimate).
const scattered = 4

// fasterByPoints estimates whether an entry takes less time by points than by lanes. An entry with products for a
// library runs by points for any number of lanes (products.go).
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

// over returns n/d, rounded up.
func over(n, d int) int { return (n + d - 1) / d }

// words describes the layout of lanes, if it is Apart, which entries run by points, and in how many launches each:
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

// Text returns the CUDA text of a program for a number of lanes, with a comment that describes how it runs. It assumes
// the number of multiprocessors of an H100 or H200.
func Text(p *ir.Program, lanes int) string {
	d := New(described{})
	l := d.plan(p, lanes, d.faster)
	return fmt.Sprintf("// For %d lanes: %s.\n%s", lanes, l.words(), render.CUDA(l.program, l.launching))
}

// described is a GPU with a description only; it cannot run anything.
type described struct{ driver.Driver }

func (described) Info() driver.Info { return driver.Info{Multiprocessors: 132} }
