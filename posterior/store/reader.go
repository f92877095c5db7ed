package store

import (
	"encoding/hex"
	"fmt"
	"slices"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// A Run is a run directory opened for reading, in the state of its last checkpoint.
type Run struct {
	Dir    string
	Info   Info // Info.Draws is the number of draws stored of every chain
	Layout Layout
	arrays map[string]array
	bound  binding
	disk   files.System
	every  int // distance between the draws that are read; 0 means 1
	end    int // number of draws of each chain that are visible; 0 for all
}

// System returns the file system that contains the run.
func (r *Run) System() files.System { return r.disk }

// NotKept returns ErrNotKept if the run does not store an array of the model.
func (r *Run) NotKept(name string) error {
	if slices.ContainsFunc(r.Layout.LeftOut, func(l LeftOut) bool { return l.Name == name }) {
		return ErrNotKept{r.Dir, name, r.Info.Keep}
	}
	return nil
}

// NeedParameters returns ErrNotKept if the run does not store all parameters. Quantities that depend on a missing
// parameter cannot be computed.
func (r *Run) NeedParameters() error {
	for _, l := range r.Layout.LeftOut {
		if l.Parameter {
			return ErrNotKept{r.Dir, l.Name, r.Info.Keep}
		}
	}
	return nil
}

// Draws reads a variable of the posterior, by chain. The slice of a chain concatenates its draws, each with the
// variable's elements in row-major order. Integers that could not be represented are NaN.
func (r *Run) Draws(name string) ([][]float64, error) {
	return r.streamed(posterior, r.Layout.Posterior, name)
}

// Stats reads a sampler statistic, such as "lp" or "diverging", by chain.
func (r *Run) Stats(name string) ([][]float64, error) {
	return r.streamed(sampleStats, r.Layout.SampleStats, name)
}

// Predictive reads a variable of the group posterior_predictive, in the form that Draws returns.
func (r *Run) Predictive(name string) ([][]float64, error) {
	return r.streamed(predictive, r.Layout.Predictive, name)
}

// LeftOutReplicates returns the name of the array, in DataReplicates, with the replicates of an observed array to use
// for LOO-PIT. It is the array itself unless replicates depend on the data through discrete unknowns. In that case it
// is the array drawn given only the parameters, or "" if there is none.
func (r *Run) LeftOutReplicates(of string) string {
	for _, v := range r.Layout.LeftOutReplicates {
		if v.Of == of {
			return v.Name
		}
	}
	if slices.Contains(r.Layout.GivenUnknowns, of) {
		return ""
	}
	return of
}

// FromPrior reports whether a run sampled the prior, so that it has no posterior.
func (r *Run) FromPrior() bool { return len(r.Layout.Prior)+len(r.Layout.PriorPredictive) > 0 }

// Prior reads a variable of a run that sampled the prior, in the form that Draws returns.
func (r *Run) Prior(name string) ([][]float64, error) {
	return r.streamed(prior, r.Layout.Prior, name)
}

// PriorPredictive reads replicates of data of a run that sampled the prior, in the form that Draws returns.
func (r *Run) PriorPredictive(name string) ([][]float64, error) {
	return r.streamed(priorPredictive, r.Layout.PriorPredictive, name)
}

// LogPrior reads the log prior density of a parameter, one number per draw, on the parameter's constrained scale.
func (r *Run) LogPrior(name string) ([][]float64, error) {
	return r.streamed(logPrior, r.Layout.LogPrior, name)
}

// LogLikelihood reads the log likelihood of the rows of an observed array, in the form that Draws returns.
func (r *Run) LogLikelihood(name string) ([][]float64, error) {
	return r.streamed(logLikelihood, r.Layout.LogLikelihood, name)
}

// HasStat reports whether the run has a sampler statistic.
func (r *Run) HasStat(name string) bool { return find(r.Layout.SampleStats, name) >= 0 }

func find(vs []types.Variable, name string) int {
	return slices.IndexFunc(vs, func(v types.Variable) bool { return v.Name == name })
}

func (r *Run) streamed(group string, vs []types.Variable, name string) ([][]float64, error) {
	i := find(vs, name)
	if err := r.NotKept(name); err != nil && group == posterior {
		return nil, err
	}
	if i < 0 {
		return nil, fmt.Errorf("the run in %s has no %q in the group %s", r.Dir, name, group)
	}
	c := column{group: group, v: vs[i]}
	chains := make([][]float64, r.Layout.Chains)
	for chain := range chains {
		chains[chain] = slices.Grow(chains[chain], r.stored(c, chain))
	}
	for first := 0; first < len(chains); first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, func(chain int, part []float64) {
			chains[chain] = append(chains[chain], part...)
		})
		if err != nil {
			return nil, ErrDamaged{r.Dir, err}
		}
	}
	return chains, nil
}

// A Part is a group of a run whose arrays have a row for each draw.
type Part string

// These are the parts of a run.
const (
	PosteriorDraws  Part = posterior
	SamplerStats    Part = sampleStats
	PriorDraws      Part = prior
	PriorReplicates Part = priorPredictive
	RowDensities    Part = logLikelihood
	DataReplicates  Part = predictive
)

