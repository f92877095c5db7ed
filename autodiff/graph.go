// Package autodiff builds densities as Gorgonia expression graphs of our own ops and differentiates them in reverse.
//
// It is the only importer of Gorgonia. A graph describes the arithmetic of one lane; shapes are concrete; every value is a
// float64 array (booleans are 0 or 1, integers exact). Common subexpressions are merged in the builder, by kind, attributes
// and children. (API skeleton: bodies follow.)
package autodiff

// A Graph owns nodes.
type Graph struct{}

// New makes an empty graph.
func New() *Graph { panic("todo") }

// A Node is a handle to a value in a graph; comparable; the zero Node is "none".
type Node struct{ _ *int }

func (n Node) Valid() bool   { panic("todo") }
func (n Node) Graph() *Graph { panic("todo") }
func (n Node) Shape() []int  { panic("todo") } // do not modify
func (n Node) Size() int     { panic("todo") }
func (n Node) Rank() int     { panic("todo") }
func (n Node) Op() *Op       { panic("todo") } // do not modify
func (n Node) Args() []Node  { panic("todo") }
func (n Node) ID() int       { panic("todo") } // order of creation, hence topological

// IsConst reports whether every element is the same known number.
func (n Node) IsConst() (value float64, ok bool) { panic("todo") }

// Static reports whether the node depends on no Input and no Noise.
func (n Node) Static() bool { panic("todo") }

// An Op is a node's operation with its attributes; which fields matter depends on Kind.
type Op struct {
	Kind           Kind
	Value          float64
	Values         []float64
	Name           string
	Site           int
	Shape          []int
	Axes           []int
	Lo, Hi         []int
	Reverse        bool
	TransA, TransB bool
}

// Leaves.

func (g *Graph) Const(v float64) Node                                  { panic("todo") } // scalar
func (g *Graph) Full(v float64, shape ...int) Node                     { panic("todo") }
func (g *Graph) Data(name string, values []float64, shape ...int) Node { panic("todo") } // values are kept, not copied
func (g *Graph) Input(name string, shape ...int) Node                  { panic("todo") } // the same name twice is the same node
func (g *Graph) Iota(n int) Node                                       { panic("todo") } // 0, 1, …, n-1 (Data)
func (g *Graph) Normal(site int, shape ...int) Node                    { panic("todo") } // noise; one node per site
func (g *Graph) Uniform(site int, shape ...int) Node                   { panic("todo") }

// Nodes in order of creation.
func (g *Graph) Nodes() []Node { panic("todo") }

// Unary applies an elementwise kind OpNeg…OpIsFinite; Binary one of OpAdd…OpMulZero, broadcasting a scalar operand. Constants fold,
// and x+0, x·1, x−0, x/1 simplify.
func Unary(k Kind, x Node) Node     { panic("todo") }
func Binary(k Kind, x, y Node) Node { panic("todo") }

func Where(c, a, b Node) Node { panic("todo") } // c ≠ 0 ? a : b, scalars broadcast

// Movement.

func Broadcast(x Node, shape []int, axes []int) Node     { panic("todo") }
func Permute(x Node, perm ...int) Node                   { panic("todo") }
func Reshape(x Node, shape ...int) Node                  { panic("todo") }
func Slice(x Node, lo, hi []int) Node                    { panic("todo") }
func Pad(x Node, before, after []int) Node               { panic("todo") }
func Concat(axis int, xs ...Node) Node                   { panic("todo") }
func Gather(x Node, index ...Node) Node                  { panic("todo") }
func ScatterAdd(shape []int, y Node, index ...Node) Node { panic("todo") }

// Reductions drop their axes.

func Sum(x Node, axes ...int) Node               { panic("todo") }
func SumAll(x Node) Node                         { panic("todo") }
func Max(x Node, axes ...int) Node               { panic("todo") }
func Min(x Node, axes ...int) Node               { panic("todo") }
func LogSumExp(x Node, axes ...int) Node         { panic("todo") }
func CumSum(x Node, axis int, reverse bool) Node { panic("todo") }

