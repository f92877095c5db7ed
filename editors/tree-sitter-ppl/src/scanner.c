// Decides which newline ends a statement: one where a statement may end, unless the next line goes on with ->, ?, :, ||
// or &&. Everywhere else newlines are blanks.
#include "tree_sitter/parser.h"

enum { NEWLINE };

void *tree_sitter_ppl_external_scanner_create(void) { return 0; }
void tree_sitter_ppl_external_scanner_destroy(void *state) {}
unsigned tree_sitter_ppl_external_scanner_serialize(void *state, char *buffer) { return 0; }
void tree_sitter_ppl_external_scanner_deserialize(void *state, const char *buffer, unsigned length) {}

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// goes_on reads what the next line begins with, after blank lines and comments.
static bool goes_on(TSLexer *lexer) {
  for (;;) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
    if (lexer->lookahead != '#') break;
    while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, false);
  }
  int32_t first = lexer->lookahead;
  if (first == '?' || first == ':') return true;
  if (first != '-' && first != '|' && first != '&') return false;
  lexer->advance(lexer, false);
  return lexer->lookahead == (first == '-' ? '>' : first);
}

bool tree_sitter_ppl_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  if (!valid[NEWLINE]) return false;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r') lexer->advance(lexer, true);
  if (lexer->lookahead != '\n') return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  lexer->result_symbol = NEWLINE;
  return !goes_on(lexer);
}
