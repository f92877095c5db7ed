package analysis

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"ppl/app"
	"ppl/compiler"
	"ppl/compiler/predict/query"
	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// A drawSource provides the draws for a question: all draws, or evenly spaced ones of a long run.
type drawSource struct {
	*Run
	some  *store.Run
	every int // distance between these draws
}

// sourceFor chooses the draws for a question about the first shown elements, within the memory limit. It writes a note
// if not all draws are used.
func (o *Run) sourceFor(q *query.Query, question *compiler.Question, shown int) drawSource {
	reads, values := question.Reads(), 2*shown
	if c := question.Completion(); c != nil {
		reads = c.Saved()
	}
	if q.Form == query.Rank {
		values *= 4
	}
	for _, v := range reads {
		values += v.Size()
	}
	memory := cmp.Or(o.Memory, quantities.UsualMemory)
	some, every := o.Stored.Within(int(memory) / (quantities.DrawCost + 8*values))
	if every > 1 {
		o.notes.Note(fmt.Sprintf("only one of every %d draws of each chain is used; --max-memory SIZE allows more",
			every))
	}
	return drawSource{o, some, every}
}

// Draws returns the chosen draws of a variable.
func (s drawSource) Draws(name string) ([][]float64, error) {
	if s.every == 1 {
		return s.Run.Draws(name)
	}
	k := slices.IndexFunc(s.added, func(v types.Variable) bool { return v.Name == name })
	if k < 0 {
		return s.some.Draws(name)
	}
	chains, size := s.draws[name], s.added[k].Size()
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for d := 0; (d+1)*size <= len(xs); d += s.every {
			out[c] = append(out[c], xs[d*size:(d+1)*size]...)
		}
	}
	return out, nil
}

// stream returns the random stream that the run used for generated quantities at a draw.
func (s drawSource) stream(chain, draw int) *rand.Rand {
	return app.GeneratedStream(s.Stored.Info.Seed, chain, draw*s.every)
}
