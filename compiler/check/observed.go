package check

import "ppl/compiler/model"

// observedTwice refuses two laws for the same elements of an array: each element is one event. What Density adds to a law is exempt.
func (c *checker) observedTwice() {
	type place struct {
		array  *model.Array
		region string
	}
	first := map[place]*model.Term{}
	for _, t := range c.model.Terms {
		if t.Kind != model.Likelihood || t.Density != nil {
			continue
		}
		at := place{t.Array, observedRegion(t)}
		if old := first[at]; old != nil {
			c.errorf("E32", t.At, "`%s` is observed by two statements at the same elements", t.Array.Name).Related(old.At, "the other statement").
				Help("a second factor for the same data is written `%s ~ Density(…)`", t.At.Text())
			continue
		}
		first[at] = t
	}
}

// observedRegion writes which elements a term observes, equal for equal ones.
func observedRegion(t *model.Term) (s string) {
	sub, _ := t.Value.(*model.Subscript)
	for k, axis := range t.Array.Type.Axes {
		part := axis.Key
		if sub != nil && k < len(sub.Subs) {
			part = linearOf(sub.Subs[k].At).key()
			if v, ok := sub.Subs[k].At.(*model.IndexVar); ok {
				part = v.Index.Set.Key
			}
		}
		s += part + ","
	}
	return s
}
