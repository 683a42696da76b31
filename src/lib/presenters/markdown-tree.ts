import { Type } from 'typebox'
import { parseMarkdown } from '../text/markdown.ts'

/** Parsing takes time that other requests wait for. */
const CHARACTERS_MAX = 128 * 1024

export const MarkdownTree = Type.Object(
  {
    nodes: Type.Array(
      Type.Union([
        Type.String(),
        Type.Object({
          type: Type.String({ description: 'Name of an HTML element, such as `p`' }),
          properties: Type.Record(
            Type.String(),
            Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
          ),
          children: Type.Array(Type.Unknown()),
        }),
      ]),
      { description: 'Texts, and elements with further nodes inside' },
    ),
    truncated: Type.Boolean({ description: 'The text is longer than 128 KiB' }),
  },
  { $id: 'MarkdownTree' },
)

/** A Markdown text for pages that draw it: HTML in it is text. */
export const markdownTree = (text: string) => ({
  nodes: parseMarkdown(text.slice(0, CHARACTERS_MAX)),
  truncated: text.length > CHARACTERS_MAX,
})