// Linear algebra.

func MatMul(a, b Node, transA, transB bool) Node { panic("todo") }
func Cholesky(a Node) Node                       { panic("todo") }
func TriSolve(l, b Node, trans bool) Node        { panic("todo") }

// Grad is the gradient of the scalar y with respect to each of xs, zeros where there is no path. It can be called again.
func Grad(y Node, xs ...Node) []Node { panic("todo") }

// Eval computes nodes by a plain Go interpreter (reference and static values); inputs by name, one lane; noise panics.
func Eval(inputs map[string][]float64, nodes ...Node) [][]float64 { panic("todo") }

// Elementwise ops by name, the form formulas are written in.

func Neg(x Node) Node          { return Unary(OpNeg, x) }
func Abs(x Node) Node          { return Unary(OpAbs, x) }
func Sign(x Node) Node         { return Unary(OpSign, x) }
func Floor(x Node) Node        { return Unary(OpFloor, x) }
func Ceil(x Node) Node         { return Unary(OpCeil, x) }
func Round(x Node) Node        { return Unary(OpRound, x) }
func Exp(x Node) Node          { return Unary(OpExp, x) }
func Log(x Node) Node          { return Unary(OpLog, x) }
func Log1p(x Node) Node        { return Unary(OpLog1p, x) }
func Expm1(x Node) Node        { return Unary(OpExpm1, x) }
func Sqrt(x Node) Node         { return Unary(OpSqrt, x) }
func Sin(x Node) Node          { return Unary(OpSin, x) }
func Cos(x Node) Node          { return Unary(OpCos, x) }
func Tan(x Node) Node          { return Unary(OpTan, x) }
func Asin(x Node) Node         { return Unary(OpAsin, x) }
func Acos(x Node) Node         { return Unary(OpAcos, x) }
func Atan(x Node) Node         { return Unary(OpAtan, x) }
func Sinh(x Node) Node         { return Unary(OpSinh, x) }
func Cosh(x Node) Node         { return Unary(OpCosh, x) }
func Tanh(x Node) Node         { return Unary(OpTanh, x) }
func Sigmoid(x Node) Node      { return Unary(OpSigmoid, x) }
func Softplus(x Node) Node     { return Unary(OpSoftplus, x) }
func LogSigmoid(x Node) Node   { return Unary(OpLogSigmoid, x) }
func Lgamma(x Node) Node       { return Unary(OpLgamma, x) }
func Digamma(x Node) Node      { return Unary(OpDigamma, x) }
func Trigamma(x Node) Node     { return Unary(OpTrigamma, x) }
func Erf(x Node) Node          { return Unary(OpErf, x) }
func Erfc(x Node) Node         { return Unary(OpErfc, x) }
func LogNormCDF(x Node) Node   { return Unary(OpLogNormCDF, x) }
func NormQuantile(x Node) Node { return Unary(OpNormQuantile, x) }
func Not(x Node) Node          { return Unary(OpNot, x) }
func IsFinite(x Node) Node     { return Unary(OpIsFinite, x) }

func Add(x, y Node) Node     { return Binary(OpAdd, x, y) }
func Sub(x, y Node) Node     { return Binary(OpSub, x, y) }
func Mul(x, y Node) Node     { return Binary(OpMul, x, y) }
func Div(x, y Node) Node     { return Binary(OpDiv, x, y) }
func Pow(x, y Node) Node     { return Binary(OpPow, x, y) }
func Mod(x, y Node) Node     { return Binary(OpMod, x, y) }
func Maximum(x, y Node) Node { return Binary(OpMaximum, x, y) }
func Minimum(x, y Node) Node { return Binary(OpMinimum, x, y) }
func Lt(x, y Node) Node      { return Binary(OpLt, x, y) }
func Le(x, y Node) Node      { return Binary(OpLe, x, y) }
func Eq(x, y Node) Node      { return Binary(OpEq, x, y) }
func MulZero(x, y Node) Node { return Binary(OpMulZero, x, y) }
