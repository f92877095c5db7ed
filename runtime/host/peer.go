package host

import (
	"math"

	"ppl/compiler/backend/ir"
)

// peer copies values of another lane.
type peer struct {
	ir.Peer
	sizes []int // number of elements of each copy
}

func (s *peer) run(w *worker) {
	e := w.e
	for l := range e.Width {
		own := min(w.block.Lane0+l, e.Lanes-1)
		from := e.peerOf(own, s.Key, w.bufs[s.Want][l])
		for k, c := range s.Copies {
			to := w.bufs[c.To]
			for i := range s.sizes[k] {
				to[i*e.Width+l] = math.NaN()
				if from >= 0 {
					to[i*e.Width+l] = e.Blocks[from/e.Width].Bufs[c.From][i*e.Width+from%e.Width]
				}
			}
		}
	}
}

// peerOf returns the first lane of a lane's group whose key equals `want`; −1 if there is none.
func (e *executable) peerOf(lane int, key ir.BufID, want float64) int {
	first := lane - lane%e.group
	for at := first; at < min(first+e.group, e.Lanes); at++ {
		if e.Blocks[at/e.Width].Bufs[key][at%e.Width] == want {
			return at
		}
	}
	return -1
}
