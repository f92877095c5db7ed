" Settings of .ppl files, and the language server if Neovim has a client for it.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s expandtab shiftwidth=4 softtabstop=4
let b:undo_ftplugin = 'setlocal commentstring< expandtab< shiftwidth< softtabstop<'
if has('nvim-0.7') && executable('ppl')
  lua << EOF
  local settings = { name = 'ppl', cmd = { 'ppl', 'lsp' }, root_dir = vim.fn.expand('%:p:h') }
  if vim.lsp.start then
    vim.lsp.start(settings)
  else -- 0.7 has no such function: it starts a server for each buffer
    vim.lsp.buf_attach_client(0, vim.lsp.start_client(settings))
  end
EOF
endif
