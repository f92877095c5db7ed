package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

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

// Open reads a run's metadata. It returns ErrNotRun if the directory is not a run, or an error that names the missing
// or damaged file.
func Open(dir string) (*Run, error) { return OpenOn(files.Disk{}, dir) }

// OpenOn is Open for a run on the given file system.
func OpenOn(disk files.System, dir string) (*Run, error) {
	if s, err := disk.Stat(dir); err != nil {
		return nil, err
	} else if !s.IsDir() {
		return nil, ErrNotRun{dir, "it is a file"}
	}
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return nil, err
	}
	layout, err := readDocument(disk, dir, layoutFile, mostLayout)
	if errors.Is(err, fs.ErrNotExist) && len(info.Written) == 0 {
		return nil, ErrNoDraws{dir, info}
	}
	if err != nil {
		return nil, incomplete(dir, err)
	}
	meta, err := readDocument(disk, dir, ".zmetadata", mostMetadata)
	if err != nil {
		return nil, incomplete(dir, err)
	}
	return parseRun(disk, dir, info, layout, meta)
}

// ErrIncomplete reports that a run directory lacks a file. Since run.json is written first, either the run had no time
// to begin, or files were removed.
type ErrIncomplete struct {
	Dir   string
	Cause error // error of the operating system
}

func (e ErrIncomplete) Error() string {
	what := e.Cause.Error()
	if missing := new(fs.PathError); errors.As(e.Cause, &missing) {
		what = missing.Path + " is missing"
	}
	return fmt.Sprintf("the run in %s is incomplete: %s", e.Dir, what)
}

// Unwrap returns the error of the operating system.
func (e ErrIncomplete) Unwrap() error { return e.Cause }

// incomplete converts the error for a missing file to ErrIncomplete.
func incomplete(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrIncomplete{dir, err}
	}
	return err
}

// parseRun parses the documents of a run and checks their consistency.
func parseRun(disk files.System, dir string, info Info, layout, meta []byte) (*Run, error) {
	r := &Run{Dir: dir, Info: info, disk: disk, bound: binding{info.ID}}
	var doc layoutDocument
	if err := json.Unmarshal(layout, &doc); err != nil {
		return nil, damaged(dir, layoutFile, jsonError(err))
	}
	r.Layout = doc.Layout
	if info.ID != doc.Run {
		return nil, r.bound.sameRun(dir, layoutFile, doc.Run)
	}
	if err := r.Layout.check(); err != nil {
		return nil, damaged(dir, layoutFile, err)
	}
	arrays, run, err := parseArrays(meta)
	if err != nil {
		return nil, damaged(dir, ".zmetadata", jsonError(err))
	}
	if err := r.bound.sameRun(dir, ".zmetadata", run); err != nil {
		return nil, err
	}
	r.arrays = arrays
	if err := r.count(); err != nil {
		return nil, damaged(dir, ".zmetadata", err)
	}
	return r, r.checkDeclared()
}

// jsonError rewrites an error of package json, whose text names Go types, for users.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%q is %s, and is expected to be %s", kind.Field, article(kind.Value), wantOf(kind.Type))
	}
	return err
}

func article(what string) string {
	if strings.HasPrefix(what, "number ") {
		return "the " + what
	}
	return "a JSON " + what
}

// wantOf describes a Go type in terms of JSON.
func wantOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func damaged(dir, file string, err error) error {
	return ErrDamaged{dir, fmt.Errorf("%s: %w", file, err)}
}

// ErrDamaged reports that a file of a run is missing, truncated or invalid.
type ErrDamaged struct {
	Dir   string
	Cause error // names the file
}

func (e ErrDamaged) Error() string {
	return fmt.Sprintf("the run in %s is damaged: %v", e.Dir, e.Cause)
}
func (e ErrDamaged) Unwrap() error { return e.Cause }

// ErrNotKept reports that a run does not store the draws of an array, as requested.
type ErrNotKept struct {
	Dir, Name string
	Keep      []string // what the run was asked to store
}

