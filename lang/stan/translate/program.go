package translate

import (
	"slices"
	"strings"

	"ppl/lang/stan"
)

// callOfProgram translates a call of a function that the program defines. ok is false for other functions.
func (x *executor) callOfProgram(e *stan.Call) (v value, ok bool) {
	name := stan.Normalized(e.Fun.Name)
	if x.info.Functions[name] == nil {
		return value{}, false
	}
	return x.callUserByName(name, e.Args), true
}

// callUser translates a call whose value is not used.
func (x *executor) callUser(e *stan.Call) { x.callUserByName(e.Fun.Name, e.Args) }

func (x *executor) callUserByName(name string, args []stan.Expr) value {
	types := make([]stan.Type, len(args))
	for i, a := range args {
		types[i] = x.info.Types[a]
	}
	f := x.definition(name, types)
	return x.run(f, x.args(args))
}

// definition returns the overload of a function that accepts arguments of the given types.
func (x *executor) definition(name string, types []stan.Type) *stan.Function {
	all := x.info.Functions[name]
	for _, f := range all {
		fits := len(f.Params) == len(types)
		for i := 0; fits && i < len(types); i++ {
			fits = f.Params[i].Type.Takes(types[i])
		}
		if fits {
			return f
		}
	}
	if len(all) == 0 {
		refuse("`" + name + "` is not defined")
	}
	return all[0]
}

// run translates the body of a function. Its variables become statements of the model.
func (x *executor) run(f *stan.Function, args []value) value {
	x.calls++
	if x.calls > maxCalls {
		refuse("`" + f.Name.Name + "` calls itself too often")
	}
	scopes, at, end := x.scopes, x.at, x.end
	x.end = f.Body.At.End
	defer func() { x.scopes, x.end = scopes, end }()
	x.scopes = []map[string]*cell{{}}
	for i, p := range f.Params {
		v := args[i]
		c := &cell{name: p.Name.Name, typ: p.Type, dims: v.dims, outer: slices.Clone(x.plates)}
		x.declare(c)
		v.typ = p.Type
		if v.isScalar() && p.Type.Word == "real" {
			t := v.number()
			t = t.real()
			v = scalar(t)
		}
		x.states[c] = &state{base: &v}
	}
	r := x.stmts(f.Body.Stmts)
	x.at = at
	x.calls--
	if r.flow != returned || r.value.elem == nil {
		return value{typ: stan.Type{Word: "void"}, elem: func([]term) term { return constant(0) }}
	}
	r.value.typ = f.Result
	return r.value
}

func takesFunction(name string) bool {
	return strings.HasPrefix(name, "ode_") || strings.HasPrefix(name, "integrate_") || name == "reduce_sum" ||
		name == "reduce_sum_static" || name == "map_rect" || strings.HasPrefix(name, "algebra_solver") ||
		strings.HasPrefix(name, "solve_") || strings.HasPrefix(name, "dae")
}

// solve translates a call that passes a function as an argument.
func (x *executor) solve(e *stan.Call) value {
	if s, ok := solvers[e.Fun.Name]; ok {
		return x.trajectory(e, s)
	}
	if strings.HasPrefix(e.Fun.Name, "reduce_sum") {
		return x.reduceSum(e)
	}
	refuse("`" + e.Fun.Name + "` is not translated yet")
	return value{}
}

// reduceSum translates reduce_sum as one call of the function with the full first argument.
func (x *executor) reduceSum(e *stan.Call) value {
	name, ok := stan.Bare(e.Args[0]).(*stan.Name)
	if !ok || len(e.Args) < 3 {
		refuse("this form of `reduce_sum` is not translated yet")
	}
	all := x.eval(e.Args[1])
	args := append([]value{all, scalar(constant(1)), scalar(all.size())}, x.args(e.Args[3:])...)
	fs := x.info.Functions[stan.Normalized(name.Name)]
	if len(fs) == 0 {
		refuse("`" + name.Name + "` is not defined")
	}
	return x.run(fs[0], args)
}
