package autodiff

// recur runs a Scan step by step.
func recur(n Node, args [][]float64) []float64 {
	body, size := n.op.Body, n.args[0].Size()
	out, steps := make([]float64, n.Size()), n.Shape()[0]-1
	row := func(t int) []float64 { return out[t*size : (t+1)*size] }
	from, to, first := 0, 1, 0
	if n.op.Reverse {
		from, to, first = 1, 0, steps
	}
	copy(row(first), args[0])
	inputs, step := map[string][]float64{}, NewRoutine(body.Next)
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
		copy(row(t+to), step.Eval(inputs)[0])
	}
	return out
}
