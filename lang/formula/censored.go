package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A censored is the first column of cens(): the kind of censoring of each row.
type censored struct {
	*equation
	node   *node
	column *Column
	kinds  []string // left, none, right or interval for each row; "" if the column has no value
}

// codes maps the kinds of censoring in cens() to the numbers that may be used instead.
func codes() map[string]float64 {
	return map[string]float64{"left": -1, "none": 0, "right": 1, "interval": 2}
}

// readKinds reads a column of the words or the numbers of codes. It reports an error for other values.
func (w *equation) readKinds(n *node) censored {
	c := censored{equation: w, node: n, column: w.column(n)}
	words := map[float64]string{}
	for word, code := range codes() {
		if c.column.Levels != nil {
			code = float64(slices.Index(c.column.Levels, word) + 1)
		}
		words[code] = word
	}
	for i, v := range c.column.Values {
		kind := words[v]
		if kind == "" && !math.IsNaN(v) {
			w.fail(n, fmt.Sprintf("`%s` must be none, right, left or interval (as numbers: 0, 1, -1 or 2) in each "+
				"row; row %d has another value", c.column.Name, i+1), "")
		}
		c.kinds = append(c.kinds, kind)
	}
	return c
}

// has reports whether some row has a kind.
func (c censored) has(kind string) bool { return slices.Contains(c.kinds, kind) }

// is returns the condition that row i has the given kind.
func (c censored) is(word string) string {
	if c.column.Levels != nil {
		return fmt.Sprintf("%s[i] == %s", c.factor(c.node).name, strconv.Quote(word))
	}
	return fmt.Sprintf("%s[i] == %v", c.number(c.node).name, codes()[word])
}

// censoring reads cens(c), or cens(c, upper) if some values are only known to lie in an interval.
func (w *equation) censoring(n *node) {
	if len(n.args) < 1 || len(n.args) > 2 {
		w.fail(n, "cens takes one or two columns", "write cens(kind), with none, right or left in each row, or "+
			"cens(kind, upper) if kind is interval in some rows; upper has the upper ends of these intervals")
	}
	arg := n.args[0].inner()
	c := w.readKinds(arg)
	if c.has("interval") && len(n.args) < 2 {
		w.fail(n,
			fmt.Sprintf("`%s` has rows with intervals, but cens has no column of their upper ends", c.column.Name),
			fmt.Sprintf("write cens(%s, upper)", arg))
	}
	switch {
	case w.family.hazard:
		c.hazard()
	case c.has("interval"):
		c.intervals(n.args[1].inner())
	default:
		c.limits()
	}
}

// lowest returns the lower bound of left-censored values: 0 for families of positive or nonnegative numbers and of
// counts, and otherwise -inf.
func (f *family) lowest() string {
	if slices.Contains([]outcome{positiveOutcome, nonNegativeOutcome, countOutcome}, f.takes) {
		return "0"
	}
	return "-inf"
}

// limits describes values that are censored on the left or on the right. It defines arrays of lower and upper limits,
// which are infinite in rows that are not censored on that side.
func (c censored) limits() {
	low, high, y := c.family.lowest(), "inf", &c.outcome
	if c.has("left") {
		lower := c.define("lower", fmt.Sprintf("%s ? %s[i] : -inf", c.is("left"), y.name), nil)
		low = lower.name + "[i]"
	}
	if c.has("right") {
		upper := c.define("upper", fmt.Sprintf("%s ? %s[i] : inf", c.is("right"), y.name), nil)
		high = upper.name + "[i]"
	}
	y.known = " censored " + low + ".." + high
}

// intervals defines the lower and the upper end of each value's interval. The ends are equal if the value is known.
func (c censored) intervals(ends *node) {
	y, upper := &c.outcome, c.number(ends)
	for i, v := range upper.values {
		if low := y.column.Values[i]; c.kinds[i] == "interval" && v <= low {
			c.fail(ends, fmt.Sprintf("the interval in row %d, from %v to %v, is empty", i+1, low, v),
				"the upper end must be greater than the outcome, which is the lower end")
		}
	}
	text := fmt.Sprintf("%s ? %s[i] : ", c.is("interval"), upper.name)
	if c.has("right") {
		text += c.is("right") + " ? inf : "
	}
	y.known = fmt.Sprintf(" upto %s[i]", c.define("upper", text+y.name+"[i]", nil).name)
	if c.has("left") {
		y.lower = c.define("lower", fmt.Sprintf("%s ? %s : %s[i]", c.is("left"), c.family.lowest(), y.name), nil).name
	}
}

// hazard defines the rows in which the time is that of an event. It reports an error for kinds other than none and
// right.
func (c censored) hazard() {
	for _, word := range []string{"left", "interval"} {
		if c.has(word) {
			c.fail(c.node, fmt.Sprintf("`%s` has rows with %s censoring, and the family cox supports only right "+
				"censoring", c.column.Name, word), "take the family weibull")
		}
	}
	events := c.define("event", c.is("right")+" ? 0 : 1", nil)
	h := &c.equation.hazard
	h.events = events.name + "[i]"
	h.isEvent = make([]bool, len(c.kinds))
	for i := range h.isEvent {
		h.isEvent[i] = c.kinds[i] == "none"
	}
}
