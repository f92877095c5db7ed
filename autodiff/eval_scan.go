package autodiff

// scanKernel prepares the step of a Scan once.
func scanKernel(n Node) kernel {
	body := n.op.Body
	step := NewRoutine(body.Next)
	carryAt, xsAt, sharedAt := step.input(body.Carry.op.Name), step.inputsOf(body.Xs), step.inputsOf(body.Shared)
	return func(out []float64, args [][]float64) {
		f := step.take()
		for k, at := range sharedAt {
			f.set(at, args[1+len(body.Xs)+k])
		}
		Recur(n, args, out, func(carry []float64, xs [][]float64, next []float64) {
			f.set(carryAt, carry)
			for k, at := range xsAt {
				f.set(at, xs[k])
			}
			step.run(f)
			copy(next, f.values[step.results[0]])
		})
		step.giveBack(f)
	}
}

// inputsOf returns the indices of nodes of a Body that are Inputs, and −1 for constants and for Inputs that are not
// used.
func (r *Routine) inputsOf(nodes []Node) []int {
	at := make([]int, len(nodes))
	for k, n := range nodes {
		at[k] = r.input(n.op.Name)
	}
	return at
}

// set sets the value of an input; index −1 means that the input is not used.
func (f *frame) set(input int, v []float64) {
	if input >= 0 {
		copy(f.values[input], v)
	}
}

// Recur evaluates a Scan step by step into out, for any type of number. step computes next, the carry after a step,
// from the carry before it and the slices of the arrays of Body.Xs.
func Recur[T any](n Node, args [][]T, out []T, step func(carry []T, xs [][]T, next []T)) {
	body, size, steps := n.op.Body, n.args[0].Size(), n.Shape()[0]-1
	row := func(t int) []T { return out[t*size : (t+1)*size] }
	from, to, first := 0, 1, 0
	if n.op.Reverse {
		from, to, first = 1, 0, steps
	}
	copy(row(first), args[0])
	xs := make([][]T, len(body.Xs))
	for turn := range steps {
		t := turn
		if n.op.Reverse {
			t = steps - 1 - turn
		}
		for k, x := range body.Xs {
			xs[k] = args[1+k][t*x.Size() : (t+1)*x.Size()]
		}
		step(row(t+from), xs, row(t+to))
	}
}
