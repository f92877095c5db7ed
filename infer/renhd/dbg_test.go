package renhd

import (
	"fmt"
	"os"
	"ppl/infer/stats"
)

func init() {
	if os.Getenv("DBG") != "" {
		debugTune = func(t *tuner) {
			w := t.walkers
			acc := 0.0
			for _, m := range t.moved {
				acc += m
			}
			fmt.Printf("sweeps %d alone %v rungs %d steps:", t.sweeps, t.alone, len(w.rungs))
			for _, r := range w.rungs {
				fmt.Printf(" %.3g", r.step)
			}
			fmt.Printf(" moved %.2f  N=%d lp:", acc/float64(w.lanes()*t.sweeps), t.run.steps(t.most))
			for l := range t.density {
				fmt.Printf(" %.3g", t.density[l][len(t.density[l])-1])
				if l > 7 {
					break
				}
			}
			fmt.Printf(" rhat %.2f", stats.RHat(t.density))
			fmt.Println(" rates", t.exchange.rates())
			m := w.rungs[0].metric
			for i := 0; i < m.Dim && i < 6; i++ {
				s := 0.0
				for j := range m.Dim {
					if m.Rank < 0 {
						s += m.Factor[i*m.Dim+j] * m.Factor[i*m.Dim+j]
					}
				}
				fmt.Printf(" %.3g", s)
			}
			fmt.Println()
		}
	}
}
