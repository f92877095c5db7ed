package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/ir"
	"ppl/compiler/lower"
	"ppl/compiler/render"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A stage of the compiler that can be printed.
type stage struct {
	name  string
	print func(c *console, model string, data []string) error
}

func stages() []stage {
	return []stage{
		{"ast", printTree},
		{"model", printModel},
		{"graph", printGraph},
		{"ir", printIR},
		{"c", printC},
	}
}

func buildCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build --emit=STAGE MODEL [--data F|NAME=F]…",
		Short: "Print a stage of the compiler: ast, model, graph, ir or c",
		Long: "Print what a stage of the compiler makes of a model: ast and model need no data, the others do, as " +
			"sizes come from them.",
		Args: one("MODEL"),

		DisableFlagsInUseLine: true,
	}
	data := dataFlag(cmd)
	emit := cmd.Flags().String("emit", "", "print `STAGE`: ast, model, graph, ir or c")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == *emit })
		if i < 0 {
			return usagef("--emit=%s: the stages are ast, model, graph, ir and c", *emit)
		}
		return stages()[i].print(c, args[0], *data)
	}
	return cmd
}

func printTree(c *console, path string, _ []string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return wrong(err)
	}
	file, ds := parse.File(source.New(path, string(text)))
	if err := c.diagnose(ds); err != nil {
		return err
	}
	writeTree(c.out, file)
	return nil
}

func printModel(c *console, path string, _ []string) error {
	m, ds := compiler.Check(path)
	if err := c.diagnose(ds); err != nil {
		return err
	}
	writeModel(c.out, m)
	return nil
}

// printGraph prints the density and its gradient as one lane computes them.
func printGraph(c *console, path string, data []string) error {
	p, err := c.loadWhole(path, data)
	if err != nil {
		return err
	}
	g, d := densityOf(p)
	return g.Print(c.out, d.prior, d.likelihood, d.gradient)
}

func printIR(c *console, path string, data []string) error {
	p, err := c.lowered(path, data)
	if err == nil {
		p.Print(c.out)
	}
	return err
}

// printC prints what the native device compiles.
func printC(c *console, path string, data []string) error {
	p, err := c.lowered(path, data)
	if err == nil {
		fmt.Fprint(c.out, render.C(p))
	}
	return err
}

func (c *console) lowered(path string, data []string) (*ir.Program, error) {
	p, err := c.loadWhole(path, data)
	if err != nil {
		return nil, err
	}
	_, d := densityOf(p)
	program, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "log_prior", Value: d.prior}, {Name: "log_likelihood", Value: d.likelihood},
		{Name: "gradient", Value: d.gradient},
	}}})
	if err != nil {
		return nil, failed(err)
	}
	return program, nil
}

// A density's values in its graph; the gradient is that of the sum.
type density struct{ prior, likelihood, gradient autodiff.Node }

// It has the precision that the model's infer statement says; what is wrong with that is for ppl sample to say.
func densityOf(p *compiler.Program) (*autodiff.Graph, density) {
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	_, values := p.Infer()
	settings, _ := settings.Parse(values)
	prior, likelihood := infer.InPrecision(p, settings.Precision).Density(theta)
	total := autodiff.Binary(autodiff.OpAdd, prior, likelihood)
	return g, density{prior, likelihood, autodiff.Grad(total, theta)[0]}
}

func indent(w io.Writer, depth int) { io.WriteString(w, strings.Repeat("    ", depth)) }
