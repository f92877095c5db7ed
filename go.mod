module ppl

go 1.26
