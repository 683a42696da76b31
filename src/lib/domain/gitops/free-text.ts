/** As a code block, in which no host looks for mentions, issues or HTML. The fence is longer than any in the text. */
export function quoted(text: string): readonly string[] {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)))
  return [fence, text, fence]
}

/** A name without what a git host would read as markup or a mention. */
export const plain = (name: string): string => name.replaceAll(/[\\`*_[\]<>#|~@&\p{Cc}]/gu, '')
