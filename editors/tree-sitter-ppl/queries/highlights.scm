["data" "from" "generate" "import" "infer" "factor" "at" "return" "in"] @keyword
["by" "columns" "missing" "complete" "holdout" "seed" "order" "permute" "censored" "weight" "upto" "rounded"] @keyword.modifier
(flag) @keyword.modifier
(type name: (name) @type.builtin)
(constant) @constant.builtin
(number) @number
(string) @string
(comment) @comment
(call function: (name) @function.call)
((call function: (name) @type) (#match? @type "^[A-Z]"))
(head name: (name) @variable)
(declaration name: (name) @variable)
(slot index: (name) @variable.parameter)
(binder index: (name) @variable.parameter)
["~" "=" "->" "?" ":" ".." "+=" "^" "!" "-"] @operator
(binary operator: _ @operator)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "."] @punctuation.delimiter