// Each calls visit with the draws of an array, chunk by chunk. A visit gets some draws of a chain, from draw first on,
// each with the array's elements in row-major order. The slice is valid only during the visit. Memory use does not
// depend on the number of draws.
func (r *Run) Each(of Part, name string, visit func(chain, first int, draws []float64)) error {
	if err := r.NotKept(name); err != nil && of == PosteriorDraws {
		return err
	}
	var c column
	for _, g := range r.Layout.groups() {
		if i := find(g.variables, name); g.name == string(of) && i >= 0 {
			c = column{group: g.name, v: g.variables[i]}
		}
	}
	if c.group == "" {
		return fmt.Errorf("the run in %s has no %q in the group %s", r.Dir, name, of)
	}
	seen := make([]int, r.Layout.Chains)
	for first := 0; first < len(seen); first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, func(chain int, part []float64) {
			visit(chain, seen[chain], part)
			seen[chain] += len(part) / c.v.Size()
		})
		if err != nil {
			return ErrDamaged{r.Dir, err}
		}
	}
	return nil
}

// stored returns the number of values of a chain for which to allocate memory at first: those that the metadata claim,
// but no more than the chain's files would hold uncompressed, since damaged metadata may claim any number.
func (r *Run) stored(c column, chain int) int {
	a, n, bytes := r.arrays[c.key()], c.v.Size(), int64(0)
	claimed := r.length(c) * n
	for k := range r.chunkCount(c) {
		info, err := r.disk.Stat(chunkPlace(c, chain/a.Chunks[0], k).file(r.Dir))
		if err != nil {
			break
		}
		bytes += info.Size()
	}
	return min(claimed, int(bytes)/width(a.Type)) / max(1, r.every)
}

// Predictions reads elements from to to-1 of a variable of the group predictions, by element, chain and draw. Memory
// use does not depend on the number of other elements.
func (r *Run) Predictions(name string, from, to int) ([][][]float64, error) {
	i := find(r.Layout.Predictions, name)
	if i < 0 {
		return nil, fmt.Errorf("the run in %s has no %q in the group %s", r.Dir, name, predictions)
	}
	c := column{group: predictions, v: r.Layout.Predictions[i]}
	out := make([][][]float64, to-from)
	for k := range out {
		out[k] = make([][]float64, r.Layout.Chains)
	}
	for first := 0; first < r.Layout.Chains; first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, func(chain int, part []float64) {
			for ; len(part) > 0; part = part[c.v.Size():] {
				for k := range out {
					out[k][chain] = append(out[k][chain], part[from+k])
				}
			}
		})
		if err != nil {
			return nil, ErrDamaged{r.Dir, err}
		}
	}
	return out, nil
}

// PredictedAt reads an array of the group predictions_constant_data, row-major.
func (r *Run) PredictedAt(name string) ([]float64, error) {
	return r.constant(constantGroup{predictedAt, r.Layout.PredictedAt}, name)
}

// ObservedData reads an array of the group observed_data, row-major.
func (r *Run) ObservedData(name string) ([]float64, error) {
	return r.constant(constantGroup{observed, r.Layout.Observed}, name)
}

// ConstantData reads an array of the group constant_data, row-major.
func (r *Run) ConstantData(name string) ([]float64, error) {
	return r.constant(constantGroup{constantData, r.Layout.Constant}, name)
}

// Data reads an array of the data from observed_data or constant_data.
func (r *Run) Data(name string) ([]float64, error) {
	if slices.ContainsFunc(r.Layout.Observed, func(o Observed) bool { return o.Name == name }) {
		return r.ObservedData(name)
	}
	return r.ConstantData(name)
}

func (r *Run) constant(g constantGroup, name string) (xs []float64, err error) {
	i := slices.IndexFunc(g.arrays, func(o Observed) bool { return o.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("the run in %s has no %q in the group %s", r.Dir, name, g.name)
	}
	o := g.arrays[i]
	key := g.name + "/" + ArrayName(name)
	chunk := 1
	a := r.arrays[key]
	for _, c := range a.Chunks {
		chunk *= c
	}
	index := make([]int, len(o.Shape))
	for len(xs) < o.Size() {
		raw, err := r.readStored(&a, place{key, chunkKey(index)}, chunk*width(kindOf(o.Variable)))
		if err != nil {
			return nil, ErrDamaged{r.Dir, err}
		}
		part := decode(nil, raw, kindOf(o.Variable))
		xs = append(xs, part[:min(len(part), o.Size()-len(xs))]...)
		if len(index) > 0 {
			index[0]++
		}
	}
	return xs, nil
}

// readStored is readChunk for an array that may be uncompressed.
func (r *Run) readStored(a *array, at place, size int) ([]byte, error) {
	if a.Compressor != nil {
		return r.bound.readChunk(r.disk, r.Dir, at, size)
	}
	raw, err := files.ReadOn(r.disk, nil, at.file(r.Dir), int64(size))
	if err == nil {
		err = wrongSize(len(raw), size)
	}
	if err == nil && r.bound.run != "" && !slices.Contains(a.marks.Digests, hex.EncodeToString(r.bound.mark(at, raw))) {
		err = errForeign
	}
	return raw, ofFile(at.file(r.Dir), err)
}

// reader returns a chunkReader for the chunks of a run.
func (r *Run) reader() *chunkReader { return &chunkReader{disk: r.disk, bound: r.bound} }
