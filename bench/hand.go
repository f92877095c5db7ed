package bench

import "math"

// byHand returns the densities as simple loops in Go. Each function returns the log density at theta and writes its
// gradient to grad.
func byHand() map[string]func(data [][]float64, theta, grad []float64) float64 {
	return map[string]func(data [][]float64, theta, grad []float64) float64{
		"poisson": poissonGo, "logistic": logisticGo, "mixture": mixtureGo, "eight_schools": eightSchoolsGo, "gp": gpGo,
		"volatility": volatilityGo}
}

var halfLog2Pi = 0.5 * math.Log(2*math.Pi)

// ridge returns the log density of standard normal coefficients, and writes its gradient to grad.
func ridge(theta, grad []float64) float64 {
	lp := 0.0
	for d, b := range theta {
		lp -= 0.5*b*b + halfLog2Pi
		grad[d] = -b
	}
	return lp
}

func poissonGo(data [][]float64, theta, grad []float64) float64 {
	lp, d := ridge(theta, grad)-data[2][0], len(theta)
	for i, y := range data[1] {
		x, eta := data[0][i*d:(i+1)*d], 0.0
		for j, b := range theta {
			eta += x[j] * b
		}
		rate := math.Exp(eta)
		lp += y*eta - rate
		for j := range grad {
			grad[j] += x[j] * (y - rate)
		}
	}
	return lp
}

func logisticGo(data [][]float64, theta, grad []float64) float64 {
	lp, d := ridge(theta, grad), len(theta)
	for i, y := range data[1] {
		x, eta := data[0][i*d:(i+1)*d], 0.0
		for j, b := range theta {
			eta += x[j] * b
		}
		e := math.Exp(-math.Abs(eta))
		p := 1 / (1 + e)
		if eta < 0 {
			p = e / (1 + e)
		}
		lp += y*eta - max(eta, 0) - math.Log1p(e)
		for j := range grad {
			grad[j] += x[j] * (y - p)
		}
	}
	return lp
}

func mixtureGo(data [][]float64, theta, grad []float64) float64 {
	center, level, inverse := data[1], data[2], data[3]
	var term, dx, dy [5]float64
	top := math.Inf(-1)
	for k := range term {
		dx[k], dy[k] = center[2*k]-theta[0], center[2*k+1]-theta[1]
		term[k] = level[k] - 0.5*inverse[k]*(dx[k]*dx[k]+dy[k]*dy[k])
		top = max(top, term[k])
	}
	sum := 0.0
	grad[0], grad[1] = 0, 0
	for k := range term {
		w := math.Exp(term[k] - top)
		sum += w
		grad[0] += w * inverse[k] * dx[k]
		grad[1] += w * inverse[k] * dy[k]
	}
	grad[0] /= sum
	grad[1] /= sum
	return top + math.Log(sum)
}

func eightSchoolsGo(data [][]float64, theta, grad []float64) float64 {
	y, inverse, z := data[0], data[1], theta[2:]
	mu, tau := theta[0], math.Exp(theta[1])
	over, gmu, gtau := 1/(1+tau*tau/25), -mu/25, 0.0
	lp := -0.02*mu*mu - halfLog2Pi - math.Log(5) + theta[1] + math.Log(2/(5*math.Pi)*over) - data[2][0]
	for j := range y {
		r := (y[j] - mu - tau*z[j]) * inverse[j]
		pull := r * inverse[j]
		lp -= 0.5*(r*r+z[j]*z[j]) + 2*halfLog2Pi
		gmu += pull
		gtau += pull * z[j]
		grad[2+j] = pull*tau - z[j]
	}
	grad[0], grad[1] = gmu, gtau*tau+1-2*tau*tau/25*over
	return lp
}

