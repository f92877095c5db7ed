// The grammar of ppl for tree-sitter, after lang/parse/grammar.go. src/scanner.c says which newline ends a statement.

const commaSep1 = (rule) => seq(rule, repeat(seq(',', rule)));

// Operators of two operands, from the loosest to the tightest.
const BINARY = [['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '@', '%']];
const PIPE = 1, CHOICE = 2, FIRST = 3, UNARY = 8, POWER = 9, POSTFIX = 10;

module.exports = grammar({
  name: 'ppl',
  externals: ($) => [$._newline],
  extras: ($) => [/[\s\ufeff]/, $.comment],
  word: ($) => $.name,
  conflicts: ($) => [[$.order], [$.declaration], [$._set, $._argument], [$.slot, $.binder]],

  rules: {
    source_file: ($) => seq(repeat($._newline), optional($._statements)),
    _statements: ($) => seq($._statement, repeat(seq(repeat1($._newline), $._statement)), repeat($._newline)),
    block: ($) => seq('{', repeat($._newline), optional($._statements), '}'),

    _statement: ($) => choice($.import, $.data, $.infer, $.return, $.factor, $.event, $.equation),
    import: ($) => seq('import', $.string),
    data: ($) => seq('data', commaSep1($.declaration), optional($.source)),
    source: ($) => seq('from', $.string, repeat(choice(
      seq('by', commaSep1(choice($.name, $.string))),
      seq('columns', commaSep1($.string)),
      seq('missing', commaSep1($._code)),
      'complete',
      seq('holdout', $.number, optional($.seed))))),
    seed: ($) => seq('seed', $.number),
    _code: ($) => choice($.string, $.number, $.unary),
    declaration: ($) => seq(field('name', $.name), optional($.slots), optional($.type), optional($.order),
      optional(seq('in', $.range)), optional(seq('permute', $.number, optional($.seed))),
      optional(prec.right(seq('missing', optional(choice(commaSep1($.string), $.number, $.unary))))),
      optional(seq('=', $._expression))),
    type: ($) => seq(':', field('name', $.name), optional(seq('(', $._set, ')'))),
    order: ($) => seq('order', commaSep1($.string)),

    infer: ($) => seq('infer', commaSep1($._callee)),
    return: ($) => seq('return', $._expression),
    factor: ($) => seq('factor', optional(seq($.slots, ':')), $._expression),
    event: ($) => seq('at', optional($.slots), $.name, '=', $._expression, ':', $._primary, '+=', $._expression),
    equation: ($) => seq(optional('generate'), commaSep1($.head), choice(
      seq('~', choice($.block, seq(field('distribution', $._callee), repeat($._modifier)))),
      seq('=', choice($.block, $._expression)))),
    head: ($) => seq(field('name', $.name), repeat(seq('.', $.name)), optional("'"), optional($.slots),
      optional($.parameters)),
    parameters: ($) => seq('(', optional(commaSep1($.parameter)), ')'),
    parameter: ($) => choice(seq($.name, optional($.slots), optional(seq('=', $._expression))), $.number, $.unary),

    _modifier: ($) => choice($.bounds, $.censored, $.weight, $.upto, $.rounded, $.flag),
    bounds: ($) => seq('in', $.range),
    censored: ($) => seq('censored', $.range),
    weight: ($) => seq('weight', $._expression),
    upto: ($) => seq('upto', $._expression),
    rounded: ($) => seq('rounded', $._expression),
    flag: ($) => choice('ordered', 'zerosum', 'noncentered'),

    slots: ($) => seq('[', commaSep1($.slot), ']'),
    slot: ($) => seq(optional(seq(field('index', $.name), 'in')), $._set),
    _set: ($) => choice($.range, $._expression),
    range: ($) => seq($._expression, '..', $._expression),

    _expression: ($) => choice($.pipe, $.choice, $.binary, $.unary, $.power, $._primary),
    pipe: ($) => prec.left(PIPE, seq($._expression, '->', $._callee)),
    choice: ($) => prec.right(CHOICE, seq($._expression, '?', $._expression, ':', $._expression)),
    binary: ($) => choice(...BINARY.map((row, i) => prec.left(FIRST + i,
      seq($._expression, field('operator', row.length > 1 ? choice(...row) : row[0]), $._expression)))),
    unary: ($) => prec(UNARY, seq(field('operator', choice('-', '!')), $._expression)),
    power: ($) => prec.right(POWER, seq($._expression, '^', $._expression)),
    _primary: ($) => choice($.number, $.string, $._callee, $.parenthesized, $.list, $.constant,
      alias($._postfix_of_list, $.subscript)),
    parenthesized: ($) => seq('(', $._expression, ')'),
    list: ($) => seq('[', optional($._arguments), ']'),
    _postfix_of_list: ($) => prec(POSTFIX, seq(choice($.parenthesized, $.list), '[', commaSep1($._set), ']')),
    constant: ($) => choice('inf', 'pi', 'true', 'false'),

    _callee: ($) => choice($.name, $.call, $.subscript, $.member),
    call: ($) => prec(POSTFIX, seq(field('function', $._callee), '(', optional($._arguments), ')')),
    subscript: ($) => prec(POSTFIX, seq($._callee, '[', commaSep1($._set), ']')),
    member: ($) => prec(POSTFIX, seq($._callee, '.', $.name)),
    _arguments: ($) => choice(seq(commaSep1($.binder), ':', $._expression), commaSep1($._argument)),
    binder: ($) => seq(field('index', $.name), 'in', $._set),
    _argument: ($) => choice($.named, $._expression),
    named: ($) => seq(field('name', $.name), '=', $._expression),

    name: () => /[\p{L}_][\p{L}\p{N}_]*/,
    number: () => /\d+(\.\d+)?([eE][-+]?\d+)?/,
    string: () => /"([^"\\\n]|\\.)*"/,
    comment: () => /#[^\n]*/,
  },
});
