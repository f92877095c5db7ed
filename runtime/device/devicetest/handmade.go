package devicetest

import (
	"math"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
)

var inf, nan = math.Inf(1), math.NaN()

// at returns an index with the given strides.
func at(strides ...int) ir.Index { return ir.Index{Stride: strides} }

// handmade returns statements with answers computed by hand.
func handmade() []statementTest {
	return append(append(movement(), reductions()...), others()...)
}

func movement() []statementTest {
	return []statementTest{
		{name: "transpose", in: []float64{1, 2, 3, 4, 5, 6}, slope: 10,
			build: func(b *bench) {
				b.output(6)
				b.kernel([]int{2, 3}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(1, 2), Value: k.Load(b.in, at(3, 1))}}
				})
			},
			want: func(l float64) []float64 {
				return []float64{1 + 10*l, 4 + 10*l, 2 + 10*l, 5 + 10*l, 3 + 10*l, 6 + 10*l}
			}},
		{name: "outer product", in: []float64{2, 3, 5}, slope: 1,
			build: func(b *bench) {
				b.output(6)
				data := b.data(10, 100)
				b.kernel([]int{3, 2}, func(k *ir.Body) []ir.Output {
					v := k.Do(ir.Mul, k.Load(b.in, at(1, 0)), k.Load(data, at(0, 1)))
					return []ir.Output{{Buf: b.out, Index: at(2, 1), Value: v}}
				})
			},
			want: func(l float64) []float64 {
				return []float64{20 + 10*l, 200 + 100*l, 30 + 10*l, 300 + 100*l, 50 + 10*l, 500 + 100*l}
			}},
		{name: "reversed", in: []float64{1, 2, 3},
			build: func(b *bench) {
				b.output(3)
				b.kernel([]int{3}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(1),
						Value: k.Load(b.in, ir.Index{Const: 2, Stride: []int{-1}})}}
				})
			},
			want: fixed(3, 2, 1)},
		{name: "gather, clamped", in: []float64{10, 20, 30}, slope: 1,
			build: func(b *bench) {
				b.output(6)
				index := b.data(2, -1, 9, nan, 1.9, -inf)
				b.kernel([]int{6}, func(k *ir.Body) []ir.Output {
					i := k.Load(index, at(1))
					return []ir.Output{{Buf: b.out, Index: at(1),
						Value: k.Load(b.in, ir.Index{Dyn: []ir.Dyn{{Reg: i, Stride: 1, Limit: 3}}})}}
				})
			},
			want: func(l float64) []float64 { return []float64{30 + l, 10 + l, 30 + l, 10 + l, 20 + l, 10 + l} }},
		{name: "gather by two indices, one of the lane's own", in: []float64{0, 1}, slope: 1,
			build: func(b *bench) {
				b.output(2)
				table := b.data(0, 1, 2, 10, 11, 12)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					row, col := k.Counter(0), k.Load(b.in, at(1)) // col is lane or lane + 1, at most 2
					dyn := []ir.Dyn{{Reg: row, Stride: 3, Limit: 2}, {Reg: col, Stride: 1, Limit: 3}}
					return []ir.Output{{Buf: b.out, Index: at(1), Value: k.Load(table, ir.Index{Dyn: dyn})}}
				})
			},
			want: func(l float64) []float64 { return []float64{math.Min(l, 2), 10 + math.Min(l+1, 2)} }},
		{name: "exchange in place", in: []float64{1, 2}, slope: 1,
			build: func(b *bench) {
				b.output(4)
				other := b.p.Buffer(ir.Buffer{Name: "other", Space: ir.Lane, Size: 2})
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					x, y := k.Load(b.in, at(1)), k.Load(other, at(1))
					return []ir.Output{{Buf: b.in, Index: at(1), Value: y}, {Buf: other, Index: at(1), Value: x},
						{Buf: b.out, Index: at(1), Value: x}, {Buf: b.out, Index: ir.Index{Const: 2, Stride: []int{1}},
							Value: y}}
				})
			},
			// the second run undoes the exchange of the first
			want: func(l float64) []float64 { return []float64{0, 0, 1 + l, 2 + l} }},
		{name: "an index that is overwritten", in: []float64{1, 0},
			build: func(b *bench) {
				b.output(2)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					other := k.Do(ir.Sub, k.Const(1), k.Load(b.in, at(1)))
					to := ir.Index{Dyn: []ir.Dyn{{Reg: k.Load(b.in, at(1)), Stride: 1, Limit: 2}}}
					return []ir.Output{{Buf: b.in, Index: at(1), Value: other},
						{Buf: b.out, Index: to, Value: k.Counter(0)}}
				})
			},
			// result of the second run, after the first has exchanged the two
			want: fixed(0, 1)},
		{name: "the sum of a constant", in: []float64{0},
			build: func(b *bench) {
				b.output(1)
				b.kernel([]int{5}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(0), Value: k.Const(0.5), Combine: ir.Sum}}
				})
			},
			want: fixed(2.5)},
		{name: "one value to one element", in: []float64{7}, slope: 1,
			build: func(b *bench) {
				b.output(1)
				b.kernel([]int{3}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(0), Value: k.Load(b.in, at(0))}}
				})
			},
			want: func(l float64) []float64 { return []float64{7 + l} }},
		{name: "scattered store", in: []float64{1, 2, 3}, slope: 1,
			build: func(b *bench) {
				b.output(3)
				index := b.data(2, 0, 1)
				b.kernel([]int{3}, func(k *ir.Body) []ir.Output {
					dyn := []ir.Dyn{{Reg: k.Load(index, at(1)), Stride: 1, Limit: 3}}
					return []ir.Output{{Buf: b.out, Index: ir.Index{Dyn: dyn}, Value: k.Load(b.in, at(1))}}
				})
			},
			want: func(l float64) []float64 { return []float64{2 + l, 3 + l, 1 + l} }},
	}
}

