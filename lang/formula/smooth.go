package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// addSpecial adds a spline or a Gaussian process. Another function has added offsets.
func (e *equation) addSpecial(p *predictor, n *node) {
	switch n.text {
	case "s":
		e.spline(p, n)
	case "gp":
		e.process(p, n)
	}
}

// A curve is a function of one quantity. With `by`, there is one for each level of a factor, or it is multiplied by a
// quantity.
type curve struct {
	x     numeric
	by    *factor
	times *numeric
	size  int // size of its basis
}

// curve reads the arguments of s and gp.
func (e *equation) curve(n *node, size int) curve {
	c := curve{size: size}
	for k, a := range n.args {
		a = a.inner()
		switch label := n.labels[k]; {
		case label == "" && k == 0:
			c.x = e.number(a)
		case label == "":
			e.fail(n, fmt.Sprintf("`%s` of several columns is not available", n.text),
				"write a term for each, or a Gaussian process of several columns with rbf in the model; ppl help rbf")
		case label == "k" && a.op == opNumber && a.number == math.Trunc(a.number) && a.number >= 3 && a.number <= 500:
			c.size = int(a.number)
		case label == "k":
			e.fail(a, "k, the size of the basis, must be a whole number from 3 to 500", "")
		case label == "by" && e.isFactor(a):
			c.by = e.factor(a)
			if len(c.by.levels) > manyLevels {
				e.fail(a, fmt.Sprintf("`%s` has %d levels, and each would have a separate curve", c.by.column,
					len(c.by.levels)), "leave out by, or join levels in the data")
			}
		case label == "by":
			v := e.number(a)
			c.times = &v
		case label == "bs" && slices.Contains([]string{"tp", "ts", "cr", "cs", "ps"}, a.text):
			// All of these penalise curvature.
		case label == "c" && n.text == "gp", label == "scale" && n.text == "gp":
		default:
			help := "the arguments are a column, k, by and bs; bs is one of tp, ts, cr, cs and ps"
			if n.text == "gp" {
				help = "the arguments are a column, k, by, c and scale"
			}
			e.fail(a, fmt.Sprintf("`%s` cannot have %s = %s", n.text, label, a), help)
		}
	}
	if len(n.args) == 0 {
		e.fail(n, fmt.Sprintf("`%s` needs a column", n.text), "")
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(present(c.x.values)))))
	if distinct < 4 {
		e.fail(n, fmt.Sprintf("`%s` has %d different values, and a curve needs at least 4", n.args[0], distinct),
			"write the column itself, or factor() of it")
	}
	if n.text == "s" {
		c.size = min(c.size, distinct)
	}
	return c
}

// levels has the texts by which a factor's levels index the coefficients of a curve. All are empty without a factor.
type levels struct {
	set     string // "F": index set in a declaration over all levels
	axis    string // "l in F": axis of a declaration that uses the level
	element string // "l": the level in that declaration
	row     string // "f[i]": the level of row i
}

func (c *curve) levels() levels {
	if c.by == nil {
		return levels{}
	}
	return levels{c.by.set, "l in " + c.by.set, "l", c.by.name + "[i]"}
}

// bracketed returns the nonempty indices in brackets, or "" if all are empty.
func bracketed(indices ...string) string {
	indices = slices.DeleteFunc(indices, func(index string) bool { return index == "" })
	if len(indices) == 0 {
		return ""
	}
	return "[" + strings.Join(indices, ", ") + "]"
}

// summand returns an expression at row i, multiplied by the numeric quantity of `by` if there is one.
func (c *curve) summand(at string) string {
	if c.times != nil {
		return c.times.name + "[i] * " + at
	}
	return at
}

// spline writes a penalised spline as a mixed model: a straight line and a sum of thin-plate splines with a common
// standard deviation (Crainiceanu, Ruppert and Wand, Bayesian analysis for penalized spline regression using WinBUGS,
// Journal of Statistical Software 14 (2005)). The columns of the basis are centred, and scaled so that this standard
// deviation is that of the curve about its line.
func (e *equation) spline(p *predictor, n *node) {
	const usual = 10 // mgcv's default size, which includes the intercept and the line
	c := e.curve(n, usual)
	by := c.levels()
	label := "s" + c.x.name
	if c.by != nil {
		label += c.by.name
	}
	if c.times != nil {
		label += c.times.name
	}
	basis, size := e.splineBasis(c)
	line, sds, effects := e.fresh(p.named("bs", label+"_1")), e.fresh(p.named("sds", label+"_1")),
		e.fresh(p.named("s", label+"_1"))
	words := shortest(p.spread)
	if p.words != "" {
		words += " " + p.words
	}
	e.prior(line, "b", line+bracketed(by.set),
		fmt.Sprintf("Normal(0, %s)", rounded(p.spread*p.scale/sdOf(c.x.values))),
		words+fmt.Sprintf(" / sd(%s)", c.x.name))
	e.prior(sds, "sds", sds+bracketed(by.set),
		fmt.Sprintf("Exponential(mean = %s)", rounded(p.scale)),
		strings.TrimSpace(p.words+" of the curve about its line"))
	e.statement(fmt.Sprintf("%s%s ~ Normal(0, %s%s)", effects, bracketed(fmt.Sprintf("k in 1..%d", size), by.axis), sds,
		bracketed(by.element)), "")
	name := e.fresh(p.named("curve", label))
	e.statement(fmt.Sprintf("%s[i in %s] = sum(k in 1..%d: %s%s * %s[i, k])", name, e.rows, size, effects,
		bracketed("k", by.row), basis), "")
	p.summands = append(p.summands, c.summand(fmt.Sprintf("%s%s * (%s[i] - mean(%[3]s))", line, bracketed(by.row),
		c.x.name)), c.summand(name+"[i]"))
}

