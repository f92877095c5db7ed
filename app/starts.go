package app

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/infer/checkpoint"
	"ppl/lang/types"
	"ppl/numbers"
)

// mostStarts is the maximum number of starting points of a chain. Its walkers start at these in turn.
const mostStarts = 16

// chooseStarts sets the starting points of the chains: those of the resumed run, or those given by --init.
func (run *attempt) chooseStarts() error {
	before := run.dir.Before
	if run.Init == "" && before != nil && before.Digests.Starts != "" {
		points, err := run.dir.ReadStarts()
		if err != nil {
			return fault.Of(err)
		}
		return run.setStarts(points, before.Init)
	}
	if run.Init == "" {
		return nil
	}
	if run.sampler.Independent {
		return fault.Usagef("--init: %s fits an approximation and takes no starting values; renhd, its rules and "+
			"nuts take them", run.sampler.Name)
	}
	g, err := givenStarts(run.Init, run.program)
	if err != nil {
		return err
	}
	points, err := g.points(run.options.Seed, run.options.Chains, "chain")
	if err != nil {
		return err
	}
	note := "chains begin " + g.where()
	if g.count() == 1 {
		note += ", all at the same point, so that R-hat cannot detect modes far from it"
	}
	run.notes.Note(note + g.others())
	return run.setStarts(points, run.Init)
}

func (run *attempt) setStarts(points [][][]float64, from string) error {
	encoded, err := checkpoint.Encode(points)
	if err != nil {
		return fault.Of(err)
	}
	run.options.Starts, run.Init = points, from
	run.digests.Starts = fmt.Sprintf("%x", sha256.Sum256(encoded))
	return nil
}

// A given holds parameter values at which to start.
type given struct {
	from    string
	program *compiler.Program
	values  [][]map[string]*content.Array // by chain, then start; values from a file have one chain and one start
	unlike  []string                      // parameters that the run has with different elements
}

// givenStarts reads the file or run that --init names.
func givenStarts(path string, p *compiler.Program) (*given, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return startsOfRun(path, p)
	}
	f, err := datafile.DefaultRowCache().Whole(path)
	if err != nil {
		return nil, fault.Wrongf("--init: %w", err)
	}
	return &given{from: path, program: p, values: [][]map[string]*content.Array{{f.Arrays}}}, nil
}

// startsOfRun returns the last draws of a run, for the parameters that the model and the run share.
func startsOfRun(dir string, p *compiler.Program) (*given, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	g := &given{from: dir, program: p, values: make([][]map[string]*content.Array, run.Layout.Chains)}
	n := min(mostStarts, run.Info.Draws)
	for c := range g.values {
		for range n {
			g.values[c] = append(g.values[c], map[string]*content.Array{})
		}
	}
	found := 0
	for _, v := range ParametersOf(p) {
		at := slices.IndexFunc(run.Layout.Posterior, func(w types.Variable) bool { return w.Name == v.Name })
		switch {
		case at < 0:
			continue
		case !sameElements(v, run.Layout.Posterior[at]):
			g.unlike = append(g.unlike, v.Name)
			continue
		}
		chains, err := run.Draws(v.Name)
		if err != nil {
			return nil, fault.Of(err)
		}
		found++
		g.add(v, chains)
	}
	if found == 0 || n == 0 {
		return nil, fault.Wrongf("--init: none of the parameters of the model (%s) are in %s",
			strings.Join(p.Parameters(), ", "), dir)
	}
	return g, nil
}

// add adds the values of a parameter to all starts. The first start gets the last draw.
func (g *given) add(v types.Variable, chains [][]float64) {
	size := v.Size()
	for c, xs := range chains {
		for k, at := range g.values[c] {
			end := len(xs) - k*size
			at[v.Name] = &content.Array{Name: v.Name, Shape: v.Shape, Values: numbers.Of(xs[end-size : end]...)}
		}
	}
}

// ParametersOf returns the saved variables of a model that are parameters.
func ParametersOf(p *compiler.Program) (all []types.Variable) {
	names := p.Parameters()
	for _, v := range p.Saved() {
		if slices.Contains(names, v.Name) {
			all = append(all, v)
		}
	}
	return all
}

// sameElements reports whether two arrays have the same elements, by name.
func sameElements(v, w types.Variable) bool {
	if !slices.Equal(v.Shape, w.Shape) {
		return false
	}
	for i := range v.Size() {
		if v.Element(i) != w.Element(i) {
			return false
		}
	}
	return true
}

// points returns starting points of the sampler for each of n chains or searches; unit names these in messages. Values
// that are not given are drawn for each point.
func (g *given) points(seed uint64, n int, unit string) (all [][][]float64, err error) {
	for k := range n {
		points, err := g.pointsOf(seed, k)
		if err != nil {
			return nil, fault.Wrongf("--init %s: %w", g.from, err)
		}
		all = append(all, points)
	}
	if k, parts := g.notFinite(all); k >= 0 {
		err := fmt.Errorf("--init %s: the log density is not finite at the start of %s %d", g.from, unit, k+1)
		return nil, fault.Wrong(explain(err, parts))
	}
	return all, nil
}

func (g *given) pointsOf(seed uint64, chain int) (points [][]float64, err error) {
	from := g.values[chain%len(g.values)]
	n := len(from)
	if len(g.missing()) > 0 {
		n = mostStarts
	}
	for k := range n {
		x, err := g.program.StartFrom(seed, chain*mostStarts+k, from[(k+chain/len(g.values))%len(from)])
		if err != nil {
			return nil, err
		}
		points = append(points, x)
	}
	return points, nil
}

// notFinite returns the first chain that cannot start and the parts of the model that are the reason, or −1. If all
// values are given, every point must have a finite density; otherwise one point of the chain suffices.
func (g *given) notFinite(all [][][]float64) (chain int, parts []string) {
	complete := len(g.missing()) == 0
	for c, points := range all {
		if first, parts := g.program.NotFiniteAt(points); first >= 0 && (complete || first == len(points)-1) {
			return c, parts
		}
	}
	return -1, nil
}

// missing returns the names of the parameters that are not given.
func (g *given) missing() (names []string) {
	for _, name := range g.program.Parameters() {
		if g.values[0][0][name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// count returns the number of distinct starting points. It is unlimited if some values are drawn.
func (g *given) count() int {
	if len(g.missing()) > 0 {
		return math.MaxInt
	}
	return len(g.values) * len(g.values[0])
}

func (g *given) where() string {
	if len(g.values[0]) > 1 || len(g.values) > 1 {
		return "at the last draws of " + g.from
	}
	return "at the values in " + g.from
}

// others describes the parameters that are not given.
func (g *given) others() (text string) {
	if missing := g.missing(); len(missing) > 0 {
		text += "; drawn from their distributions: " + strings.Join(missing, ", ")
	}
	if len(g.unlike) > 0 {
		text += fmt.Sprintf(" (their elements differ in %s: %s)", g.from, strings.Join(g.unlike, ", "))
	}
	return text
}
