package dataset

import "ppl/compiler/frontend/model"

// For returns the data for m, another model of the same statements, possibly with additional ones. It matches arrays
// and sizes by name. It does not copy Memory and RowNumbers.
func (d *Dataset) For(m *model.Model) *Dataset {
	arrays, sizes, labels := map[*model.Array]Array{}, map[*model.Size]int{}, map[*model.Size][]string{}
	for old, x := range d.Arrays {
		for _, a := range m.Arrays {
			if a.Name == old.Name {
				arrays[a] = x
			}
		}
	}
	for _, s := range m.Sizes {
		for old, n := range d.Sizes {
			if old.Name == s.Name {
				sizes[s] = n
			}
		}
		for old, l := range d.Labels {
			if old.Name == s.Name {
				labels[s] = l
			}
		}
	}
	for _, r := range m.Ragged {
		for _, old := range d.Model.Ragged {
			if old.Size.Name == r.Size.Name {
				sizes[r.Size], labels[r.Size] = d.Sizes[old.Size], d.Labels[old.Size]
				for k, a := range old.Arrays() {
					arrays[r.Arrays()[k]] = d.Arrays[a]
				}
			}
		}
	}
	return New(m, arrays, sizes, labels)
}
