package check

import "ppl/compiler/model"

// observedTwice refuses two laws for the same elements of an array: each element is one event. What Density adds to a
// law is exempt.
func (c *checker) observedTwice() {
	laws := map[*model.Array][]*model.Term{}
	for _, t := range c.model.Terms {
		if t.Kind != model.Likelihood || t.Density != nil {
			continue
		}
		if old := sameElements(t, laws[t.Array]); old != nil {
			c.errorf("E32", t.At, "`%s` is observed by two statements at the same elements",
				t.Array.Name).Related(old.At, "the other statement").
				Help("a second factor for the same data is written `%s ~ Density(…)`", t.At.Text())
			continue
		}
		laws[t.Array] = append(laws[t.Array], t)
	}
}

// sameElements is one of some observations that shares elements with t, nil if none does.
func sameElements(t *model.Term, among []*model.Term) *model.Term {
	for _, u := range among {
		if model.Overlap(observedRegion(t), observedRegion(u)) {
			return u
		}
	}
	return nil
}

// observedRegion is a term's part of each axis of what it observes.
func observedRegion(t *model.Term) []*model.Set {
	sets := append([]*model.Set{}, t.Array.Type.Axes...)
	if sub, ok := t.Value.(*model.Subscript); ok {
		for k, s := range sub.Subs {
			if v, plain := s.At.(*model.IndexVar); plain {
				sets[k] = v.Index.Set
			} else {
				sets[k] = model.Slot{At: s.At}.Set()
			}
		}
	}
	return sets
}
