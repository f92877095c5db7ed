package adapt

import (
	"math"
	"testing"
)

// A density is a log density with its gradient.
type density func(x []float64) (float64, []float64)

func (d density) evaluate(at [][]float64) (densities []float64, gradients [][]float64, err error) {
	for _, x := range at {
		f, g := d(x)
		densities, gradients = append(densities, f), append(gradients, g)
	}
	return densities, gradients, nil
}

// identical returns the posterior of n equal measurements, in the coordinates mean, with a flat prior, and u = log s,
// with s ~ HalfNormal(1). Its integral over the mean is proportional to s^(2 − n) at small s.
func identical(n, value float64) density {
	return func(x []float64) (float64, []float64) {
		u, r := x[1], x[0]-value
		s := math.Exp(u)
		return -s*s/2 + u - n*u - n*r*r/(2*s*s), []float64{-n * r / (s * s), -s*s + 1 - n + n*r*r/(s*s)}
	}
}

// line is the posterior of a regression line with flat priors for intercept and slope, in the coordinates intercept,
// log s and slope, with s ~ HalfCauchy(2.5). Its twenty points have residuals of .0003, so s is about e^−8.
func line(x []float64) (f float64, g []float64) {
	s := math.Exp(x[1])
	f, g = x[1]-math.Log1p(s*s/6.25), []float64{0, 1 - 2*s*s/6.25/(1+s*s/6.25), 0}
	for i := range 20 {
		at := 1962 + float64(i)
		r := (3 + .1*at + .0003*math.Sin(float64(3*i)) - x[0] - x[2]*at) / s
		f += -x[1] - r*r/2
		g[0] += r / s
		g[1] += r*r - 1
		g[2] += r / s * at
	}
	return f, g
}

// power returns the density of u = log s, if s has a Gamma distribution of shape a, and of an independent normal.
func power(a float64) density {
	return func(x []float64) (float64, []float64) {
		return a*x[1] - math.Exp(x[1]) - x[0]*x[0]/2, []float64{-x[0], a - math.Exp(x[1])}
	}
}

// schools is the posterior of the eight schools in centred form: a mean, the log of the standard deviation tau ~
// HalfNormal(5), and the effects.
func schools(x []float64) (f float64, g []float64) {
	y := []float64{28, 8, -3, 7, -1, 1, 18, 12}
	sd := []float64{15, 10, 16, 11, 9, 11, 10, 18}
	m, tau := x[0], math.Exp(x[1])
	g = make([]float64, len(x))
	f, g[0], g[1] = -m*m/50-tau*tau/50+x[1], -m/25, -tau*tau/25+1
	for i := range y {
		b, r := (x[2+i]-m)/tau, (y[i]-x[2+i])/sd[i]
		f += -x[1] - b*b/2 - r*r/2
		g[0] += b / tau
		g[1] += b*b - 1
		g[2+i] = -b/tau + r/sd[i]
	}
	return f, g
}

// TestImproperAtAnEnd checks that posteriors without a finite integral at the end of the support of a standard
// deviation are distinguished from those whose density is only infinite there. Planted fault: judged by the density
// alone, the eight schools would be refused.
func TestImproperAtAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		of   density
		dim  int
		want bool
	}{
		"one measurement":         {identical(1, 2), 2, false},
		"two, identical":          {identical(2, 2), 2, true},
		"five, identical":         {identical(5, 2), 2, true},
		"five, identical, of 1e6": {identical(5, 1e6), 2, true},
		"the eight schools":       {schools, 10, false},
		"a line":                  {line, 3, false},
		"shape of .005":           {power(.005), 2, false},
		"no shape":                {power(0), 2, true},
	} {
		bounded, visited := make([]bool, c.dim), make([][]float64, 200)
		bounded[1] = true
		for i := range visited {
			visited[i] = make([]float64, c.dim)
			for j := range visited[i] {
				visited[i][j] = 2 + 1e-3*math.Sin(float64(7*i+j))
			}
			visited[i][1] = 20 - float64(i)/4.5 // from e^20 to e^−25
		}
		o, err := new(Divergence).Improper(visited, bounded, c.of.evaluate)
		if err != nil || (o != nil) != c.want || o != nil && (o.Coordinate != 1 || o.Up) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	var heights []float64
	for u := 0.0; u > -places; u-- {
		at := make([]float64, 10)
		at[1] = u
		f, _ := schools(at)
		heights = append(heights, f)
	}
	if judged(heights) != flat {
		t.Error("the planted fault is not detected: the density of the eight schools falls towards the end")
	}
}
