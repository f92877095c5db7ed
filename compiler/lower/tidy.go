package lower

import "ppl/compiler/ir"

func elideCopies(stmts []ir.Stmt, buffers []ir.Buffer) []ir.Stmt { return stmts }

func compact(p *ir.Program) *ir.Program { return p }
