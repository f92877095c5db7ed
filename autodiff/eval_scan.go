package autodiff

// recur evaluates a Scan.
func recur(n Node, args [][]float64) []float64 {
	step := NewRoutine(n.op.Body.Next)
	return Recur(n, args, func(inputs map[string][]float64) []float64 { return step.Eval(inputs)[0] })
}

// Recur evaluates a Scan step by step, for any type of number. next returns the carry after a step, given the values of
// the body's Inputs by name.
func Recur[T any](n Node, args [][]T, next func(inputs map[string][]T) []T) []T {
	body, size := n.op.Body, n.args[0].Size()
	out, steps := make([]T, n.Size()), n.Shape()[0]-1
	row := func(t int) []T { return out[t*size : (t+1)*size] }
	from, to, first := 0, 1, 0
	if n.op.Reverse {
		from, to, first = 1, 0, steps
	}
	copy(row(first), args[0])
	inputs := map[string][]T{}
	for k, s := range body.Shared {
		inputs[s.op.Name] = args[1+len(body.Xs)+k]
	}
	for turn := range steps {
		t := turn
		if n.op.Reverse {
			t = steps - 1 - turn
		}
		for k, x := range body.Xs {
			inputs[x.op.Name] = args[1+k][t*x.Size() : (t+1)*x.Size()]
		}
		inputs[body.Carry.op.Name] = row(t + from)
		copy(row(t+to), next(inputs))
	}
	return out
}
