package check

import "ppl/compiler/frontend/model"

// optionalData marks the data that only generate statements read, because a model can be fitted without them.
func (c *checker) optionalData() {
	read := c.Model.PosteriorExprs()
	for _, t := range c.Model.Terms {
		if t.Kind != model.Generate {
			read = append(read, &model.Ref{Array: t.Array})
		}
	}
	needed := model.Reached(read...)
	for _, e := range c.global.Order {
		if e.Array != nil && e.Array.Role == model.Data && e.Used && !needed[e.Array.Array] {
			e.Array.Optional = true
		}
	}
}
