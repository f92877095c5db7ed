// Command eightschools samples a model and reads its draws. It writes no files.
package main

import (
	"context"
	"fmt"
	"log"

	"ppl/app"
	"ppl/app/notes"
)

const model = `
data y[N] = [28, 8, -3, 7, -1, 1, 18, 12]
data sigma[N] = [15, 10, 16, 11, 9, 11, 10, 18]
mu ~ Normal(0, 5)
tau ~ HalfCauchy(5)
theta[i in N] ~ Normal(mu, tau)
y[i in N] ~ Normal(theta[i], sigma[i])
`

func main() {
	request := app.NewRequest("schools.ppl")
	request.Text, request.Seed = model, 1
	run, err := app.Sample(context.Background(), request, notes.None{})
	if err != nil {
		log.Fatal(err)
	}
	chains, err := run.Draws("mu")
	if err != nil {
		log.Fatal(err)
	}
	sum, n := 0., 0
	for _, draws := range chains {
		for _, mu := range draws {
			sum, n = sum+mu, n+1
		}
	}
	fmt.Printf("%d chains of %d draws, mean of mu %.2f\n", len(chains), run.Info.Draws, sum/float64(n))
}
