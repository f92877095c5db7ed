package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/topics"
	"ppl/autodiff"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/runtime/gpu"
)

// A stage is a stage of the compiler whose result can be printed.
type stage struct {
	name, doc string
	needsData bool                                                         // whether it needs the data
	print     func(c *terminal.Console, model string, data []string) error // nil for the library
}

func stages() []stage {
	return []stage{
		{"ast", "the syntax tree", false, printTree},
		{"model", "the checked model: arrays with their roles, and terms of the density", false, printModel},
		{"graph", "the density and its gradient as one lane computes them", true, printGraph},
		{"gorgonia", "the density of the parameters by name, and its gradients, as a graph of Gorgonia's, for Graphviz",
			true, printGorgonia},
		{"ir", "the loops that devices run", true, printIR},
		{"c", "what the native device compiles", true, printWith(render.C)},
		{"library", "the log density as a shared library, with a header, for C, Python, R and Julia: --out FILE", true,
			nil},
		{"cuda", "the same loops for 32 walkers on an NVIDIA GPU, as NVRTC compiles them", true, printWith(forGPU)},
	}
}

func stageNames(which func(s stage) bool) string {
	var names []string
	for _, s := range stages() {
		if which(s) {
			names = append(names, s.name)
		}
	}
	return diag.And(names)
}

func anyStage(stage) bool { return true }

// stageDocs describes each stage in a line.
func stageDocs() string {
	var b strings.Builder
	for _, s := range stages() {
		fmt.Fprintf(&b, "\n  %-9s %s", s.name, s.doc)
	}
	return b.String()
}

func buildCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build --emit=STAGE MODEL [--data F|NAME=F]… [--out FILE]",
		Short: "Print what a stage of the compiler makes of a model",
		Long: "Print what a stage of the compiler makes of a model. " +
			stageNames(func(s stage) bool { return !s.needsData }) +
			" need no data; the others do, as sizes come from them.\n" + stageDocs(),
		Args: terminal.OneArg("MODEL"),

		DisableFlagsInUseLine: true,
	}
	data := terminal.AddDataFlag(cmd)
	emit := cmd.Flags().String("emit", "", "print `STAGE`: "+stageNames(anyStage))
	out := cmd.Flags().String("out", "", "write the library to `FILE` (default: the model's name with .so, here)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == *emit })
		if i < 0 {
			return fault.Usagef("--emit=%s: the stages are %s", *emit, stageNames(anyStage))
		}
		switch print := stages()[i].print; {
		case print == nil:
			return buildLibrary(cmd.Context(), c, args[0], *data, *out)
		case *out != "":
			return fault.Usagef("--out is for --emit=library; the other stages are printed")
		default:
			return print(c, args[0], *data)
		}
	}
	return cmd
}

func printTree(c *terminal.Console, path string, _ []string) error {
	text, err := source.ReadModel(path)
	if err != nil {
		return fault.Wrong(err)
	}
	file, ds := parse.File(source.New(path, text))
	if err := c.Diagnose(ds); err != nil {
		return err
	}
	ast.Print(c.Out, file)
	return nil
}

func printModel(c *terminal.Console, path string, _ []string) error {
	m, ds := compiler.Check(path)
	if err := c.Diagnose(ds); err != nil {
		return err
	}
	m.Print(c.Out)
	return nil
}

// printGraph prints the density and its gradient as a graph for one lane.
func printGraph(c *terminal.Console, path string, data []string) error {
	p, err := load(c, path, data)
	if err != nil {
		return err
	}
	g, d := densityOf(p)
	return g.Print(c.Out, d.prior, d.likelihood, d.gradient)
}

func printIR(c *terminal.Console, path string, data []string) error {
	p, err := lowerModel(c, path, data)
	if err == nil {
		p.Print(c.Out)
	}
	return err
}

// forGPU returns the text compiled for a GPU with 32 lanes, as a few chains with a short temperature ladder need.
func forGPU(p *ir.Program) string { return gpu.Text(p, render.Warp) }

// printWith returns a function that prints the loops as source text of a renderer.
func printWith(text func(*ir.Program) string) func(c *terminal.Console, path string, data []string) error {
	return func(c *terminal.Console, path string, data []string) error {
		p, err := lowerModel(c, path, data)
		if err == nil {
			fmt.Fprint(c.Out, text(p))
		}
		return err
	}
}

func lowerModel(c *terminal.Console, path string, data []string) (*ir.Program, error) {
	p, err := load(c, path, data)
	if err != nil {
		return nil, err
	}
	_, d := densityOf(p)
	program, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "log_prior", Value: d.prior}, {Name: "log_likelihood", Value: d.likelihood},
		{Name: "gradient", Value: d.gradient},
	}}})
	if err != nil {
		return nil, fault.Of(err)
	}
	return program, nil
}

// A density holds the nodes of a density in its graph. gradient is that of the sum of prior and likelihood.
type density struct{ prior, likelihood, gradient autodiff.Node }

// densityOf returns the graph of the density, in the precision that the model's infer statement selects. It ignores
// errors in that statement, which `ppl sample` reports.
func densityOf(p *compiler.Program) (*autodiff.Graph, density) {
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	_, values := p.Infer()
	settings, _ := settings.Parse(values)
	prior, likelihood := infer.InPrecision(p, settings.Precision).Density(theta)
	total := autodiff.Binary(autodiff.OpAdd, prior, likelihood)
	return g, density{prior, likelihood, autodiff.Grad(total, theta)[0]}
}

// StageTopics describes the stages of the compiler for `ppl help`.
func StageTopics() (all []topics.Topic) {
	for _, s := range stages() {
		all = append(all, topics.Topic{Name: s.name, Line: fmt.Sprintf("%-10s %s", s.name, s.doc),
			Text: fmt.Sprintf("ppl build --emit=%s\n\n%s", s.name, topics.Sentence(s.doc))})
	}
	return all
}