// gpGo computes the gradient from K⁻¹; see c/gp.c.
func gpGo(data [][]float64, theta, grad []float64) float64 {
	x, y, n := data[0], data[1], len(data[1])
	rho, alpha, sigma := math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2])
	k, l, w := square(n), square(n), square(n)
	lp := 0.0
	for i := range n {
		for j := range i + 1 {
			k[i][j] = alpha * alpha * math.Exp(-0.5*(x[i]-x[j])*(x[i]-x[j])/(rho*rho))
			s := k[i][j]
			if i == j {
				s += sigma
			}
			for m, v := range l[i][:j] {
				s -= v * l[j][m]
			}
			if i == j {
				l[i][i] = math.Sqrt(s)
				lp -= 0.5*math.Log(s) + halfLog2Pi
			} else {
				l[i][j] = s / l[j][j]
			}
		}
	}
	for j := range n { // w[j] is column j of l⁻¹
		w[j][j] = 1 / l[j][j]
		for i := j + 1; i < n; i++ {
			s := 0.0
			for m := j; m < i; m++ {
				s -= l[i][m] * w[j][m]
			}
			w[j][i] = s / l[i][i]
		}
	}
	z, a := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			z[i] += w[j][i] * y[j]
		}
		lp -= 0.5 * z[i] * z[i]
	}
	for j := range n {
		for i := j; i < n; i++ {
			a[j] += w[j][i] * z[i]
		}
	}
	drho, dalpha, dsigma := 0.0, 0.0, 0.0
	for i := range n {
		for j := range i + 1 {
			s := a[i] * a[j]
			for m := i; m < n; m++ {
				s -= w[i][m] * w[j][m]
			}
			if i == j {
				s /= 2
				dsigma += s
			}
			dalpha += s * k[i][j]
			drho += s * k[i][j] * (x[i] - x[j]) * (x[i] - x[j])
		}
	}
	gamma, _ := math.Lgamma(25)
	grad[0], grad[1], grad[2] = drho/(rho*rho)+25-4*rho, 2*dalpha-alpha*alpha/4+1, dsigma*sigma-sigma*sigma+1
	return lp + 25*theta[0] - 4*rho + 25*math.Log(4) - gamma - alpha*alpha/8 + theta[1] - sigma*sigma/2 + theta[2] -
		2*halfLog2Pi + math.Ln2
}

func square(n int) [][]float64 { return rows(make([]float64, n*n), n) }

func volatilityGo(data [][]float64, theta, grad []float64) float64 {
	y, z, dz := data[0], theta[3:], grad[3:]
	mu, s := theta[0], math.Exp(theta[2])
	up := 1 / (1 + math.Exp(-theta[1]))
	phi := 2*up - 1
	root := math.Sqrt(1 - phi*phi)
	lp := math.Log(up*(1-up)) - 0.02*mu*mu - math.Log(5) - 2*s*s + theta[2] + 2*math.Ln2 - 2*halfLog2Pi
	h, pull := make([]float64, len(y)), make([]float64, len(y))
	for t := range y {
		if t == 0 {
			h[0] = s / root * z[0]
		} else {
			h[t] = phi*h[t-1] + s*z[t]
		}
		w := y[t] * y[t] * math.Exp(-(mu + h[t]))
		lp -= 0.5*(w+h[t]+mu+z[t]*z[t]) + 2*halfLog2Pi
		pull[t] = 0.5*w - 0.5
	}
	back, gmu, gphi, gs := 0.0, -0.04*mu, 0.0, 0.0
	for t := len(y) - 1; t > 0; t-- {
		back = pull[t] + phi*back
		gmu += pull[t]
		gphi += back * h[t-1]
		gs += back * z[t]
		dz[t] = back*s - z[t]
	}
	back = pull[0] + phi*back
	gmu += pull[0]
	dz[0] = back*s/root - z[0]
	gs += back * z[0] / root
	gphi += back * h[0] * phi / (root * root)
	grad[0], grad[1], grad[2] = gmu, gphi*2*up*(1-up)+1-2*up, gs*s-4*s*s+1
	return lp
}
