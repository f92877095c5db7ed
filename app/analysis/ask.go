package analysis

import (
	"context"
	"fmt"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/compiler/predict/query"
	"ppl/infer"
	"ppl/lang/types"
	asked "ppl/posterior/query"
	"ppl/runtime/host"
)

// An Answer is a query with its result.
type Answer struct {
	Text     string // text of the query
	Query    *query.Query
	Question *compiler.Question
	Result   *asked.Result // result for the first elements
	Size     int           // number of elements of the quantity
	// Undefined is, for a condition, the number of draws in which each element compares NaN; nil if unknown.
	Undefined []int
}

// Estimates summarises each element of the result.
func (a *Answer) Estimates() []asked.Estimate {
	es := asked.Estimates(a.Result)
	for k := range a.Undefined {
		es[k].Undefined = a.Undefined[k]
	}
	return es
}

// Variable returns the variable that names the elements. Without a name in the query, elements are named by their
// indices alone.
func (a *Answer) Variable() types.Variable {
	v := a.Question.Variable()
	v.Name = a.Query.Name()
	return v
}

// Ask answers a query for the first elements of an array, at most most of them; 0 means all. It keeps a definition for
// later queries, and returns nil if the definition defines no quantity. A wrong query is an error with diagnostics.
func (o *Run) Ask(ctx context.Context, line string, most int) (*Answer, error) {
	q, ds := o.Inquiry.Parse(line)
	if err := fault.Diagnosed(ds); err != nil {
		return nil, err
	}
	if q.Form == query.Definition {
		if err := notes.Diagnose(o.notes, o.Inquiry.Define(q)); err != nil || q.X == nil {
			return nil, err
		}
	}
	question, ds := o.Inquiry.Ask(q)
	if err := fault.Diagnosed(ds); err != nil {
		return nil, err
	}
	a := &Answer{Text: line, Query: q, Question: question, Size: question.Variable().Size()}
	shown := a.Size
	if most > 0 && q.Form != query.Rank {
		shown = min(most, shown)
	}
	var err error
	src := o.sourceFor(q, question, shown)
	if c := question.Completion(); c != nil {
		a.Result, err = asked.Complete(ctx, c, shown, src, src.stream)
	} else {
		a.Result, err = asked.Evaluate(ctx, question, 0, shown, src, o.deviceFor(ctx, question))
	}
	switch {
	case ctx.Err() != nil:
		return nil, fault.Interrupted()
	case err != nil:
		return nil, fault.Of(fmt.Errorf("%s: %w", o.Dir, err))
	}
	if question.IsTruth() {
		err = a.countUndefined(ctx, src, shown)
	}
	return a, fault.Of(err)
}

// countUndefined counts, for each element of a condition, the draws in which it is undefined.
func (a *Answer) countUndefined(ctx context.Context, src drawSource, shown int) error {
	o := src.Run
	question := o.Inquiry.AskUndefined(a.Query)
	if question == nil || question.Variable().Size() != a.Size {
		return nil
	}
	result, err := asked.Evaluate(ctx, question, 0, shown, src, o.deviceFor(ctx, question))
	if err != nil {
		return err
	}
	for _, chains := range result.Values {
		n := 0
		for _, draws := range chains {
			for _, x := range draws {
				if x != 0 {
					n++
				}
			}
		}
		a.Undefined = append(a.Undefined, n)
	}
	return nil
}

// compileFrom is the number of evaluated elements from which compiling code is faster than interpreting.
const compileFrom = 5e6

// deviceFor returns the portable device, which needs no compilation, for small questions, else the fast device.
func (o *Run) deviceFor(ctx context.Context, q *compiler.Question) infer.Device {
	if work := float64(q.Work()) * float64(o.Stored.Info.Draws*o.Stored.Layout.Chains); work < compileFrom {
		return infer.Lowered(host.Device{})
	}
	return o.device(ctx)
}
