package check_test

import (
	"math"
	"testing"

	"ppl/compiler/compilertest"
)

// If a statement without indices reads a matrix with the same set on both axes, the axes are matched in order. An
// earlier version matched both axes with the first, so that each row read the diagonal.
func TestMatrixOverOneSetTwice(t *testing.T) {
	const head = "data Y[N, N] = [[1, 2], [3, 4]]\na ~ Normal(0, 1)\nmu[i in N, j in N] = a * i + 10 * j\n"
	want := 0.0
	for i, row := range [][]float64{{1, 2}, {3, 4}} {
		for j, y := range row {
			want += compilertest.NormalLog(y, 0.3*float64(i+1)+10*float64(j+1), 1)
		}
	}
	for _, line := range []string{"Y ~ Normal(mu, 1)\n", "Y[i in N, j in N] ~ Normal(mu[i, j], 1)\n"} {
		got := compilertest.LikelihoodAt(t, compilertest.Load(t, head+line), map[string]float64{"a": 0.3})
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%slog likelihood %v, want %v", line, got, want)
		}
	}
	for _, line := range []string{"y ~ Normal(mu, 1)\n", "y[i in N] ~ Normal(mu[i, i], 1)\n"} {
		codes := compilertest.ErrorCodes(t, "data y[N] = [1, 2]\n"+head[len("data Y[N, N] = [[1, 2], [3, 4]]\n"):]+line)
		if refused := len(codes) == 1 && codes[0] == "E41"; refused != (line[1] == ' ') {
			t.Errorf("%serrors %v", line, codes)
		}
	}
}
