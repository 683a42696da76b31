/** Adds a style sheet to the document. The policy of the pages allows no markup of one, and asks for no file. */
export function adoptStyle(text: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}
