package host

// A loop runs its statements once per iteration.
type loop struct {
	turns   int
	reverse bool
	body    []statement
}

func (l *loop) run(w *worker) {
	for i := range l.turns {
		w.turn = i
		if l.reverse {
			w.turn = l.turns - 1 - i
		}
		for _, s := range l.body {
			s.run(w)
		}
	}
	w.turn = 0
}
