package bind

import (
	"math"
	"math/rand/v2"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// permuted returns an array with the values of some rows permuted, if the model says so:
//
//	data image[N, 28, 28], label[N]: index(0..9) permute 0.2 seed 1
//
// permutes the labels of a fifth of the images, so that one can see whether a method fits wrong labels. Rows and order
// depend only on the number of rows and the seed.
func (t *arrays) permuted(a *model.Array, x *content.Array) *content.Array {
	of := a.Permuted
	switch {
	case of == nil || len(x.Shape) == 0 || x.Shape[0] == 0:
		return x
	case x.Rows != nil:
		t.diags.Errorf(diag.RowsAtOnce, of.At, "%s is too large for memory, and values are permuted in files that are "+
			"read whole", x.Origin).Help("permute them in the file")
		return x
	case x.Lengths != nil:
		t.diags.Errorf(diag.RowsAtOnce, of.At, "`%s` has lists of different lengths, and `permute` exchanges rows of "+
			"one size", a.Name).Help("permute them in the file")
		return x
	}
	r := rand.New(rand.NewPCG(of.Seed, 18))
	rows := make([]int, x.Shape[0])
	for i := range rows {
		rows[i] = i
	}
	chosen := r.Perm(len(rows))[:int(math.Round(of.Share*float64(len(rows))))]
	r.Shuffle(len(chosen), func(i, j int) {
		rows[chosen[i]], rows[chosen[j]] = rows[chosen[j]], rows[chosen[i]]
	})
	y := *x
	y.Values = rowsOf(x, rows)
	t.diags.Notef(diag.OtherOrder, of.At, "%d of %d values of `%s` are in another order", len(chosen), len(rows),
		a.Name)
	return &y
}
