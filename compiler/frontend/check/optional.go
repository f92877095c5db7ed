package check

import "ppl/compiler/frontend/model"

// optionalData finds the data that generate statements alone read: a model may be fitted without them.
func (c *checker) optionalData() {
	read := c.Model.PosteriorExprs()
	for _, t := range c.Model.Terms {
		if t.Kind != model.Generate {
			read = append(read, &model.Ref{Array: t.Array})
		}
	}
	needed := model.Reached(read...)
	for _, e := range c.global.order {
		if e.array != nil && e.array.Role == model.Data && e.used && !needed[e.array.Array] {
			e.array.Optional = true
		}
	}
}