// splineBasis defines the spline basis of a quantity, and returns its name and the number of its columns.
func (e *equation) splineBasis(c curve) (name string, size int) {
	size = max(c.size-2, 1)
	key := fmt.Sprintf("s(%s, %d)", c.x.name, size)
	if v, ok := e.numerics[key]; ok {
		return v.name, size
	}
	raw, centre := e.fresh("tp_"+c.x.name), e.fresh("centre_"+c.x.name)
	centred, scale := e.fresh("centred_"+c.x.name), e.fresh("size_"+c.x.name)
	name = e.fresh("basis_" + c.x.name)
	e.defined = append(e.defined,
		fmt.Sprintf("%s = tp(%s, %d)", raw, c.x.name, size),
		fmt.Sprintf("%s[k in 1..%d] = mean([i in %s: %s[i, k]])", centre, size, e.rows, raw),
		fmt.Sprintf("%s[i in %s, k in 1..%d] = %s[i, k] - %s[k]", centred, e.rows, size, raw, centre),
		fmt.Sprintf("%s = sqrt(mean([i in %s: sum(k in 1..%d: %s[i, k]^2)]))", scale, e.rows, size, centred),
		fmt.Sprintf("%s[i in %s, k in 1..%d] = %s[i, k] / %s", name, e.rows, size, centred, scale))
	e.numerics[key] = numeric{name: name}
	return name, size
}

// process writes a Gaussian process with squared-exponential covariance, approximated by sines on an interval around
// the data (Solin and Särkkä, Hilbert space methods for reduced-rank Gaussian process regression, Statistics and
// Computing 30 (2020) 419-446). Length scales are in the units of the column.
func (e *equation) process(p *predictor, n *node) {
	const usual = 20
	c := e.curve(n, usual)
	by := c.levels()
	x := c.x.name
	low, high := slices.Min(present(c.x.values)), slices.Max(present(c.x.values))
	half := (high - low) / 2
	edge := 1.5 * half
	label := "gp" + x
	if c.by != nil {
		label += c.by.name
	}
	basis, wave := e.waves(c, (low+high)/2, edge)
	sd, length, effects := e.fresh(p.named("sdgp", label)), e.fresh(p.named("lscale", label)),
		e.fresh(p.named("zgp", label))
	e.prior(sd, "sdgp", sd+bracketed(by.set), fmt.Sprintf("Exponential(mean = %s)", rounded(p.scale)), p.words)
	e.prior(length, "lscale", length+bracketed(by.set), fmt.Sprintf("InverseGamma(5, %s)", rounded(2*half)),
		fmt.Sprintf("mean a quarter of the range of %s", x))
	size, decay := e.fresh(p.named("size", label)), e.fresh(p.named("decay", label))
	name := e.fresh(p.named("curve", label))
	level, each := bracketed(by.element), bracketed(fmt.Sprintf("b in 1..%d", c.size), by.axis)
	e.statement(fmt.Sprintf("%s%s = %s%s * sqrt(sqrt(2 * pi) * %s%[4]s)", size, bracketed(by.axis), sd, level, length),
		"")
	e.statement(fmt.Sprintf("%s%s = exp(-(%s%s * %s[b])^2 / 4)", decay, each, length, level, wave), "")
	e.statement(fmt.Sprintf("%s%s ~ Normal(0, 1)", effects, each), "")
	read := bracketed("b", by.row)
	e.statement(fmt.Sprintf("%s[i in %s] = %s%s * sum(b in 1..%d: %s%s * %s%[7]s * %[9]s[i, b])", name, e.rows, size,
		bracketed(by.row), c.size, decay, read, effects, basis), "")
	p.summands = append(p.summands, c.summand(name+"[i]"))
}

// waves defines sines of a quantity that are 0 at distance edge from the middle of its range. It returns the names of
// the sines at each row and of their frequencies.
func (e *equation) waves(c curve, middle, edge float64) (basis, wave string) {
	x := c.x.name
	key := fmt.Sprintf("gp(%s, %d)", x, c.size)
	if v, ok := e.numerics[key]; ok {
		return v.name, "wave" + strings.TrimPrefix(v.name, "sines")
	}
	basis = e.fresh("sines_" + x)
	wave = "wave" + strings.TrimPrefix(basis, "sines")
	e.names[wave] = true
	e.defined = append(e.defined,
		fmt.Sprintf("%s[b in 1..%d] = pi * b / %s", wave, c.size, rounded(2*edge)),
		fmt.Sprintf("%s[i in %s, b in 1..%d] = sin(%s[b] * (%s[i]%s)) / sqrt(%s)", basis, e.rows, c.size, wave, x,
			less(middle-edge), rounded(edge)))
	e.numerics[key] = numeric{name: basis}
	return basis, wave
}
