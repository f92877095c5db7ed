package modelgen

import (
	"math/rand/v2"
	"strings"
)

// Model returns a random model. The first random choices are taken from the bytes, the others from the seed.
func Model(seed uint64, choices []byte) string {
	w := &writer{rand: rand.New(&source{choices, rand.NewPCG(seed, 0x6d6f64656c)})}
	w.sizes()
	w.givens()
	motifs := motifs()
	for _, m := range w.rand.Perm(len(motifs))[:2+w.rand.IntN(4)] {
		motifs[m](w)
	}
	w.observation()
	for range w.rand.IntN(3) {
		w.generated()
	}
	if w.chance(2) { // order does not matter
		w.rand.Shuffle(len(w.text), func(i, j int) { w.text[i], w.text[j] = w.text[j], w.text[i] })
	}
	return strings.Join(append(w.text, w.after...), "\n") + "\n"
}

func motifs() []func(*writer) {
	again := (*writer).parameter
	return []func(*writer){again, again, (*writer).vectors, (*writer).constrained, (*writer).function,
		(*writer).function,
		func(w *writer) {
			w.definition(false)
		}, func(w *writer) { w.definition(false) }, (*writer).series, (*writer).recurrence,
		(*writer).pieces, (*writer).missing, (*writer).byFormula, (*writer).mixture, (*writer).outer, (*writer).chain,
		(*writer).template, (*writer).hidden, (*writer).counts, (*writer).observation, (*writer).limits,
		(*writer).process}
}
