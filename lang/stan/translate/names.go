package translate

import (
	"fmt"
	"regexp"
	"strings"
)

// carriedMark begins the placeholder for a value that is carried between iterations. It is replaced at the end of the
// loop, when it is clear how the value is written.
const carriedMark = "\x01"

// names generates unique names.
type names struct {
	taken map[string]bool
}

// reserved has words of ppl that cannot name a value, and functions that translations call.
var reserved = strings.Fields(`data generate infer import in from return missing censored ordered zerosum noncentered
	pi inf true false sum prod mean sd var min max logsumexp log exp sqrt abs dot transpose cholesky inverse diag
	diagonal fill concat logpdf logcdf cdf softmax cumsum sigmoid logit log1p log1m expm1 square pow round trunc floor
	ceil mod choose sort rank quantile kron norm distance determinant log_determinant lgamma digamma factor`)

func newNames() *names {
	n := &names{taken: map[string]bool{}}
	for _, w := range reserved {
		n.taken[w] = true
	}
	for _, f := range numerics {
		n.reserveWords(f.text)
	}
	for _, f := range matrixCalls {
		n.reserveWords(f.text)
	}
	for _, f := range matrixFolds {
		n.reserveWords(f)
	}
	return n
}

// reserveWords reserves all words of a text.
func (n *names) reserveWords(text string) {
	for _, w := range words.FindAllString(text, -1) {
		n.taken[w] = true
	}
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

// take returns and reserves a free name that resembles the given one.
func (n *names) take(like string) string {
	name := like
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", strings.TrimSuffix(like, "_"), i)
	}
	n.taken[name] = true
	return name
}
