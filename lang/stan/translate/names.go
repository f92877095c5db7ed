package translate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// carriedMark begins the name of what a loop carries from one turn to the next, until the end of the loop shows
// how it is written.
const carriedMark = "\x01"

// names gives out names that nothing else has.
type names struct {
	taken map[string]bool
}

// reserved are the words of ppl that no value may have as its name, and the functions that translations call.
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

// reserveWords keeps the names of functions in a text free.
func (n *names) reserveWords(text string) {
	for _, w := range words.FindAllString(text, -1) {
		n.taken[w] = true
	}
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

// take returns a name that is not taken, like the given one.
func (n *names) take(like string) string {
	name := like
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", strings.TrimSuffix(like, "_"), i)
	}
	n.taken[name] = true
	return name
}

// isReference reports a name, or one element by its subscripts.
func isReference(text string) bool {
	at := strings.IndexByte(text, '[')
	if text == "" || at == 0 {
		return false
	}
	if at < 0 {
		return !strings.ContainsAny(text, " ()+-*/^?,")
	}
	if strings.ContainsAny(text[:at], " ()+-*/^?,") || !strings.HasSuffix(text, "]") {
		return false
	}
	depth := 0
	for i, c := range text[at:] {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 && at+i != len(text)-1 {
				return false
			}
		}
	}
	return true
}

var shifted = regexp.MustCompile(`([\[,(] ?)\((\w+) ([-+]) (\d+)\) ([-+]) (\d+)`)

// simplified adds up the constants of what a substitution wrote, such as (i - 1) + 1.
func simplified(text string) string {
	return shifted.ReplaceAllStringFunc(text, func(found string) string {
		m := shifted.FindStringSubmatch(found)
		first, _ := strconv.Atoi(m[3] + m[4])
		second, _ := strconv.Atoi(m[5] + m[6])
		switch sum := first + second; {
		case sum == 0:
			return m[1] + m[2]
		case sum < 0:
			return fmt.Sprintf("%s%s - %d", m[1], m[2], -sum)
		default:
			return fmt.Sprintf("%s%s + %d", m[1], m[2], sum)
		}
	})
}
