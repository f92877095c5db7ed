package compiler_test

// unknownCases returns predictions of models with discrete unknowns and missing entries: for the same unit, a new unit,
// and later times. Quantities that the model generates are conditioned on the data of the run, and so must the
// predictions be.
func unknownCases() []newDataCase {
	const chain = "data y[T]\nstay ~ Beta(20, 1)\nm[1..2] ~ Normal(5, 5) ordered\n" +
		"z[1] ~ Categorical([0.5, 0.5])\n" +
		"z[t in 2..T] ~ Categorical(z[t-1] == 1 ? [stay, 1 - stay] : [1 - stay, stay])\n" +
		"y[t in T] ~ Normal(m[z[t]], 1)\n"
	const later = "generate n[1] ~ Categorical(z[6] == 1 ? [stay, 1 - stay] : [1 - stay, stay])\n" +
		"generate n[t in 2..3] ~ Categorical(n[t-1] == 1 ? [stay, 1 - stay] : [1 - stay, stay])\n" +
		"generate again[t in 1..9] ~ Normal(m[t <= 6 ? z[min([t, 6])] : n[max([t - 6, 1])]], 1)\n"
	chainValues := map[string][]float64{"stay": {0.8}, "m": {0, 5}}
	const gap = "phi ~ Uniform(-1, 1)\ns ~ HalfNormal(1)\ny[1] ~ Normal(0, 1)\n" +
		"y[t in 2..T] ~ Normal(phi * y[t-1], s)\n"
	const gapLater = "generate f[1] ~ Normal(phi * y[5], s)\ngenerate f[2] ~ Normal(phi * f[1], s)\n" +
		"generate again[t in 1..2] ~ Normal(f[t], 1e-9)\n"
	gapValues := map[string][]float64{"phi": {0.8}, "s": {0.5}, "y": {1, 2}}
	return []newDataCase{
		{"rows after a change point of all rows", "data y[T]\nearly, late ~ Gamma(2, 0.5)\n" +
			"k ~ DiscreteUniform(1, T - 1)\ny[t in T] ~ Poisson(t <= k ? early : late)\n",
			`{"y": [2, 4, 3, 8, 9, 11]}`, `{"T": 5}`,
			"generate again[t in 1..5] ~ Poisson(t <= k ? early : late)\n",
			map[string][]float64{"early": {3.4}, "late": {9}}},
		{"sites, known and new", "data site[N]: index(S), seen[N]\npsi, p ~ Beta(2, 2)\n" +
			"occupied[s in S] ~ Bernoulli(psi)\nseen[n in N] ~ Bernoulli(occupied[site[n]] * p)\n",
			`{"site": ["A", "A", "B", "B", "C"], "seen": [0, 1, 0, 0, 0]}`, `{"site": ["B", "A", "NEW", "B", "NEW"]}`,
			"generate o ~ Bernoulli(psi)\nq = [occupied[2], occupied[1], o, occupied[2], o]\n" +
				"generate again[n in 1..5] ~ Bernoulli(q[n] * p)\n",
			map[string][]float64{"psi": {0.5}, "p": {0.6}}},
		{"sites with a predictor", "data site[N]: index(S), x[S], seen[N]\nb, p ~ Normal(0, 1)\n" +
			"occupied[s in S] ~ Bernoulli(logits = b * x[s])\nseen[n in N] ~ Bernoulli(occupied[site[n]] * " +
			"sigmoid(p))\n",
			`{"site": [1, 1, 2, 2], "x": [1, -1], "seen": [0, 1, 0, 0]}`,
			`{"site": [2, 3], "x": [1, -1, 2]}`,
			"generate o ~ Bernoulli(logits = b * 2)\nq = [occupied[2], o]\n" +
				"generate again[n in 1..2] ~ Bernoulli(q[n] * sigmoid(p))\n",
			map[string][]float64{"b": {0.5}, "p": {0.3}}},
		{"classes of persons, known and new", "data who[N]: index(P), item[N]: index(I), y[N]\nw ~ Beta(1, 1)\n" +
			"q[1..2, I] ~ Beta(1, 1)\nc[j in P] ~ Categorical([w, 1 - w])\n" +
			"y[n in N] ~ Bernoulli(q[c[who[n]], item[n]])\n",
			`{"who": ["a", "a", "b", "b"], "item": [1, 2, 1, 2], "y": [1, 1, 0, 1]}`,
			`{"who": ["b", "z", "z", "a"], "item": [1, 1, 2, 2]}`,
			"generate z ~ Categorical([w, 1 - w])\nk = [c[2], z, z, c[1]]\ni = [1, 1, 2, 2]\n" +
				"generate again[n in 1..4] ~ Bernoulli(q[k[n], i[n]])\n",
			map[string][]float64{"w": {0.4}, "q": {0.9, 0.7, 0.3, 0.2}}},
		{"new rows of a mixture", "data y[N]\nw[1..2] ~ Dirichlet([1, 1])\nm[1..2] ~ Normal(0, 3)\n" +
			"z[i in N] ~ Categorical(w)\ny[i in N] ~ Normal(m[z[i]], 0.7)\n", `{"y": [1, 1, 1]}`, `{"N": 2}`,
			"generate k[i in 1..2] ~ Categorical(w)\ngenerate again[i in 1..2] ~ Normal(m[k[i]], 0.7)\n",
			map[string][]float64{"w": {0.7, 0.3}, "m": {1, 4}}},
		{"new rows with zeros of two kinds", "data x[N], y[N]\ngate ~ Beta(1, 1)\nb ~ Normal(0, 1)\n" +
			"never[i in N] ~ Bernoulli(gate)\ny[i in N] ~ Poisson(never[i] == 1 ? 1e-9 : exp(b * x[i]))\n",
			`{"x": [1, 2], "y": [0, 3]}`, `{"x": [0, 2]}`,
			"v = [0, 2]\ngenerate k[i in 1..2] ~ Bernoulli(gate)\n" +
				"generate again[i in 1..2] ~ Poisson(k[i] == 1 ? 1e-9 : exp(b * v[i]))\n",
			map[string][]float64{"gate": {0.4}, "b": {0.5}}},
		{"a new pupil in a known school, and one in a new", "data school[P]: index(S), y[P]\nu, v ~ Beta(1, 1)\n" +
			"k[s in S] ~ Bernoulli(u)\nc[j in P] ~ Bernoulli(k[school[j]] == 1 ? v : 0.2)\n" +
			"y[j in P] ~ Normal(2 * c[j] + k[school[j]], 1)\n",
			`{"school": ["a", "a", "b"], "y": [2.1, 2.5, 0.1]}`, `{"school": ["a", "c", "b"]}`,
			"generate n ~ Bernoulli(u)\nh = [k[1], n, k[2]]\ngenerate d[j in 1..3] ~ Bernoulli(h[j] == 1 ? v : 0.2)\n" +
				"generate again[j in 1..3] ~ Normal(2 * d[j] + h[j], 1)\n",
			map[string][]float64{"u": {0.4}, "v": {0.8}}},
		{"counts of animals at sites, known and new", "data site[N]: index(S), seen[N]\nrate ~ Gamma(2, 0.5)\n" +
			"p ~ Beta(2, 2)\nn[s in S] ~ Poisson(rate) in 0..20\nseen[i in N] ~ Binomial(n[site[i]], p)\n",
			`{"site": ["A", "A", "B"], "seen": [4, 5, 1]}`, `{"site": ["A", "C", "B"]}`,
			"generate c ~ Poisson(rate) in 0..20\nk = [n[1], c, n[2]]\ngenerate again[i in 1..3] ~ Binomial(k[i], p)\n",
			map[string][]float64{"rate": {4}, "p": {0.5}}},
		{"effects and classes of groups", "data g[N]: index(J), y[N]\nw ~ Beta(1, 1)\ntau ~ HalfNormal(1)\n" +
			"a[J] ~ Normal(0, tau)\nc[j in J] ~ Bernoulli(w)\ny[n in N] ~ Normal(a[g[n]] + 3 * c[g[n]], 1)\n",
			`{"g": ["a", "a", "b"], "y": [2.1, 1.5, 0.1]}`, `{"g": ["b", "n", "a", "n"]}`,
			"generate e ~ Normal(0, tau)\ngenerate d ~ Bernoulli(w)\n" +
				"r = [a[2] + 3 * c[2], e + 3 * d, a[1] + 3 * c[1], e + 3 * d]\n" +
				"generate again[n in 1..4] ~ Normal(r[n], 1)\n",
			map[string][]float64{"w": {0.4}, "tau": {0.7}, "a": {0.3, -0.2}}},
		{"later times of a hidden Markov chain", chain, `{"y": [0.2, 0.1, 4.8, 5.5, 2.4, 2.7]}`, `{"T": 9}`, later,
			chainValues},
		{"later times of a hidden Markov chain with gaps", "data y[T] missing\n" + chain[len("data y[T]\n"):],
			`{"y": [0.2, null, 4.8, 5.5, null, null]}`, `{"T": 9}`, later, chainValues},
		{"later times of two chains together", "data y[T]\nq ~ Beta(2, 2)\na[1], b[1] ~ Bernoulli(0.5)\n" +
			"a[t in 2..T] ~ Bernoulli(a[t-1] == 1 ? q : 0.2)\nb[t in 2..T] ~ Bernoulli(b[t-1] == 1 ? 0.6 : 1 - q)\n" +
			"y[t in T] ~ Normal(a[t] + 2 * b[t], 0.8)\n", `{"y": [0.3, 3.1, 2.2]}`, `{"T": 4}`,
			"generate c ~ Bernoulli(a[3] == 1 ? q : 0.2)\ngenerate d ~ Bernoulli(b[3] == 1 ? 0.6 : 1 - q)\n" +
				"generate again[t in 1..4] ~ Normal(t <= 3 ? a[min([t, 3])] + 2 * b[min([t, 3])] : c + 2 * d, 0.8)\n",
			map[string][]float64{"q": {0.7}}},
		{"later times of a chain of order two", "data y[T]\nq ~ Beta(2, 2)\nz[t in 1..2] ~ Bernoulli(0.45)\n" +
			"z[t in 3..T] ~ Bernoulli(z[t-1] + z[t-2] == 1 ? q : 0.3)\ny[t in T] ~ Normal(2 * z[t], 1)\n",
			`{"y": [0.3, 1.7, 0.9, 1.2]}`, `{"T": 6}`,
			"generate n[5] ~ Bernoulli(z[4] + z[3] == 1 ? q : 0.3)\ngenerate n[6] ~ Bernoulli(n[5] + z[4] == 1 ? " +
				"q : 0.3)\n" +
				"generate again[t in 1..6] ~ Normal(2 * (t <= 4 ? z[min([t, 4])] : n[max([t, 5])]), 1)\n",
			map[string][]float64{"q": {0.8}}},
		{"later times of chains of known units", "data y[G, T]\nq ~ Beta(2, 2)\nz[g in G, 1] ~ Bernoulli(0.5)\n" +
			"z[g in G, t in 2..T] ~ Bernoulli(z[g, t-1] == 1 ? q : 0.2)\ny[g in G, t in T] ~ Normal(2 * z[g, t], 1)\n",
			`{"y": [[0.3, 1.7], [0.9, 1.2]]}`, `{"G": 2, "T": 3}`,
			"generate n[g in 1..2] ~ Bernoulli(z[g, 2] == 1 ? q : 0.2)\n" +
				"k = [z[1, 1], z[1, 2], n[1], z[2, 1], z[2, 2], n[2]]\ngenerate again[i in 1..6] ~ Normal(2 * " +
				"k[i], 1)\n",
			map[string][]float64{"q": {0.9}}},
		{"a series that changes its regime", "data y[T]\np ~ Beta(2, 2)\nz[t in T] ~ Bernoulli(p)\ny[1] ~ " +
			"Normal(0, 1)\n" +
			"y[t in 2..T] ~ Normal(0.5 * y[t-1] + 2 * z[t], 0.7)\n", `{"y": [0.2, 0.5, 2.5]}`, `{"T": 5}`,
			"generate n[1..2] ~ Bernoulli(p)\ngenerate f ~ Normal(0.5 * y[3] + 2 * n[1], 0.7)\n" +
				"generate h ~ Normal(0.5 * f + 2 * n[2], 0.7)\nm = [f, h]\ngenerate again[t in 1..2] ~ " +
				"Normal(m[t], 1e-9)\n",
			map[string][]float64{"p": {0.4}}},
		{"a series with gaps, by its length", "data y[T] missing\n" + gap, `{"y": [0.3, 1.2, null, 0.5, null]}`,
			`{"T": 7}`, gapLater, gapValues},
		{"a series with gaps, given again", "data y[T] missing\n" + gap, `{"y": [0.3, 1.2, null, 0.5, null]}`,
			`{"y": [0.3, 1.2, null, 0.5, null, null, null]}`, gapLater, gapValues},
		{"a series that had no gap", "data y[T] missing\n" + gap, `{"y": [0.3, 1.2, 1, 0.5, 2]}`, `{"T": 7}`, gapLater,
			map[string][]float64{"phi": {0.8}, "s": {0.5}}},
		{"a binary series with gaps", "data y[T] missing\nq ~ Beta(2, 2)\ny[1] ~ Bernoulli(0.5)\n" +
			"y[t in 2..T] ~ Bernoulli(y[t-1] == 1 ? q : 0.2)\n", `{"y": [0, 1, null, 1, null]}`, `{"T": 7}`,
			"generate f ~ Bernoulli(y[5] == 1 ? q : 0.2)\ngenerate h ~ Bernoulli(f == 1 ? q : 0.2)\nm = [f, h]\n" +
				"generate again[t in 1..2] ~ Normal(m[t], 1e-9)\n",
			map[string][]float64{"q": {0.8}}},
		{"rows with a missing predictor", "data x[N] missing, y[N]\na, b, m ~ Normal(0, 3)\nx[i in N] ~ " +
			"Normal(m, 1)\n" +
			"y[i in N] ~ Normal(a + b * x[i], 1)\n", `{"x": [0.3, 1.2, null], "y": [1, 2, 3]}`, `{"x": [null, 0.3]}`,
			"generate v ~ Normal(m, 1)\nw = [v, 0.3]\ngenerate r[i in 1..2] ~ Normal(a + b * w[i], 1)\n" +
				"k = [v, 0.3, r[1], r[2]]\ngenerate again[i in 1..4] ~ Normal(k[i], 1e-9)\n",
			map[string][]float64{"a": {1}, "b": {2}, "m": {3}, "x": {0.1}}},
		{"rows whose predictors are all there", "data x[N] missing, y[N]\na, b, m ~ Normal(0, 3)\n" +
			"x[i in N] ~ Normal(m, 1)\ny[i in N] ~ Normal(a + b * x[i], 1)\n",
			`{"x": [0.3, 1.2, null], "y": [1, 2, 3]}`, `{"x": [4, 0.3]}`,
			"w = [4, 0.3]\ngenerate again[i in 1..2] ~ Normal(a + b * w[i], 1)\n",
			map[string][]float64{"a": {1}, "b": {2}, "m": {3}, "x": {0.1}}},
		{"rows without their predictor", "data x[N] missing, y[N]\na, b, m ~ Normal(0, 3)\nx[i in N] ~ Normal(m, 1)\n" +
			"y[i in N] ~ Normal(a + b * x[i], 1)\n", `{"x": [0.3, 1.2, null], "y": [1, 2, 3]}`, `{"N": 1}`,
			"generate v ~ Normal(m, 1)\ngenerate r ~ Normal(a + b * v, 1)\nk = [v, r]\n" +
				"generate again[i in 1..2] ~ Normal(k[i], 1e-9)\n",
			map[string][]float64{"a": {1}, "b": {2}, "m": {3}, "x": {0.1}}},
		{"rows with a missing category", "data h[N]: index(H) missing, y[N]\na[H] ~ Normal(0, 2)\n" +
			"p[H] ~ Dirichlet(fill(1, H))\nh[i in N] ~ Categorical(p)\ny[i in N] ~ Poisson(log = a[h[i]])\n",
			`{"h": ["bog", "wood", null, "heath"], "y": [1, 2, 3, 0]}`, `{"h": [null, "heath"]}`,
			"generate v ~ Categorical(p)\nw = [v, 2]\ngenerate r[i in 1..2] ~ Poisson(log = a[w[i]])\n" +
				"k = [v, 2, r[1], r[2]]\ngenerate again[i in 1..4] ~ Normal(k[i], 1e-9)\n",
			map[string][]float64{"a": {1, 0.2, -0.5}, "p": {0.5, 0.2, 0.3}}},
		{"groups whose predictor is missing", "data g[N]: index(J), x[J] missing, y[N]\na, b, m ~ Normal(0, 3)\n" +
			"x[j in J] ~ Normal(m, 1)\ny[i in N] ~ Normal(a + b * x[g[i]], 1)\n",
			`{"g": [1, 2, 1], "x": [null, 2], "y": [1, 2, 3]}`,
			`{"g": [2, 1, 3], "x": [null, 2, null]}`,
			"generate v ~ Normal(m, 1)\nw = [x[2], x[1], v]\ngenerate r[i in 1..3] ~ Normal(a + b * w[i], 1)\n" +
				"k = [v, r[1], r[2], r[3]]\ngenerate again[i in 1..4] ~ Normal(k[i], 1e-9)\n",
			map[string][]float64{"a": {1}, "b": {2}, "m": {3}, "x": {0.7}}},
		{"a new row with unmeasured answers", "data y[P, I] missing\ns ~ HalfNormal(1)\ntheta[P] ~ Normal(0, s)\n" +
			"b[I] ~ Normal(0, 2)\ny[p in P, i in I] ~ Bernoulli(logits = theta[p] - b[i])\n",
			`{"y": [[1, 0], [null, 1]]}`, `{"P": 1, "I": 2}`,
			"generate v ~ Normal(0, s)\ngenerate again[i in 1..2] ~ Bernoulli(logits = v - b[i])\n",
			map[string][]float64{"s": {1.2}, "theta": {0.4, 0.3}, "b": {-0.5, 0.8}}},
		{"lifetimes of new patients, before any censoring", "data time[N], died[N]: bool, age[N]\nb0, b ~ " +
			"Normal(0, 2)\n" +
			"limit[i in N] = died[i] ? inf : time[i]\n" +
			"time[i in N] ~ Weibull(1.5, exp(b0 + b * age[i])) censored 0..limit[i]\n",
			`{"time": [1, 2], "died": [true, false], "age": [0, 1]}`, `{"age": [0, 1]}`,
			"generate again[i in 1..2] ~ Weibull(1.5, exp(b0 + b * (i - 1)))\n",
			map[string][]float64{"b0": {0.3}, "b": {-0.5}}},
		{"lifetimes of patients who enter late", "data entry[N], time[N], died[N]: bool\nscale ~ LogNormal(0, 1)\n" +
			"limit[i in N] = died[i] ? inf : time[i]\n" +
			"time[i in N] ~ Weibull(1.5, scale) in entry[i]..inf censored 0..limit[i]\n",
			`{"entry": [0.5, 1], "time": [1, 2], "died": [true, false]}`, `{"entry": [0, 2]}`,
			"e = [0, 2]\ngenerate again[i in 1..2] ~ Weibull(1.5, scale) in e[i]..inf\n",
			map[string][]float64{"scale": {1.8}}},
		{"litters that are reported from two on", "data y[N]\nrate ~ Gamma(2, 0.5)\ny[i in N] ~ Poisson(rate) in " +
			"2..6\n",
			`{"y": [2, 3]}`, `{"N": 2}`, "generate again[i in 1..2] ~ Poisson(rate) in 2..6\n",
			map[string][]float64{"rate": {2.3}}},
		{"what no distribution reads need not be given", "data id[N]: index(J), x[N], spare[N], y[N]\nb ~ " +
			"Normal(0, 1)\n" +
			"twice[i in N] = 2 * spare[i]\ny[i in N] ~ Normal(b * x[i], 1)\ngenerate total = sum(twice)\n",
			`{"id": ["a", "b"], "x": [1, 2], "spare": [1, 2], "y": [1, 2]}`, `{"x": [3]}`,
			"generate again[i in 1..1] ~ Normal(b * 3, 1)\n", map[string][]float64{"b": {0.7}}},
	}
}
