package newdata

import (
	"maps"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// This file finds what the distributions of replicas read.

// findCensored finds the observed arrays that are censored. It removes the censoring unless predictions are to be
// censored as well.
func (c *Changes) findCensored() {
	for _, r := range c.m.Arrays {
		if r.Replicates == nil {
			continue
		}
		for _, p := range r.Pieces {
			ends := p.Term.Censored
			if ends == nil {
				continue
			}
			c.censored = append(c.censored, r.Replicates)
			if !c.run.Recorded {
				p.Term.Censored = nil
			} else if model.Reached(ends.Lo, ends.Hi)[r.Replicates] {
				c.diags.Errorf(diag.DataUnavailable, p.Term.At, "`%[1]s` is censored at bounds that are computed from "+
					"`%[1]s` itself, which is to be predicted", r.Name).
					Help("give the bounds as separate data, or omit --censored to predict uncensored values of `%s`",
						r.Name)
				p.Term.Censored = nil
			}
		}
	}
}

// Recorded returns the name of the first censored observed array, or "" if there is none.
func (c *Changes) Recorded() string {
	if len(c.censored) == 0 {
		return ""
	}
	return c.censored[0].Name
}

// findInputs finds the data with missing entries that distributions of other arrays read. A missing entry in a new row
// is drawn, and these distributions read the drawn value.
func (c *Changes) findInputs() {
	for _, r := range c.m.Arrays {
		if r.Replicates == nil {
			continue
		}
		read := map[*model.Array]bool{}
		visit(r, nil, read)
		for of := range read {
			if of.Missing && of != r.Replicates && !slices.Contains(c.inputs, of) {
				c.inputs = append(c.inputs, of)
			}
		}
	}
}

// findUnread finds the data on which neither replicas nor parameters depend.
func (c *Changes) findUnread() {
	read := map[*model.Array]bool{}
	for _, a := range c.m.Arrays {
		if a.Replicates != nil || a.Role == model.Parameter || a.Missing || slices.Contains(c.replaced, a) {
			read[a] = true
			maps.Copy(read, model.Reached(a.Exprs()...))
		}
	}
	for _, r := range c.m.Ragged {
		for _, a := range []*model.Array{r.Group, r.Place, r.Lengths} {
			read[a] = true
		}
	}
	for _, a := range c.m.Arrays {
		if a.Role == model.Data && !read[a] {
			c.unread = append(c.unread, a)
		}
	}
}

// drop removes unread data that are not given, and everything computed from them.
func (c *Changes) drop() {
	absent := map[*model.Array]bool{}
	for _, a := range c.unread {
		if _, given := c.d.Arrays[a]; !given {
			absent[a] = true
		}
	}
	if len(absent) == 0 {
		return
	}
	c.m.Arrays = slices.DeleteFunc(c.m.Arrays, func(a *model.Array) bool {
		if absent[a] {
			return true
		}
		for b := range model.Reached(a.Exprs()...) {
			if absent[b] {
				return true
			}
		}
		return false
	})
}
