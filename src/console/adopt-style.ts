/** Adds a style sheet to the document: the content security policy allows no `style` element, and a file would be one more request. */
export function adoptStyle(text: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}