func (e ErrNotKept) Error() string {
	return fmt.Sprintf("the run in %s has no draws of `%s`: it was sampled with --keep %s", e.Dir, e.Name,
		strings.Join(e.Keep, ","))
}

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

// parseArrays returns the .zarray documents of the consolidated metadata, and the identity of the run.
func parseArrays(text []byte) (arrays map[string]array, run string, err error) {
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, "", err
	}
	var about struct {
		Run string `json:"ppl_run"`
	}
	if root, there := doc.Metadata[".zattrs"]; there {
		if err := json.Unmarshal(root, &about); err != nil {
			return nil, "", fmt.Errorf(".zattrs: %w", err)
		}
	}
	arrays = map[string]array{}
	for key, text := range doc.Metadata {
		name, isArray := strings.CutSuffix(key, "/.zarray")
		if !isArray {
			continue
		}
		var a array
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, "", fmt.Errorf("%s: %w", key, err)
		}
		if a.Compressor == nil {
			if err := json.Unmarshal(doc.Metadata[name+"/.zattrs"], &a.marks); err != nil {
				return nil, "", fmt.Errorf("%s/.zattrs: %w", name, err)
			}
		}
		arrays[name] = a
	}
	return arrays, about.Run, nil
}

// count checks that the arrays match the layout and have the same length, and sets the number of draws to it.
func (r *Run) count() error {
	columns, _ := r.Layout.columns()
	for i, c := range columns {
		a := r.arrays[c.key()]
		if err := a.fits(c.v, r.Layout.Chains); err != nil {
			return fmt.Errorf("%s: %w", c.key(), err)
		}
		if c.group == predictions { // predictions may be thinned
			if a.Shape[1] != r.arrays[predictions+"/"+ArrayName(r.Layout.Predictions[0].Name)].Shape[1] {
				return fmt.Errorf("%s has another number of draws than the others of its group", c.key())
			}
			continue
		}
		if i > 0 && a.Shape[1] != r.Info.Draws {
			return fmt.Errorf("%s has %d draws where %s has %d", c.key(), a.Shape[1], columns[0].key(), r.Info.Draws)
		}
		r.Info.Draws = a.Shape[1]
	}
	for _, g := range r.Layout.constants() {
		for _, o := range g.arrays {
			if a := r.arrays[g.name+"/"+ArrayName(o.Name)]; !a.holds(o) {
				return fmt.Errorf("%s/%s does not have the layout's shape %v", g.name, o.Name, o.Shape)
			}
		}
	}
	return nil
}

// fits reports whether an array has the axes chain and draw, then those of v, and has valid chunks along the first two
// axes only.
func (a array) fits(v types.Variable, chains int) error {
	shape := append([]int{chains, 0}, v.Shape...)
	if len(a.Shape) != len(shape) || len(a.Chunks) != len(shape) || a.Type != kindOf(v) {
		return fmt.Errorf("is not the array %s of the layout", v.Name)
	}
	draws, chunk := a.Shape[1], a.Chunks[1]
	if draws < 0 || draws > maxSize || chunk < 1 || chunk > chunkElements {
		return fmt.Errorf("%d draws in chunks of %d", draws, chunk)
	}
	if band := a.Chunks[0]; band < 1 || band > chains || band > 1 && band*chunk > chunkElements/max(1, v.Size()) {
		return fmt.Errorf("chunks of %d chains and %d draws", band, chunk)
	}
	if chunk > 1 && chunk > chunkElements/max(1, v.Size()) {
		return fmt.Errorf("chunks of %d draws of %d numbers", chunk, v.Size())
	}
	shape[1] = draws
	if !slices.Equal(a.Shape, shape) || (v.Size() > 0 && !slices.Equal(a.Chunks[2:], v.Shape)) {
		return fmt.Errorf("has the shape %v in chunks %v, which is not that of the layout, %v", a.Shape,
			a.Chunks, v.Shape)
	}
	return nil
}

