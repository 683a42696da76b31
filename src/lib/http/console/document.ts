/** Addresses of the files that the document loads. */
interface DocumentParts {
  readonly icon: string
  readonly font: string
  readonly script: string
  /** Scripts that the script imports at once. */
  readonly preloads: readonly string[]
}

const SCRIPT = /[ \t]*<script type="module" src="main.tsx"><\/script>/

/** The document of all pages: `src/console/index.html` with the addresses of the built files. */
export function documentOf(template: string, { icon, font, script, preloads }: DocumentParts) {
  const tags = [
    ...preloads.map((preload) => `<link rel="modulepreload" href="${preload}" />`),
    `<script type="module" src="${script}"></script>`,
  ]
  const replacements = [
    ['href="icon.svg"', `href="${icon}"`],
    ['href="inter.woff2"', `href="${font}"`],
    [SCRIPT, tags.map((tag) => `    ${tag}`).join('\n')],
  ] as const
  return replacements.reduce((document, [place, text]) => {
    if (document.search(place) < 0) throw new Error(`src/console/index.html has no ${place}`)
    return document.replace(place, () => text)
  }, template)
}
