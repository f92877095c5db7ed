package autodiff

// Kind is what an op computes.
type Kind uint8

// Leaves and noise. The elementwise kinds follow, see elementwise.go.
const (
	OpConst     Kind = iota // Op.Value in every element
	OpData                  // Op.Values, shared by all lanes
	OpInput                 // Op.Name, a lane buffer
	OpNoise                 // Op.Name is "normal", "uniform" or "common"; Op.Site distinguishes noises
	OpAddressed             // args lane, step, point: uniform noise at that address, with Op.Site
	OpShuffle               // args key, position: the row, of Op.Rows, at a position of an endless shuffled sequence

	numLeaves = iota
)

// Movement of elements, reductions, linear algebra.
const (
	OpBroadcast Kind = iota + endElementwise // to Op.Shape; axis k of the argument becomes axis Op.Axes[k]
	OpPermute                                // axis k of the result is axis Op.Axes[k] of the argument
	OpReshape                                // to Op.Shape, row-major
	OpSlice                                  // [Op.Lo[k], Op.Hi[k]) of axis k
	OpPad                                    // zeros: Op.Lo[k] before and Op.Hi[k] after on axis k
	OpConcat                                 // joins all arguments along Op.Axes[0]
	// args x, i…: the leading len(i) axes of x are indexed by i… (0-based, equal shapes S); result S + rest
	OpGather
	OpScatterAdd // args y, i…: adjoint of Gather, result Op.Shape

	OpSum       // over Op.Axes
	OpMax       // over Op.Axes
	OpMin       // over Op.Axes
	OpLogSumExp // over Op.Axes
	OpCumSum    // each element added to those before it along Op.Axes[0], from the end when Op.Reverse

	OpMatMul       // [B…, M, K] · [B…, K, N]; Op.TransA, Op.TransB say the stored matrix is the transpose
	OpCholesky     // lower factor of [B…, N, N]
	OpEigen        // of a symmetric [B…, N, N] a row of eigenvalues, then the matrix of eigenvectors: [B…, N+1, N]
	OpTriSolve     // args L [B…, N, N], B [B…, N, M]: L⁻¹B, or L⁻ᵀB when Op.TransA
	OpCholeskyPull // args L, L̄ [B…, N, N]: the symmetric S with tril(2·S·L) = tril(L̄)

	OpScan // args c, xs…, shared…: all carries of a recurrence from c by Op.Body along xs; from the end when Op.Reverse

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

// class groups the kinds that are built, printed and evaluated alike.
type class uint8

const (
	leaf class = iota
	unary
	binary
	other
)

// kinds says of each kind that is not elementwise its name, its class, and whether its value is finite for finite
// arguments (closed), which decides how the chain rule multiplies. Overflow of sums and products is disregarded; that
// of exp is not, it comes early.
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

// truth reports kinds whose value is always 0 or 1.
func (k Kind) truth() bool {
	row := k.Row()
	return row != nil && row.Truth
}

// commutes reports kinds whose arguments can be swapped.
func (k Kind) commutes() bool {
	row := k.Row()
	return row != nil && row.commutes
}
