package verify_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/bugs"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
	"ppl/numbers"
)

// inBUGS lists models in the language of BUGS (lang/bugs/testdata), each with the Stan program for the same data, and
// with the precisions (scalars or matrices) that correspond to variances in the program.
var inBUGS = []struct {
	name, program string
	inverse       map[string]string
}{
	{"blocker", "vol1/blocker/blocker", map[string]string{"sigmasq_delta": "tau"}},
	{"equiv", "vol1/equiv/equiv", map[string]string{"sigmasq1": "tau1", "sigmasq2": "tau2"}},
	{"litter", "vol1/litter/litter", nil},
	{"oxford", "vol1/oxford/oxford", map[string]string{"sigma_sq": "tau"}},
	{"salm", "vol1/salm/salm2", nil},
	{"seeds", "vol1/seeds/seeds", nil},
	{"stacks_a_normal", "vol1/stacks/stacks_a_normal", map[string]string{"sigmasq": "tau"}},
	{"stacks_b_dexp", "vol1/stacks/stacks_b_dexp", map[string]string{"sigmasq": "tau"}},
	{"stacks_c_t4", "vol1/stacks/stacks_c_t4", map[string]string{"sigmasq": "tau"}},
	{"stacks_e_dexp_ridge", "vol1/stacks/stacks_e_dexp_ridge", map[string]string{"sigmasq": "tau"}},
	{"stacks_f_t4_ridge", "vol1/stacks/stacks_f_t4_ridge", map[string]string{"sigmasq": "tau"}},
	{"air", "vol2/air/air", nil},
	{"beetles_cloglog", "vol2/beetles/beetles_cloglog", nil},
	{"beetles_logit", "vol2/beetles/beetles_logit", nil},
	{"birats", "vol2/birats/birats", map[string]string{"Sigma_beta": "R", "sigmasq_y": "tau_y"}},
	{"dugongs", "vol2/dugongs/dugongs", nil},
	{"eyes", "vol2/eyes/eyes", map[string]string{"sigmasq": "tau"}},
	{"hearts", "vol2/hearts/hearts", nil},
	{"ice", "vol2/ice/ice", nil},
	{"jaws", "vol2/jaws/jaws", map[string]string{"Sigma": "Omega"}},
	{"mvn_orange", "vol2/mvn_orange/mvn_orange", map[string]string{"sigmasq": "tauC", "sigma2": "tau"}},
	{"orange", "vol2/orange/orange", nil},
	{"estdof", "vol2/t_df/estdof", nil},
}

// BUGS models have the density of the corresponding Stan programs.
func TestBUGS(t *testing.T) {
	for _, c := range inBUGS {
		t.Run(c.name, func(t *testing.T) {
			program := filepath.Join(collection, "bugs_examples", c.program)
			text, err := os.ReadFile(program + ".stan")
			if err != nil {
				t.Skipf("there is no collection of programs: %v", err)
			}
			data, args := readData(t, program+".data.json")
			p, _ := stan.Parse(source.New("m.stan", string(text)))
			info, _ := stan.Check(p)
			m, err := evaluate.New(p, info, data)
			if err != nil {
				t.Fatal(err)
			}
			model, names := loadedBUGS(t, c.name, data, args)
			comparePrecisions(t, m, model, names, c.inverse)
		})
	}
}

// loadedBUGS compiles a BUGS model.
func loadedBUGS(t *testing.T, name string, data stan.Data, args []compiler.DataArg) (*compiler.Program,
	map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../lang/bugs/testdata", name+".bug"))
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string]bugs.Shape{}
	for n, a := range data {
		shapes[n] = bugs.Shape{Dims: a.Dims}
	}
	made, ds := bugs.Model(source.New(name+".bug", string(text)), shapes)
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	for n, other := range made.Renamed {
		args = append(args, compiler.DataArg{Name: other, Path: args[0].Path, Key: n})
	}
	model, ds := compiler.Load(compiler.Request{Path: "m.ppl", Text: made.Text, Data: args})
	if diag.HasErrors(ds) {
		var b strings.Builder
		diag.Render(&b, ds, false)
		t.Fatalf("%s\n%s", b.String(), made.Text)
	}
	return model, made.Names
}

// comparePrecisions compares densities if the model has the inverse of some parameters. For a matrix S of n rows with
// inverse R, the density of R is that of S times the determinant of S to the power n + 1.
func comparePrecisions(t *testing.T, m *evaluate.Machine, model *compiler.Program, names, inverse map[string]string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 5))
	first, finite := 0.0, 0
	for range 12 {
		at, err := m.Point(func() float64 { return rnd.NormFloat64() / 3 })
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.LogDensity(at)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(want, 0) {
			continue
		}
		moved := maps.Clone(at)
		for name, other := range inverse {
			r, logDet := inverted(at[name])
			delete(moved, name)
			moved[other] = r
			want += float64(rows(r)+1) * logDet
		}
		values := map[string]*content.Array{}
		for name, a := range moved {
			if other, ok := names[name]; ok {
				name = other
			}
			values[name] = &content.Array{Name: name, Shape: a.Dims, Values: numbers.Of(a.Values...)}
		}
		l, err := model.LogProb(values)
		if err != nil {
			t.Fatal(err)
		}
		got := l.Prior + l.Likelihood
		if finite++; finite == 1 {
			first = got - want
		}
		if !(math.Abs(got-want-first) <= 1e-9*math.Max(1, math.Abs(want))) {
			t.Fatalf("the log density is %g, and should be %g", got-first, want)
		}
	}
	if finite < 3 {
		t.Errorf("the density is finite at %d points", finite)
	}
}

func rows(a stan.Array) int {
	if len(a.Dims) == 0 {
		return 1
	}
	return a.Dims[0]
}

// inverted returns the inverse of a number or of a symmetric matrix, and the logarithm of the argument's determinant.
func inverted(a stan.Array) (stan.Array, float64) {
	n := rows(a)
	s := mat.NewDense(n, n, append([]float64(nil), a.Values...))
	var r mat.Dense
	if err := r.Inverse(s); err != nil {
		panic(err)
	}
	for i := range n {
		for j := range i {
			r.Set(i, j, r.At(j, i))
		}
	}
	logDet, _ := mat.LogDet(s)
	return stan.Array{Dims: a.Dims, Values: append([]float64(nil), r.RawMatrix().Data...)}, logDet
}
