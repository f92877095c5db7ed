package autodiff

import (
	"slices"
	"sync"
)

// A Routine is a set of nodes prepared for repeated evaluation. It returns what Eval returns, but computes nodes that
// depend on no input only once, and uses the memory of all others again. Goroutines may use it at the same time.
type Routine struct {
	nodes   []routineNode // all needed nodes, arguments first
	results []int         // indices of the results in nodes
	frames  sync.Pool     // of *frame
}

// A routineNode is a node of a Routine.
type routineNode struct {
	Node
	args   []int     // indices of the arguments
	fixed  []float64 // value if it depends on no input, else nil
	kernel kernel    // nil for Inputs, Reshapes, and nodes with a fixed value
}

// A frame holds the values of all nodes during an evaluation.
type frame struct {
	values  [][]float64   // of each node; a Reshape has the memory of its argument
	args    [][][]float64 // values of each node's arguments
	numbers int           // number of values in the frame's own memory
}

// mostKept is the largest number of values in a frame that is kept for the next evaluation. A program may have many
// Routines, and allocating a larger frame takes little of the time of its evaluation.
const mostKept = 1 << 20

// take returns a frame for an evaluation.
func (r *Routine) take() *frame { return r.frames.Get().(*frame) }

// giveBack keeps a frame for the next evaluation, unless it is large.
func (r *Routine) giveBack(f *frame) {
	if f.numbers <= mostKept {
		r.frames.Put(f)
	}
}

// NewRoutine prepares nodes of one graph.
func NewRoutine(nodes ...Node) *Routine {
	r, seen := &Routine{}, map[*vertex]int{}
	for _, n := range nodes {
		r.results = append(r.results, r.addNode(n, seen))
	}
	r.frames.New = func() any { return r.newFrame() }
	return r
}

// addNode adds a node after its arguments and returns its index.
func (r *Routine) addNode(n Node, seen map[*vertex]int) int {
	if k, ok := seen[n.vertex]; ok {
		return k
	}
	added, values := routineNode{Node: n, args: make([]int, len(n.args))}, make([][]float64, len(n.args))
	fixed := n.op.Kind != OpInput
	for i, a := range n.args {
		added.args[i] = r.addNode(a, seen)
		values[i] = r.nodes[added.args[i]].fixed
		fixed = fixed && values[i] != nil
	}
	switch {
	case fixed:
		added.fixed = n.Compute(values...)
	case n.op.Kind != OpInput && n.op.Kind != OpReshape:
		added.kernel = kernelOf(n)
	}
	r.nodes = append(r.nodes, added)
	seen[n.vertex] = len(r.nodes) - 1
	return seen[n.vertex]
}

// newFrame returns a frame with the fixed values. Nodes of the same size share memory if no other node reads the first
// one after the second has been computed.
func (r *Routine) newFrame() *frame {
	f := &frame{values: make([][]float64, len(r.nodes)), args: make([][][]float64, len(r.nodes))}
	free, ends := map[int][][]float64{}, r.lastUses()
	for k, n := range r.nodes {
		switch {
		case n.fixed != nil:
			f.values[k] = n.fixed
		case n.op.Kind == OpReshape:
			f.values[k] = f.values[n.args[0]]
		default:
			f.values[k] = f.memoryFor(n, free)
		}
		for _, a := range n.args {
			f.args[k] = append(f.args[k], f.values[a])
		}
		for _, j := range ends[k] {
			size := len(f.values[j])
			free[size] = append(free[size], f.values[j])
		}
	}
	return f
}

// memoryFor returns memory for the value of a node, from the list of free memory by size if possible. Inputs are set
// before any node is computed, so they have memory that no other node has used.
func (f *frame) memoryFor(n routineNode, free map[int][][]float64) []float64 {
	list := free[n.Size()]
	if n.kernel == nil || len(list) == 0 {
		f.numbers += n.Size()
		return make([]float64, n.Size())
	}
	free[n.Size()] = list[:len(list)-1]
	return list[len(list)-1]
}

// lastUses returns for each node k the nodes with memory that no node after k reads.
func (r *Routine) lastUses() [][]int {
	last, owner := make([]int, len(r.nodes)), make([]int, len(r.nodes))
	for k, n := range r.nodes {
		owner[k], last[k] = k, k
		if n.op.Kind == OpReshape {
			owner[k] = owner[n.args[0]]
		}
		for _, a := range n.args {
			last[owner[a]] = k
		}
	}
	for _, k := range r.results {
		last[owner[k]] = len(r.nodes)
	}
	ends := make([][]int, len(r.nodes)+1)
	for k, n := range r.nodes {
		if n.kernel != nil {
			ends[last[k]] = append(ends[last[k]], k)
		}
	}
	return ends
}

// Eval computes the nodes, as the function Eval does.
func (r *Routine) Eval(inputs map[string][]float64) [][]float64 {
	f := r.take()
	for k, n := range r.nodes {
		if n.op.Kind == OpInput {
			v, ok := inputs[n.op.Name]
			if !ok || len(v) != n.Size() {
				bug("input %s has shape %v and %d values (given: %v)", n.op.Name, n.Shape(), len(v), ok)
			}
			copy(f.values[k], v)
		}
	}
	r.run(f)
	out := make([][]float64, len(r.results))
	for i, k := range r.results {
		out[i] = slices.Clone(f.values[k])
	}
	r.giveBack(f)
	return out
}

// run computes all nodes from the values of the inputs in a frame.
func (r *Routine) run(f *frame) {
	for k := range r.nodes {
		if compute := r.nodes[k].kernel; compute != nil {
			compute(f.values[k], f.args[k])
		}
	}
}

// input returns the index of the Input with the given name, or −1 if no node depends on it.
func (r *Routine) input(name string) int {
	return slices.IndexFunc(r.nodes, func(n routineNode) bool { return n.op.Kind == OpInput && n.op.Name == name })
}

// Numbers returns the total number of elements of all nodes that the given nodes depend on, which a Routine keeps in
// memory.
func Numbers(nodes ...Node) (n float64) {
	seen := map[*vertex]bool{}
	var visit func(Node)
	visit = func(x Node) {
		if seen[x.vertex] {
			return
		}
		seen[x.vertex] = true
		n += float64(x.Size())
		for _, a := range x.args {
			visit(a)
		}
	}
	for _, x := range nodes {
		visit(x)
	}
	return n
}
