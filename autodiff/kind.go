package autodiff

// Kind identifies the operation of a node.
type Kind uint8

// These are the kinds of leaves and noise. The elementwise kinds follow in elementwise.go.
const (
	OpConst     Kind = iota // Op.Value in every element
	OpData                  // Op.Values, shared by all lanes
	OpInput                 // lane buffer named Op.Name, or a buffer with one copy for all lanes if Op.Given
	OpNoise                 // Op.Name is "normal", "uniform" or "common"; Op.Site distinguishes noises
	OpAddressed             // args lane, step, point: uniform noise at that address and Op.Site
	OpShuffle               // args key, position: row at a position of an endless shuffled sequence of Op.Rows rows

	numLeaves = iota
)

// These are the kinds of element movement, reductions and linear algebra.
const (
	OpBroadcast Kind = iota + endElementwise // repeats to Op.Shape; axis k of the argument becomes axis Op.Axes[k]
	OpPermute                                // axis k of the result is axis Op.Axes[k] of the argument
	OpReshape                                // changes the shape to Op.Shape, row-major
	OpSlice                                  // elements [Op.Lo[k], Op.Hi[k]) of axis k
	OpPad                                    // adds zeros: Op.Lo[k] before and Op.Hi[k] after on axis k
	OpConcat                                 // joins all arguments along Op.Axes[0]
	// OpGather has args x, i…: the leading len(i) axes of x are indexed by i… (0-based, of equal shape S); the result
	// has shape S + the remaining axes.
	OpGather
	OpScatterAdd // args y, i…: adjoint of Gather, result Op.Shape

	OpSum       // sum over Op.Axes
	OpMax       // maximum over Op.Axes
	OpMin       // minimum over Op.Axes
	OpLogSumExp // log Σ exp over Op.Axes
	OpCumSum    // cumulative sum along Op.Axes[0], from the end if Op.Reverse

	OpMatMul       // [B…, M, K] · [B…, K, N]; Op.TransA, Op.TransB: the stored matrix is the transpose
	OpCholesky     // lower factor of [B…, N, N]
	OpEigen        // symmetric [B…, N, N] to [B…, N+1, N]: a row of eigenvalues, then eigenvectors
	OpTriSolve     // args L [B…, N, N], B [B…, N, M]: L⁻¹B, or L⁻ᵀB if Op.TransA
	OpCholeskyPull // args L, L̄ [B…, N, N]: the symmetric S with tril(2·S·L) = tril(L̄)

	OpScan // args c, xs…, shared…: carries of a recurrence by Op.Body from c along xs; from the end if Op.Reverse

	numKinds
)

// Kinds is the number of kinds, for tables indexed by Kind.
const Kinds = int(numKinds)

func (k Kind) String() string {
	if row := k.Row(); row != nil {
		return row.Name
	}
	return kinds[k].name
}

// A class separates the kinds with common code, unary and binary elementwise operations, from leaves and all others.
type class uint8

const (
	leaf class = iota
	unary
	binary
	other
)

// kinds has for each kind that is not elementwise its name, its class, and closed, which reports whether the value is
// finite for finite arguments; this decides how the chain rule multiplies. Overflow of sums and products is
// disregarded, but that of exp is not, because it occurs for moderate arguments.
var kinds = [numKinds]struct {
	name   string
	class  class
	closed bool
}{
	OpConst: {"const", leaf, true}, OpData: {"data", leaf, true}, OpInput: {"input", leaf, true},
	OpNoise:     {"noise", leaf, true},
	OpAddressed: {"addressed", other, true},
	OpShuffle:   {"shuffle", other, true},

	OpBroadcast: {"broadcast", other, true}, OpPermute: {"permute", other, true}, OpReshape: {"reshape", other, true},
	OpSlice: {"slice", other, true}, OpPad: {"pad", other, true}, OpConcat: {"concat", other, true},
	OpGather: {"gather", other, true}, OpScatterAdd: {"scatteradd", other, true},

	OpSum: {"sum", other, true}, OpMax: {"max", other, true}, OpMin: {"min", other, true},
	OpLogSumExp: {"logsumexp", other, true}, OpCumSum: {"cumsum", other, true},

	OpMatMul: {"matmul", other, true}, OpCholesky: {"cholesky", other, false}, OpEigen: {"eigen", other, false},
	OpTriSolve:     {"trisolve", other, false},
	OpCholeskyPull: {"choleskypull", other, false},

	OpScan: {"scan", other, true},
}

func (k Kind) class() class {
	if row := k.Row(); row != nil {
		return [...]class{1: unary, 2: binary, 3: other}[row.Arity()]
	}
	return kinds[k].class
}

func (k Kind) closed() bool {
	if row := k.Row(); row != nil {
		return row.closed
	}
	return kinds[k].closed
}

// truth reports whether values of the kind are always 0 or 1.
func (k Kind) truth() bool {
	row := k.Row()
	return row != nil && row.Truth
}

// commutes reports whether the two arguments can be swapped.
func (k Kind) commutes() bool {
	row := k.Row()
	return row != nil && row.commutes
}