func reductions() []statementTest {
	return []statementTest{
		{name: "sum, max, min of rows and of all", in: []float64{1, 5, 3, 4, 2, 6}, slope: 1,
			build: func(b *bench) {
				total, high, low := b.scratch(1), b.scratch(3), b.scratch(2)
				b.kernel([]int{2, 3}, func(k *ir.Body) []ir.Output {
					v := k.Load(b.in, at(3, 1))
					return []ir.Output{{Buf: total, Index: at(0, 0), Value: v, Combine: ir.Sum},
						{Buf: high, Index: at(0, 1), Value: v, Combine: ir.Max}, {Buf: low, Index: at(1, 0), Value: v,
							Combine: ir.Min}}
				})
				b.collect(total, high, low)
			},
			want: func(l float64) []float64 { return []float64{21 + 6*l, 4 + l, 5 + l, 6 + l, 1 + l, 2 + l} }},
		{name: "a NaN wins", in: []float64{1, nan, 3},
			build: func(b *bench) {
				high, low := b.scratch(1), b.scratch(1)
				b.kernel([]int{3}, func(k *ir.Body) []ir.Output {
					v := k.Load(b.in, at(1))
					return []ir.Output{{Buf: high, Index: at(0), Value: v, Combine: ir.Max},
						{Buf: low, Index: at(0), Value: v, Combine: ir.Min}}
				})
				b.collect(high, low)
			},
			want: fixed(nan, nan)},
		{name: "scattered sums", in: []float64{1, 2, 3, 4, 5}, slope: 1,
			build: func(b *bench) {
				b.output(3)
				index := b.data(0, 2, 0, 1, 0)
				b.kernel([]int{5}, func(k *ir.Body) []ir.Output {
					dyn := []ir.Dyn{{Reg: k.Load(index, at(1)), Stride: 1, Limit: 3}}
					return []ir.Output{{Buf: b.out, Index: ir.Index{Dyn: dyn}, Value: k.Load(b.in, at(1)),
						Combine: ir.Sum}}
				})
			},
			want: func(l float64) []float64 { return []float64{9 + 3*l, 4 + l, 2 + l} }},
		{name: "sums scattered by the lane's own index", in: []float64{0, 1}, slope: 1,
			build: func(b *bench) {
				b.output(3)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					dyn := []ir.Dyn{{Reg: k.Load(b.in, at(1)), Stride: 1, Limit: 3}}
					return []ir.Output{{Buf: b.out, Index: ir.Index{Dyn: dyn}, Value: k.Const(1), Combine: ir.Sum}}
				})
			},
			want: func(l float64) []float64 {
				counts := make([]float64, 3)
				counts[int(math.Min(l, 2))]++
				counts[int(math.Min(l+1, 2))]++
				return counts
			}},
		{name: "sum by an index that no loop changes", in: []float64{1}, slope: 1,
			build: func(b *bench) {
				b.output(3)
				b.kernel([]int{4}, func(k *ir.Body) []ir.Output {
					dyn := []ir.Dyn{{Reg: k.Load(b.in, at(0)), Stride: 1, Limit: 3}}
					return []ir.Output{{Buf: b.out, Index: ir.Index{Dyn: dyn}, Value: k.Counter(0), Combine: ir.Sum}}
				})
			},
			want: func(l float64) []float64 {
				sums := make([]float64, 3)
				sums[int(math.Min(l+1, 2))] = 6
				return sums
			}},
		{name: "many points, one sum", in: []float64{2}, slope: 1, // Σ i·in for i < 100,000: exact in a double
			build: func(b *bench) {
				b.output(1)
				b.kernel([]int{10, 100, 100}, func(k *ir.Body) []ir.Output {
					i := k.Do(ir.Add, k.Do(ir.Mul, k.Counter(0), k.Const(1e4)),
						k.Do(ir.Add, k.Do(ir.Mul, k.Counter(1), k.Const(100)), k.Counter(2)))
					return []ir.Output{{Buf: b.out, Index: at(0, 0, 0),
						Value: k.Do(ir.Mul, i, k.Load(b.in, at(0, 0, 0))), Combine: ir.Sum}}
				})
			},
			want: func(l float64) []float64 { return []float64{(2 + l) * 4999950000} }},
		{name: "many points, sums of rows", in: []float64{0},
			build: func(b *bench) {
				b.output(100)
				b.kernel([]int{100, 99}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(1, 0), Value: k.Do(ir.Mul, k.Counter(0), k.Counter(1)),
						Combine: ir.Sum}}
				})
			},
			want: func(float64) []float64 {
				sums := make([]float64, 100)
				for i := range sums {
					sums[i] = float64(i * 99 * 98 / 2)
				}
				return sums
			}},
		{name: "many points, more sums than fit a tile", in: []float64{1}, slope: 1,
			build: func(b *bench) {
				b.output(2000)
				b.kernel([]int{5, 2000}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(0, 1), Value: k.Load(b.in, at(0, 0)), Combine: ir.Sum}}
				})
			},
			want: func(l float64) []float64 {
				sums := make([]float64, 2000)
				for i := range sums {
					sums[i] = 5 * (1 + l)
				}
				return sums
			}},
		{name: "nothing to combine", in: []float64{1},
			build: func(b *bench) {
				total, high, low := b.scratch(1), b.scratch(1), b.scratch(1)
				b.kernel([]int{3, 0}, func(k *ir.Body) []ir.Output {
					v := k.Load(b.in, at(0, 0))
					return []ir.Output{{Buf: total, Index: at(0, 0), Value: v, Combine: ir.Sum},
						{Buf: high, Index: at(0, 0), Value: v, Combine: ir.Max}, {Buf: low, Index: at(0, 0), Value: v,
							Combine: ir.Min}}
				})
				b.collect(total, high, low)
			},
			want: fixed(0, -inf, inf)},
	}
}