// holds reports whether an array has o's shape and is split only along the first axis.
func (a array) holds(o Observed) bool {
	if !slices.Equal(a.Shape, o.Shape) || len(a.Chunks) != len(a.Shape) || a.Type != kindOf(o.Variable) {
		return false
	}
	return o.Size() == 0 || len(a.Chunks) == 0 ||
		(slices.Equal(a.Chunks[1:], a.Shape[1:]) && a.Chunks[0] >= 1 && a.Chunks[0] <= a.Shape[0])
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
		return nil, fmt.Errorf("the run in %s has no %q in %s", r.Dir, name, group)
	}
	c := column{group: group, v: vs[i]}
	chains, reader := make([][]float64, r.Layout.Chains), r.reader()
	for chain := range chains {
		chains[chain] = slices.Grow(chains[chain], r.stored(c, chain))
	}
	for first := 0; first < len(chains); first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, reader, func(chain int, part []float64) {
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
		return fmt.Errorf("the run in %s has no %q in %s", r.Dir, name, of)
	}
	seen, reader := make([]int, r.Layout.Chains), r.reader()
	for first := 0; first < len(seen); first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, reader, func(chain int, part []float64) {
			visit(chain, seen[chain], part)
			seen[chain] += len(part) / c.v.Size()
		})
		if err != nil {
			return ErrDamaged{r.Dir, err}
		}
	}
	return nil
}

// stored returns the number of values of a chain that its files can hold, so that memory is allocated for existing
// data, not for sizes that damaged metadata claim.
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

// chunks passes the draws of a band of chains, the first of which is first, to each, chunk by chunk. A part is valid
// only until each returns.
func (r *Run) chunks(c column, first int, reader *chunkReader, each func(chain int, part []float64)) error {
	for k := range r.chunkCount(c) {
		if err := r.chunk(c, first, k, reader, each); err != nil {
			return err
		}
	}
	return nil
}

// chunkCount returns the number of chunks of a chain's draws.
func (r *Run) chunkCount(c column) int {
	a := r.arrays[c.key()]
	if c.v.Size() == 0 {
		return 0
	}
	return (r.length(c) + a.Chunks[1] - 1) / a.Chunks[1]
}

// chunk passes the draws of the k-th chunk of a band of chains to each. It does not read a chunk that contains no
// visible draw.
func (r *Run) chunk(c column, first, k int, reader *chunkReader, each func(chain int, part []float64)) error {
	a, n := r.arrays[c.key()], c.v.Size()
	band, chunk := a.Chunks[0], a.Chunks[1]
	from, draws := r.firstRead(k*chunk), min(chunk, r.length(c)-k*chunk)
	if from >= draws {
		return nil
	}
	raw, err := reader.read(r.Dir, chunkPlace(c, first/band, k), band*chunk*n*width(a.Type))
	if err != nil {
		return err
	}
	reader.values = decode(reader.values, raw, a.Type)
	for chain := first; chain < min(first+band, r.Layout.Chains); chain++ {
		each(chain, r.thinned(reader.values[(chain-first)*chunk*n:][:draws*n], from, n))
	}
	return nil
}

// Predictions reads elements from to to-1 of a variable of the group predictions, by element, chain and draw. Memory
// use does not depend on the number of other elements.
func (r *Run) Predictions(name string, from, to int) ([][][]float64, error) {
	i := find(r.Layout.Predictions, name)
	if i < 0 {
		return nil, fmt.Errorf("the run in %s has no %q in %s", r.Dir, name, predictions)
	}
	c := column{group: predictions, v: r.Layout.Predictions[i]}
	out := make([][][]float64, to-from)
	for k := range out {
		out[k] = make([][]float64, r.Layout.Chains)
	}
	reader := r.reader()
	for first := 0; first < r.Layout.Chains; first += r.arrays[c.key()].Chunks[0] {
		err := r.chunks(c, first, reader, func(chain int, part []float64) {
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
		return nil, fmt.Errorf("the run in %s has no %q in %s", r.Dir, name, g.name)
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
