package stdlib

// passageCases are reference values of passage times: the series of eigenfunctions with enough terms, by mpmath 1.4.1
// at 60 digits. They agree within 1e-41 with the numerical inverse of the Laplace transform exp(-v a w) sinh(a (1-w) r)
// / sinh(a r), r = sqrt(v^2 + 2 s).
var passageCases = []distCase{
	{form: "Wiener(boundary, nondecision, bias, drift)", args: [][]float64{{1.5}, {0.25}, {0.5}, {1.0}},
		at: []point{{[]float64{0.75}, -0.26328773296382521}, {[]float64{1.25}, -1.6094458247771545},
			{[]float64{-0.75}, -1.7632877329638252}, {[]float64{3.0}, -6.3226252421437589},
			{[]float64{-0.3}, -3.1130221953254681}, {[]float64{12.0}, -30.561834044322476}}},
	{form: "Wiener(boundary, nondecision, bias, drift)", args: [][]float64{{2.0}, {0.0}, {0.3}, {-0.5}},
		at: []point{{[]float64{-0.5}, -0.51262086914313925}, {[]float64{-1.0}, -1.4557030999125008},
			{[]float64{0.75}, -2.3300797208520467}, {[]float64{6.0}, -9.3057031321212728},
			{[]float64{-20.0}, -27.327510833494229}, {[]float64{0.01}, -92.375961017601324}}},
	{form: "Wiener(boundary, nondecision, bias, drift)", args: [][]float64{{0.8}, {0.1}, {0.75}, {3.0}},
		at: []point{{[]float64{0.2}, 0.87502799357183679}, {[]float64{0.3}, -0.57035517483792358},
			{[]float64{-0.25}, -2.4789853079753259}, {[]float64{1.5}, -15.250436415493613},
			{[]float64{-2.0}, -23.755750634669168}, {[]float64{0.13}, 2.5297937336744441}}},
}
