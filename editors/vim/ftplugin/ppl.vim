" Settings of .ppl files, and the language server if Neovim has a client for it.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s expandtab shiftwidth=4 softtabstop=4
let b:undo_ftplugin = 'setlocal commentstring< expandtab< shiftwidth< softtabstop<'
if has('nvim-0.8') && executable('ppl')
  lua vim.lsp.start({ name = 'ppl', cmd = { 'ppl', 'lsp' }, root_dir = vim.fn.expand('%:p:h') })
endif
