// Package quantities finds the quantities of a run by name, and reads their draws within a limit of memory: all draws
// if they fit, else an evenly spaced sample together with statistics of all draws.
//
//	selected, err := quantities.Select(run.Layout.Posterior, []string{"theta[2]", "mu"}, run)
//	reader := quantities.Reader{Run: run, Memory: 128 << 20}
//	err = reader.Each(store.PosteriorDraws, selected[0].Variable, nil,
//		func(i int, q quantities.Quantity, w *stats.Workspace) { fmt.Println(i, q.Summary(w).Mean) })
package quantities

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// Selected is a variable of a run with the selected elements.
type Selected struct {
	Variable types.Variable
	Elements []int // row-major positions, from 0
}

// placeCost is the memory that a selected element needs, in bytes: its position, and its name during the search.
const placeCost = 64

// Select returns the variables and elements with the given names, in the order of the names: "theta" is a variable,
// "theta[2]" or "a[AITKIN]" an element. Without names it returns all variables. An unknown name is an error that
// suggests a similar name.
func Select(vs []types.Variable, names []string, r *store.Run) (chosen []Selected, err error) {
	all := 0
	for _, v := range vs {
		all += v.Size()
	}
	if err := r.NeedMemory(all, placeCost); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		for _, v := range vs {
			chosen = append(chosen, whole(v))
		}
		return chosen, nil
	}
	for _, name := range names {
		s, ok := find(vs, strings.ReplaceAll(name, " ", ""))
		if !ok {
			return nil, unknownName(vs, name, r)
		}
		chosen = append(chosen, s)
	}
	return chosen, nil
}

func whole(v types.Variable) Selected {
	s := Selected{Variable: v}
	for i := range v.Size() {
		s.Elements = append(s.Elements, i)
	}
	return s
}

// find looks up a variable or an element. It ignores spaces and quotes in labels.
func find(vs []types.Variable, name string) (Selected, bool) {
	for _, v := range vs {
		if v.Name == name {
			return whole(v), true
		}
		if !strings.HasPrefix(name, v.Name+"[") {
			continue
		}
		want := strings.ReplaceAll(name, `"`, "")
		for i := range v.Size() {
			if strings.ReplaceAll(v.Element(i), " ", "") == want {
				return Selected{v, []int{i}}, true
			}
		}
	}
	return Selected{}, false
}

func unknownName(vs []types.Variable, name string, r *store.Run) error {
	if err := r.NotKept(name); err != nil {
		return Unusable{err.Error()}
	}
	var known []string
	for _, v := range vs {
		known = append(known, v.Name)
		if strings.HasPrefix(name, v.Name+"[") {
			for i := range v.Size() {
				known = append(known, v.Element(i))
			}
		}
	}
	return Unusable{fmt.Sprintf("%s has no `%s`; %s", r.Dir, name,
		diag.MeantAmong(known, "`%s`", name, "it has "+strings.Join(variableNames(vs), ", ")))}
}

func variableNames(vs []types.Variable) (names []string) {
	for _, v := range vs {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// Unusable is the error for a run or a request that an analysis cannot use. Files that cannot be read give other
// errors.
type Unusable struct{ Reason string }

func (u Unusable) Error() string { return u.Reason }

// SameValues compares data. Two missing values (NaN) are equal.
func SameValues(xs, ys []float64) bool {
	return slices.EqualFunc(xs, ys, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}
