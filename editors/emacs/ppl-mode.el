;;; ppl-mode.el --- Major mode for Bayesian models in ppl  -*- lexical-binding: t; -*-

;;; Commentary:
;; Colours .ppl files.  With eglot, M-x eglot starts the language server `ppl lsp'.

;;; Code:

(defvar ppl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    table))

(defconst ppl-font-lock-keywords
  `((,(regexp-opt '("data" "from" "generate" "import" "infer" "factor" "at" "return" "in") 'words)
     . font-lock-keyword-face)
    (,(regexp-opt '("censored" "missing" "noncentered" "ordered" "rounded" "upto" "weight" "zerosum" "complete"
                    "columns" "by" "permute")
                  'words)
     . font-lock-builtin-face)
    (,(regexp-opt '("inf" "pi") 'words) . font-lock-constant-face)
    ("\\<[A-Z][A-Za-z0-9]*(" (0 font-lock-type-face))
    ("\\<\\([a-z_][A-Za-z0-9_]*\\)(" (1 font-lock-function-name-face))))

;;;###autoload
(define-derived-mode ppl-mode prog-mode "ppl"
  "Major mode for models in ppl."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+\\s-*")
  (setq-local font-lock-defaults '(ppl-font-lock-keywords nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ppl\\'" . ppl-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(ppl-mode . ("ppl" "lsp"))))

(provide 'ppl-mode)
;;; ppl-mode.el ends here
