package dataset

import (
	"math"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// An Imputed represents the missing entries of an array by a separate parameter, which the array reads where its data
// are missing. Param has no elements if nothing is missing.
type Imputed struct {
	Of    *model.Array
	Param *model.Array
	Piece *model.Piece // the only piece of Param
	At    []int        // row-major positions of the missing entries
}

// findImputed creates a parameter for the missing entries of every imputed array.
func (d *Dataset) findImputed() map[*model.Array]*Imputed {
	all := map[*model.Array]*Imputed{}
	for _, t := range d.Model.Terms {
		if t.Array.Role == model.Imputed {
			all[t.Array] = d.imputed(t)
		}
	}
	return all
}

func (d *Dataset) imputed(t *model.Term) *Imputed {
	h := &Imputed{Of: t.Array}
	for i, v := range d.Arrays[t.Array].Values.All() {
		if math.IsNaN(v) {
			h.At = append(h.At, i)
		}
	}
	set := &model.Set{Name: t.Array.Name + "_missing", Lo: &model.Num{Value: 1},
		Hi: &model.Num{Value: float64(len(h.At))}, Key: "missing values of " + t.Array.Name}
	index := &model.Index{Set: set, ID: 1 << 30} // larger than the ID of every index of the model
	h.Param = &model.Array{Name: t.Array.Name, At: t.Array.At, Role: model.Parameter, Save: true, Type: t.Array.Type}
	h.Param.Type.Axes = []*model.Set{set}
	term := &model.Term{At: t.At, Array: h.Param, Dist: t.Dist, Form: t.Form, In: t.In, Plates: []*model.Index{index}}
	// elements of vectors are scalar parameters; the distribution of the vectors supplies their density
	if t.Dist.Event > 0 {
		term.Dist = stdlib.Dists()["Flat"]
		term.Form = &term.Dist.Forms[0]
	}
	h.Piece = &model.Piece{At: t.At, Slots: []model.Slot{{Index: index}}, Plates: term.Plates, Term: term}
	term.Piece, h.Param.Pieces = h.Piece, []*model.Piece{h.Piece}
	return h
}

// Labels returns a label for each missing entry: its subscripts (from 1) in an array of the given shape, such as "2,3".
func (h *Imputed) Labels(shape []int) []string {
	out := make([]string, len(h.At))
	for k, i := range h.At {
		var at []string
		for d := len(shape) - 1; d >= 0; d-- {
			at = append([]string{strconv.Itoa(i%shape[d] + 1)}, at...)
			i /= shape[d]
		}
		out[k] = strings.Join(at, ",")
	}
	return out
}
