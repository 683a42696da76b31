import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../concurrency/lazily.ts'
import { Nullable } from '../../schema/nullable.ts'
import { parseJson } from '../../text/json.ts'
import { referenceFields } from './entity.ts'
import type { ParsedFile } from './parse-file.ts'
import { problemCodes } from './problem.ts'

/*
 * Parsed files as JSON, from another thread or an earlier process. Structured clones of as many files take twice as long. This
 * module stays out of `parser-worker.ts`, whose thread starts faster without typebox.
 */

const Text = Nullable(Type.String())
const Count = Nullable(Type.Integer())
export const ParsedFileSchema = Type.Object({
  findings: Type.Array(
    Type.Object({
      severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
      code: Type.Enum([...problemCodes]),
      line: Count,
      column: Count,
      ref: Text,
      message: Type.String(),
    }),
  ),
  entities: Type.Array(
    Type.Object({
      card: Type.Object({
        kind: Type.String(),
        name: Type.String(),
        title: Text,
        tags: Type.Array(Type.String()),
        type: Text,
        lifecycle: Text,
        owner: Text,
        system: Text,
      }),
      json: Type.String(),
      text: Type.Object({
        folded: Type.String(),
        nameEnd: Type.Integer(),
        titleEnd: Type.Integer(),
      }),
      references: Type.Array(
        Type.Object({
          field: Type.Enum([...referenceFields]),
          text: Type.String(),
          line: Type.Integer(),
          column: Type.Integer(),
        }),
      ),
      line: Type.Integer(),
    }),
  ),
})
const files = lazily(() => Compile(Type.Array(ParsedFileSchema)))
/** `undefined` when the text is not JSON of parsed files. */
export function readParsedFiles(text: string): readonly ParsedFile[] | undefined {
  const value = parseJson(text)
  return files().Check(value) ? value : undefined
}
