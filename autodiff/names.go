package autodiff

// The functions below are the elementwise ops by name, in which formulas are written.

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
func LambertW(x Node) Node     { return Unary(OpLambertW, x) }
func Not(x Node) Node          { return Unary(OpNot, x) }
func IsFinite(x Node) Node     { return Unary(OpIsFinite, x) }
func Single(x Node) Node       { return Unary(OpSingle, x) }
func Double(x Node) Node       { return Unary(OpDouble, x) }

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
