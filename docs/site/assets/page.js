// Formulas become MathML, which browsers show without fonts of their own.
for (const formula of document.querySelectorAll(".arithmatex")) {
  const text = formula.textContent.trim();
  katex.render(text.slice(2, -2), formula, {
    output: "mathml", displayMode: text.startsWith("\\["), throwOnError: false,
  });
}

// What the theme leaves out for people without a mouse or without a screen: what scrolls can be reached by the keyboard,
// also after the theme has changed it, and the search has a name.
function makeReachable() {
  for (const box of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap, div.arithmatex")) {
    if (!box.hasAttribute("tabindex")) box.tabIndex = 0;
  }
}
makeReachable();
new MutationObserver(makeReachable)
  .observe(document.querySelector(".md-content"), { subtree: true, childList: true, attributeFilter: ["tabindex"] });
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
