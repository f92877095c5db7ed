package autodiff

// Kind is what an op computes.
type Kind uint8

// Leaves, elementwise ops, movement of elements, reductions, linear algebra.
const (
	OpConst Kind = iota // Op.Value in every element
	OpData              // Op.Values, shared by all lanes
	OpInput             // Op.Name, a lane buffer
	OpNoise             // Op.Name is "normal" or "uniform"; Op.Site tells noises apart

	OpNeg
	OpAbs
	OpSign
	OpFloor
	OpCeil
	OpRound
	OpExp
	OpLog
	OpLog1p
	OpExpm1
	OpSqrt
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpSinh
	OpCosh
	OpTanh
	OpSigmoid
	OpSoftplus   // log(1 + eˣ)
	OpLogSigmoid // −log(1 + e⁻ˣ)
	OpLgamma
	OpDigamma
	OpTrigamma
	OpErf
	OpErfc
	OpLogNormCDF
	OpNormQuantile
	OpNot
	OpIsFinite

	OpAdd
	OpSub
	OpMul
	OpDiv
	OpPow
	OpMod
	OpMaximum
	OpMinimum
	OpLt
	OpLe
	OpEq
	OpMulZero // x·y, but 0 where x = 0: the chain rule past a branch not taken

	OpSelect // a ≠ 0 ? b : c

	OpBroadcast  // to Op.Shape; axis k of the argument becomes axis Op.Axes[k]
	OpPermute    // axis k of the result is axis Op.Axes[k] of the argument
	OpReshape    // to Op.Shape, row-major
	OpSlice      // [Op.Lo[k], Op.Hi[k]) of axis k
	OpPad        // zeros: Op.Lo[k] before and Op.Hi[k] after on axis k
	OpConcat     // of all arguments along Op.Axes[0]
	OpGather     // args x, i…: the leading len(i) axes of x are indexed by i… (0-based, equal shapes S); result S + rest
	OpScatterAdd // args y, i…: adjoint of Gather, result Op.Shape

	OpSum       // over Op.Axes
	OpMax       // over Op.Axes
	OpMin       // over Op.Axes
	OpLogSumExp // over Op.Axes
	OpCumSum    // inclusive, along Op.Axes[0]; from the end when Op.Reverse

	OpMatMul   // [B…, M, K] · [B…, K, N]; Op.TransA, Op.TransB say the stored matrix is the transpose
	OpCholesky // lower factor of [B…, N, N]
	OpTriSolve // args L [B…, N, N], B [B…, N, M]: L⁻¹B, or L⁻ᵀB when Op.TransA

	numKinds
)

// Kinds is the number of kinds, for tables indexed by Kind.
const Kinds = int(numKinds)
