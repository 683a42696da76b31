/** The elements and attributes that the pages that the server renders are made of. Anything else on a page came from what somebody wrote. */
const ELEMENTS = new Set(
  `a b bdi blockquote body br button code dd del details div dl dt em form h1 h2 h3 h4 head header hr html input label li link
  main meta nav ol option p path pre rect section select small span strong summary svg table tbody td textarea th thead time
  title tr ul`.split(/\s+/),
)
const ATTRIBUTES = new Set(
  `action aria-current aria-describedby aria-disabled aria-hidden aria-label aria-labelledby charset class content d data-tone
  datetime for height href id lang maxlength method name open popover popovertarget rel required role rows rx scope selected start tabindex title type
  value viewbox width`.split(/\s+/),
)

/** What a page has that no template of ours writes: empty for a page without foreign markup. */
export async function foreignMarkup(page: string): Promise<readonly string[]> {
  const found = new Set<string>()
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      if (!ELEMENTS.has(tagName.toLowerCase())) found.add(`<${tagName}>`)
      for (const [name = '', value = ''] of attributes) {
        if (!ATTRIBUTES.has(name.toLowerCase())) found.add(`${tagName} ${name}`)
        if (/^\s*(?:javascript|data|vbscript):/i.test(value))
          found.add(`${tagName} ${name}=${value}`)
      }
    },
  })
  await rewriter.transform(new Response(page)).text()
  return [...found]
}

/** The text of the elements that a selector finds, with entities decoded and white space collapsed. */
export async function textsOf(page: string, selector: string): Promise<readonly string[]> {
  const texts: string[] = []
  const rewriter = new HTMLRewriter().on(selector, {
    element() {
      texts.push('')
    },
    text({ text }) {
      texts.push(`${texts.pop() ?? ''}${text}`)
    },
  })
  await rewriter.transform(new Response(page)).text()
  return texts.map((text) => decoded(text).replaceAll(/\s+/g, ' ').trim())
}

/** The values of an attribute of the elements that a selector finds. */
export async function attributesOf(
  page: string,
  selector: string,
  name: string,
): Promise<readonly string[]> {
  const values: string[] = []
  const rewriter = new HTMLRewriter().on(selector, {
    element(element) {
      const value = element.getAttribute(name)
      if (value !== null) values.push(decoded(value))
    },
  })
  await rewriter.transform(new Response(page)).text()
  return values
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const decoded = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (found) => ENTITIES[found] ?? found)
