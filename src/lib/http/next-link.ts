/** The `Link` to the next page. Built from the parsed query, so that unknown parameters do not get into it. */
export function nextLink(
  request: Request,
  query: Readonly<Record<string, unknown>>,
  from: { readonly offset: number } | { readonly before: string },
): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, ...from })) {
    const text = String(value)
    if (text !== '') next.set(name, text)
  }
  return `<${new URL(request.url).pathname}?${next.toString()}>; rel="next"`
}