// collect concatenates scratch buffers in the output.
func (b *bench) collect(ids ...ir.BufID) {
	n := 0
	for _, id := range ids {
		n += b.p.Buffers[id].Size
	}
	b.output(n)
	offset := 0
	for _, id := range ids {
		size := b.p.Buffers[id].Size
		b.kernel([]int{size}, func(k *ir.Body) []ir.Output {
			return []ir.Output{{Buf: b.out, Index: ir.Index{Const: offset, Stride: []int{1}}, Value: k.Load(id, at(1))}}
		})
		offset += size
	}
}

func others() []statementTest {
	return []statementTest{
		{name: "setup", in: []float64{1}, slope: 1,
			build: func(b *bench) {
				data := b.data(3, 4)
				norm := b.p.Buffer(ir.Buffer{Name: "norm", Space: ir.Shared, Size: 1})
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					v := k.Load(data, at(1))
					return []ir.Output{{Buf: norm, Index: at(0), Value: k.Do(ir.Mul, v, v), Combine: ir.Sum}}
				})
				b.setup, b.body = b.body, nil
				b.output(1)
				b.kernel(nil, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Value: k.Do(ir.Mul, k.Do(ir.Sqrt, k.Load(norm, ir.Index{})),
						k.Load(b.in, ir.Index{}))}}
				})
			},
			want: func(l float64) []float64 { return []float64{5 * (1 + l)} }},
		{name: "narrow types", in: []float64{0.1, -2.7}, // float32(0.1) = 13421773·2⁻²⁷; integers are truncated
			build: func(b *bench) {
				single := b.p.Buffer(ir.Buffer{Name: "single", Space: ir.Scratch, Type: ir.F32, Size: 2})
				whole := b.p.Buffer(ir.Buffer{Name: "whole", Space: ir.Scratch, Type: ir.I32, Size: 2})
				data := b.p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Type: ir.F32, Size: 1,
					Init: numbers.Of(0.1)})
				copied := b.scratch(1)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					v := k.Load(b.in, at(1))
					return []ir.Output{{Buf: single, Index: at(1), Value: v}, {Buf: whole, Index: at(1), Value: v}}
				})
				b.kernel(nil, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: copied, Value: k.Load(data, ir.Index{})}}
				})
				b.collect(single, whole, copied)
			},
			want: fixed(13421773*0x1p-27, -2.7000000476837158203125, 0, -2, 13421773*0x1p-27)},
		{name: "cumulative sums", in: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, // [2, 3, 2] along the middle
			build: func(b *bench) {
				up, down := b.scratch(12), b.scratch(12)
				b.body = append(b.body, &ir.CumSum{In: b.in, Out: up, Outer: 2, N: 3, Inner: 2},
					&ir.CumSum{In: b.in, Out: down, Outer: 2, N: 3, Inner: 2, Reverse: true})
				b.collect(up, down)
			},
			want: fixed(1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30, 9, 12, 8, 10, 5, 6, 27, 30, 20, 22, 11, 12)},
		{name: "cumulative sum of data", in: nil,
			build: func(b *bench) {
				b.output(3)
				b.body = append(b.body, &ir.CumSum{In: b.data(1, 2, 3), Out: b.out, Outer: 1, N: 3, Inner: 1})
			},
			want: fixed(1, 3, 6)},
		// [[4, 2], [2, 2]] minus the lane's number; elements above the diagonal are not read
		{name: "cholesky", in: []float64{4, nan, 2, 2}, slope: -1,
			build: func(b *bench) {
				b.output(4)
				b.body = append(b.body, &ir.Cholesky{In: b.in, Out: b.out, Batch: 1, N: 2})
			},
			want: func(l float64) []float64 {
				if l >= 2 { // not positive definite for these lanes: 4−l ≤ 0, or 2−l ≤ (2−l)²/(4−l)
					return []float64{nan, nan, nan, nan}
				}
				a := math.Sqrt(4 - l)
				return []float64{a, 0, (2 - l) / a, math.Sqrt((2 - l) - (2-l)*(2-l)/(4-l))}
			}, tol: 1e-15},
		{name: "cholesky of data, of two matrices", in: nil,
			build: func(b *bench) {
				// Rosetta Code, Cholesky decomposition, example 1; and a matrix with a slightly negative last pivot,
				// which is not positive definite
				b.output(18)
				m := b.data(25, 15, -5, 15, 18, 0, -5, 0, 11, 1, 0, 0, 0, 1, 0, 0, 0, -1e-9)
				b.body = append(b.body, &ir.Cholesky{In: m, Out: b.out, Batch: 2, N: 3})
			},
			want: fixed(5, 0, 0, 3, 3, 0, -1, 1, 3, nan, nan, nan, nan, nan, nan, nan, nan, nan)},
		// [[1+l, …], [2+l, 1+l]]: eigenvalues −1 along (1, −1), 3+2l along (1, 1)
		{name: "eigen", in: []float64{1, nan, 2, 1}, slope: 1,
			build: func(b *bench) {
				b.output(6)
				b.body = append(b.body, &ir.Eigen{In: b.in, Out: b.out, Batch: 1, N: 2})
			},
			want: func(l float64) []float64 {
				r := math.Sqrt(0.5)
				return []float64{-1, 3 + 2*l, r, r, -r, r}
			}, tol: 1e-14},
		{name: "eigen of data, of two matrices", in: nil,
			build: func(b *bench) {
				b.output(24) // one matrix is diagonal, one is not finite
				m := b.data(3, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0, nan, 1, 0, 0, 0, 1)
				b.body = append(b.body, &ir.Eigen{In: m, Out: b.out, Batch: 2, N: 3})
			},
			want: fixed(1, 2, 3, 0, 0, 1, 1, 0, 0, 0, 1, 0, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan,
				nan, nan)},
		{name: "loop", in: []float64{1, 2, 3}, slope: 1, // cₜ₊₁ = 2cₜ + in[t], starting at 5
			build: func(b *bench) {
				b.output(4)
				b.kernel(nil, func(k *ir.Body) []ir.Output { return []ir.Output{{Buf: b.out, Value: k.Const(5)}} })
				b.loop(3, false, nil, func(k *ir.Body) []ir.Output {
					v := k.Do(ir.Add, k.Do(ir.Mul, k.Const(2), k.Load(b.out, ir.Index{Step: 1})),
						k.Load(b.in, ir.Index{Step: 1}))
					return []ir.Output{{Buf: b.out, Index: ir.Index{Const: 1, Step: 1}, Value: v}}
				})
			},
			want: func(l float64) []float64 { return []float64{5, 11 + l, 24 + 3*l, 51 + 7*l} }},
		// rows of two: each is the next row reversed, minus the data
		{name: "loop backwards over rows", in: []float64{1, 10}, slope: 1,
			build: func(b *bench) {
				b.output(6)
				data := b.data(1, 2, 3, 4)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: ir.Index{Const: 4, Stride: []int{1}},
						Value: k.Load(b.in, at(1))}}
				})
				b.loop(2, true, []int{2}, func(k *ir.Body) []ir.Output {
					v := k.Do(ir.Sub, k.Load(b.out, ir.Index{Const: 3, Step: 2, Stride: []int{-1}}),
						k.Load(data, ir.Index{Step: 2, Stride: []int{1}}))
					return []ir.Output{{Buf: b.out, Index: ir.Index{Step: 2, Stride: []int{1}}, Value: v}}
				})
			},
			want: func(l float64) []float64 { return []float64{-4 + l, 5 + l, 7 + l, -3 + l, 1 + l, 10 + l} }},
		{name: "loop through scratch, by an index", in: []float64{1, 2}, slope: 1,
			build: func(b *bench) { // each iteration stores the sum of the previous row, and an element of that row
				b.output(8)
				total, index := b.scratch(1), b.data(0, 1, 7)
				b.kernel([]int{2}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: b.out, Index: at(1), Value: k.Load(b.in, at(1))}}
				})
				b.loop(3, false, []int{2}, func(k *ir.Body) []ir.Output {
					return []ir.Output{{Buf: total, Index: at(0),
						Value: k.Load(b.out, ir.Index{Step: 2, Stride: []int{1}}), Combine: ir.Sum}}
				})
				loop := b.body[len(b.body)-1].(*ir.Loop)
				b.kernel(nil, func(k *ir.Body) []ir.Output {
					dyn := []ir.Dyn{{Reg: k.Load(index, ir.Index{Step: 1}), Stride: 1, Limit: 2}}
					return []ir.Output{{Buf: b.out, Index: ir.Index{Const: 2, Step: 2},
						Value: k.Load(total, ir.Index{})},
						{Buf: b.out, Index: ir.Index{Const: 3, Step: 2},
							Value: k.Load(b.out, ir.Index{Step: 2, Dyn: dyn})}}
				})
				loop.Body = append(loop.Body, b.body[len(b.body)-1])
				b.body = b.body[:len(b.body)-1]
			},
			want: func(l float64) []float64 {
				return []float64{1 + l, 2 + l, 3 + 2*l, 1 + l, 4 + 3*l, 1 + l, 5 + 4*l, 1 + l}
			}},
		{name: "sums along a loop of more than a tile", in: []float64{3}, slope: 1, build: func(b *bench) {
			longLoop(b, false)
		},
			want: func(l float64) []float64 {
				return []float64{longTurns*(3+l) + (longTurns-1)*longTurns*(longTurns+1)/6}
			}},
		{name: "sums along a loop of more than a tile, backwards", in: []float64{3}, slope: 1,
			build: func(b *bench) { longLoop(b, true) },
			want: func(l float64) []float64 {
				return []float64{longTurns*(3+l) + (longTurns-1)*longTurns*(longTurns+1)/3}
			}},
		{name: "empty statements", in: nil,
			build: func(b *bench) {
				b.output(0)
				none := b.scratch(0)
				b.body = append(b.body, &ir.CumSum{In: none, Out: b.out, Outer: 2, N: 0, Inner: 3},
					&ir.Cholesky{In: none, Out: b.out, Batch: 2, N: 0})
			},
			want: fixed()},
	}
}

