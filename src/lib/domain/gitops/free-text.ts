/** Wraps text in a code block, where no git host looks for mentions, issues or HTML. The fence is longer than any in the text. */
export function quoted(text: string): readonly string[] {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)))
  return [fence, text, fence]
}

/** Removes the characters that a git host reads as markup or a mention. */
export const plain = (name: string): string => name.replaceAll(/[\\`*_[\]<>#|~@&\p{Cc}]/gu, '')
