package check

import "ppl/compiler/frontend/model"

// optionalData finds the data that generate statements alone read: a model may be fitted without them.
func (c *checker) optionalData() {
	needed := map[*model.Array]bool{}
	var need func(arrays []*model.Array)
	need = func(arrays []*model.Array) {
		for _, a := range arrays {
			if !needed[a] {
				needed[a] = true
				need(model.Arrays(a.Exprs()...))
			}
		}
	}
	for _, t := range c.model.Terms {
		if t.Kind != model.Generate {
			need(append(model.Arrays(t.Exprs()...), t.Array))
		}
	}
	for _, r := range c.model.Ragged { // which elements there are
		need(model.Arrays(r.Inner.Lo, r.Inner.Hi))
	}
	for _, s := range c.model.Systems {
		for _, st := range s.States {
			need(model.Arrays(append(st.Exprs(), s.T0)...))
		}
		for _, q := range s.Queries { // one solution serves all of them
			need(model.Arrays(q.Time))
		}
	}
	for _, e := range c.global.order {
		if e.array != nil && e.array.Role == model.Data && e.used && !needed[e.array.Array] {
			e.array.Optional = true
		}
	}
}