const longTurns = 4500

// longLoop sums c[t+1] = c[t] + t from c[0] = in[0], or c[t] = c[t+1] + t from the other end.
func longLoop(b *bench, reverse bool) {
	b.output(1)
	counts, series := b.scratch(longTurns), b.scratch(longTurns+1)
	from, to, first := 0, 1, 0
	if reverse {
		from, to, first = 1, 0, longTurns
	}
	b.kernel([]int{longTurns}, func(k *ir.Body) []ir.Output {
		return []ir.Output{{Buf: counts, Index: at(1), Value: k.Counter(0)}}
	})
	b.kernel(nil, func(k *ir.Body) []ir.Output {
		return []ir.Output{{Buf: series, Index: ir.Index{Const: first}, Value: k.Load(b.in, ir.Index{})}}
	})
	b.loop(longTurns, reverse, nil, func(k *ir.Body) []ir.Output {
		v := k.Do(ir.Add, k.Load(series, ir.Index{Const: from, Step: 1}), k.Load(counts, ir.Index{Step: 1}))
		return []ir.Output{{Buf: series, Index: ir.Index{Const: to, Step: 1}, Value: v}}
	})
	b.kernel([]int{longTurns}, func(k *ir.Body) []ir.Output {
		return []ir.Output{{Buf: b.out, Index: at(0), Value: k.Load(series, ir.Index{Const: to, Stride: []int{1}}),
			Combine: ir.Sum}}
	})
}
