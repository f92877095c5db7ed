if exists('b:current_syntax')
  finish
endif
syntax keyword pplStatement data from generate import infer factor at return in
syntax keyword pplModifier censored missing noncentered ordered rounded upto weight zerosum complete columns by permute
syntax keyword pplType real int bool index
syntax keyword pplConstant inf pi
syntax match pplNumber /\<\d\+\(\.\d\+\)\?\([eE][-+]\?\d\+\)\?\>/
syntax match pplDistribution /\<\u\w*\ze(/
syntax match pplFunction /\<[a-z_]\w*\ze(/
syntax match pplOperator /[~=]\|->/
syntax region pplString start=/"/ skip=/\\./ end=/"/ oneline
syntax match pplComment /#.*$/ contains=@Spell
highlight default link pplStatement Statement
highlight default link pplModifier StorageClass
highlight default link pplType Type
highlight default link pplConstant Constant
highlight default link pplNumber Number
highlight default link pplDistribution Type
highlight default link pplFunction Function
highlight default link pplOperator Operator
highlight default link pplString String
highlight default link pplComment Comment
let b:current_syntax = 'ppl'
