package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/compiler/data"
	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/lang/types"
	"ppl/runtime/files"
)

// startsFile keeps the points at which the chains of a run began, for a run that is to go on: what --init named may
// have changed by then.
const startsFile = "starts"

// turns is how many points a chain has at most: its walkers begin at them in turn.
const turns = 16

// chooseStarts finds the points at which chains begin: those of the run that goes on, or those of --init.
func (run *posteriorRun) chooseStarts() error {
	s, before := run.sampling, run.dir.before
	if s.init == "" && before != nil && before.Digests.Starts != "" {
		points, err := readStarts(run.dir.path)
		if err != nil {
			return failed(err)
		}
		return run.setStarts(points, before.Init)
	}
	if s.init == "" {
		return nil
	}
	if run.sampler.independent {
		return usagef("--init: %s fits an approximation, which has no starting values; renhd, its rules and nuts have",
			run.sampler.name)
	}
	g, err := run.givenStarts()
	if err != nil {
		return err
	}
	points, err := g.points(run.program, s.options)
	if err != nil {
		return wrong(fmt.Errorf("--init %s: %w", s.init, err))
	}
	run.note(g.note(run.program))
	return run.setStarts(points, s.init)
}

func (run *posteriorRun) setStarts(points [][][]float64, from string) error {
	encoded, err := checkpoint.Encode(points)
	if err != nil {
		return failed(err)
	}
	run.options.Starts, run.init = points, from
	run.digests.Starts = fmt.Sprintf("%x", sha256.Sum256(encoded))
	return nil
}

// keepStarts writes the points to the directory of a new run.
func (run *posteriorRun) keepStarts() error {
	if len(run.options.Starts) == 0 {
		return nil
	}
	encoded, err := checkpoint.Encode(run.options.Starts)
	if err != nil {
		return err
	}
	return files.Replace(run.dir.disk, filepath.Join(run.dir.path, startsFile), encoded)
}

func readStarts(dir string) (points [][][]float64, err error) {
	encoded, err := os.ReadFile(filepath.Join(dir, startsFile))
	if err == nil {
		err = checkpoint.Decode(encoded, &points)
	}
	if err != nil {
		return nil, fmt.Errorf("the starting values of the run cannot be read: %w", err)
	}
	return points, nil
}

// removeStarts makes room for a new run.
func removeStarts(disk files.System, dir string) error {
	return files.RemoveAny(disk, filepath.Join(dir, startsFile))
}

// given are values of parameters to begin at.
type given struct {
	from   string
	values [][]map[string]*data.Array // by chain, one draw after another; a single one of a file
	unlike []string                   // parameters that a run has with other elements
}

// givenStarts reads what --init names.
func (run *posteriorRun) givenStarts() (*given, error) {
	path := run.init
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return startsOfRun(path, run.program)
	}
	f, err := data.DefaultRowCache().Whole(path)
	if err != nil {
		return nil, wrong(fmt.Errorf("--init: %w", err))
	}
	return &given{from: path, values: [][]map[string]*data.Array{{f.Arrays}}}, nil
}

// startsOfRun are the last draws of a run, of the parameters that the model has, too.
func startsOfRun(dir string, p *compiler.Program) (*given, error) {
	run, err := openRun(dir)
	if err != nil {
		return nil, err
	}
	g := &given{from: dir, values: make([][]map[string]*data.Array, run.Layout.Chains)}
	n := min(turns, run.Info.Draws)
	for c := range g.values {
		for range n {
			g.values[c] = append(g.values[c], map[string]*data.Array{})
		}
	}
	found := 0
	for _, v := range parametersOf(p) {
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
			return nil, failed(err)
		}
		found++
		g.add(v, chains)
	}
	if found == 0 || n == 0 {
		return nil, wrong(fmt.Errorf("--init: %s has no draws of a parameter of the model, which has %s", dir,
			strings.Join(p.Parameters(), ", ")))
	}
	return g, nil
}

// add gives each start its value of a parameter: the last draw first.
func (g *given) add(v types.Variable, chains [][]float64) {
	size := v.Size()
	for c, xs := range chains {
		for k, at := range g.values[c] {
			end := len(xs) - k*size
			at[v.Name] = &data.Array{Name: v.Name, Shape: v.Shape, Values: xs[end-size : end]}
		}
	}
}

// parametersOf are those of what a model saves that are parameters.
func parametersOf(p *compiler.Program) (all []types.Variable) {
	names := p.Parameters()
	for _, v := range p.Saved() {
		if slices.Contains(names, v.Name) {
			all = append(all, v)
		}
	}
	return all
}

// sameElements reports whether two arrays have the same elements by name.
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

// points are the given values as points of the sampler, for each chain: what is not given is drawn for each
// point.
func (g *given) points(p *compiler.Program, o infer.Options) (all [][][]float64, err error) {
	for chain := range o.Chains {
		from := g.values[chain%len(g.values)]
		n := len(from)
		if len(g.missing(p)) > 0 {
			n = turns
		}
		var points [][]float64
		for k := range n {
			x, err := p.StartFrom(o.Seed, chain*turns+k, from[(k+chain/len(g.values))%len(from)])
			if err != nil {
				return nil, err
			}
			points = append(points, x)
		}
		all = append(all, points)
	}
	return all, g.refuseNotFinite(p, all)
}

// refuseNotFinite refuses points at which no chain could begin: of complete values the first such, else all of a chain.
func (g *given) refuseNotFinite(p *compiler.Program, all [][][]float64) error {
	complete := len(g.missing(p)) == 0
	for c, points := range all {
		first, parts := p.NotFiniteAt(points)
		if first < 0 || !complete && first < len(points)-1 {
			continue
		}
		return explain(fmt.Errorf("the log density of chain %d is not finite there", c+1), parts)
	}
	return nil
}

// missing are the parameters that are not given.
func (g *given) missing(p *compiler.Program) (names []string) {
	for _, name := range p.Parameters() {
		if g.values[0][0][name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// note says where chains begin.
func (g *given) note(p *compiler.Program) string {
	text := "chains begin at the values in " + g.from
	switch {
	case len(g.values[0]) > 1 || len(g.values) > 1:
		text = "chains begin at the last draws of " + g.from
	case len(g.missing(p)) == 0:
		text += ", all at the same, so that R-hat cannot show that chains from elsewhere would end elsewhere"
	}
	if missing := g.missing(p); len(missing) > 0 {
		text += "; drawn from their distributions: " + strings.Join(missing, ", ")
	}
	if len(g.unlike) > 0 {
		text += fmt.Sprintf(" (with other elements there: %s)", strings.Join(g.unlike, ", "))
	}
	return text
}
