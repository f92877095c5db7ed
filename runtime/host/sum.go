package host

// totalLoop adds points in order, lane by lane.
func totalLoop(d, a []float64) {
	clear(d)
	sumLanes(d, a)
}

// sumLanes adds each point's lanes to t, point by point. Blocks of 8 and 4 lanes have loops that keep the sums in
// processor registers.
func sumLanes(t, v []float64) {
	switch len(t) {
	case 8:
		sum8((*[8]float64)(t), v)
	case 4:
		sum4((*[4]float64)(t), v)
	case 1:
		s := t[0]
		for _, x := range v {
			s += x
		}
		t[0] = s
	}
}

func sum8(t *[8]float64, v []float64) {
	a, b, c, d, e, f, g, h := t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
	for len(v) >= 8 {
		x := (*[8]float64)(v)
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		e += x[4]
		f += x[5]
		g += x[6]
		h += x[7]
		v = v[8:]
	}
	*t = [8]float64{a, b, c, d, e, f, g, h}
}

func sum4(t *[4]float64, v []float64) {
	a, b, c, d := t[0], t[1], t[2], t[3]
	for len(v) >= 4 {
		x := (*[4]float64)(v)
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		v = v[4:]
	}
	*t = [4]float64{a, b, c, d}
}
