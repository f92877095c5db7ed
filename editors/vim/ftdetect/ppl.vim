autocmd BufRead,BufNewFile *.ppl setfiletype ppl
