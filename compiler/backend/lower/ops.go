package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// An opRow gives the IR op of an elementwise kind and the approximate cost of an element, in additions.
type opRow struct {
	op   ir.Op
	cost float64
}

// elementwise has a row for every elementwise kind.
func elementwise(k autodiff.Kind) (opRow, bool) {
	row := opRows[k]
	return row, row.cost > 0
}

var opRows = [autodiff.Kinds]opRow{
	autodiff.OpNeg:          {ir.Neg, 1},
	autodiff.OpAbs:          {ir.Abs, 1},
	autodiff.OpSign:         {ir.Sign, 1},
	autodiff.OpFloor:        {ir.Floor, 1},
	autodiff.OpCeil:         {ir.Ceil, 1},
	autodiff.OpRound:        {ir.Round, 1},
	autodiff.OpExp:          {ir.Exp, 10},
	autodiff.OpLog:          {ir.Log, 10},
	autodiff.OpLog1p:        {ir.Log1p, 12},
	autodiff.OpExpm1:        {ir.Expm1, 12},
	autodiff.OpSqrt:         {ir.Sqrt, 4},
	autodiff.OpSin:          {ir.Sin, 12},
	autodiff.OpCos:          {ir.Cos, 12},
	autodiff.OpTan:          {ir.Tan, 15},
	autodiff.OpAsin:         {ir.Asin, 15},
	autodiff.OpAcos:         {ir.Acos, 15},
	autodiff.OpAtan:         {ir.Atan, 15},
	autodiff.OpSinh:         {ir.Sinh, 15},
	autodiff.OpCosh:         {ir.Cosh, 15},
	autodiff.OpTanh:         {ir.Tanh, 15},
	autodiff.OpSigmoid:      {ir.Sigmoid, 12},
	autodiff.OpSoftplus:     {ir.Softplus, 20},
	autodiff.OpLogSigmoid:   {ir.LogSigmoid, 20},
	autodiff.OpLgamma:       {ir.Lgamma, 40},
	autodiff.OpDigamma:      {ir.Digamma, 40},
	autodiff.OpTrigamma:     {ir.Trigamma, 40},
	autodiff.OpErf:          {ir.Erf, 20},
	autodiff.OpErfc:         {ir.Erfc, 20},
	autodiff.OpLogNormCDF:   {ir.LogNormCDF, 40},
	autodiff.OpNormQuantile: {ir.NormQuantile, 40},
	autodiff.OpLambertW:     {ir.LambertW, 80},
	autodiff.OpNot:          {ir.Not, 1},
	autodiff.OpIsFinite:     {ir.IsFinite, 1},
	autodiff.OpSingle:       {cost: 0.5}, // no op: only the types of the arguments change
	autodiff.OpDouble:       {cost: 0.5},
	autodiff.OpAdd:          {ir.Add, 1},
	autodiff.OpSub:          {ir.Sub, 1},
	autodiff.OpMul:          {ir.Mul, 1},
	autodiff.OpDiv:          {ir.Div, 4},
	autodiff.OpPow:          {ir.Pow, 30},
	autodiff.OpMod:          {ir.Mod, 6},
	autodiff.OpMaximum:      {ir.Maximum, 1},
	autodiff.OpMinimum:      {ir.Minimum, 1},
	autodiff.OpLt:           {ir.Lt, 1},
	autodiff.OpLe:           {ir.Le, 1},
	autodiff.OpEq:           {ir.Eq, 1},
	autodiff.OpMulZero:      {ir.MulZero, 1},
	autodiff.OpSelect:       {ir.Select, 1},
}

const (
	noiseCost   = 25
	shuffleCost = 80
)

// reductions gives how each reduction combines, between points of a kernel and between registers when it is unrolled.
var reductions = map[autodiff.Kind]struct {
	combine ir.Combine
	op      ir.Op
}{
	autodiff.OpSum: {ir.Sum, ir.Add},
	autodiff.OpMax: {ir.Max, ir.Maximum},
	autodiff.OpMin: {ir.Min, ir.Minimum},
}
