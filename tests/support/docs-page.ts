import { join } from 'node:path'
import { settingGroups } from '#src/config/config.ts'
import openapi from '#src/openapi.gen.json'

/** Names of all settings, with those of their files. */
export const settingNames: ReadonlySet<string> = new Set(
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name])),
)

/** A key of a setting such as `SESSION_KEYS`. */
export const keyOf = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`

/** Settings of a code block `env`. */
export const settingsIn = (block: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]),
  )

/** A page of `docs/`, or several that are read as one. */
export async function readPage(...files: readonly string[]) {
  const texts = files.map((file) => Bun.file(join('docs', file)).text())
  const text = (await Promise.all(texts)).join('\n')
  const matches = (pattern: RegExp) => [...text.matchAll(pattern)]
  return {
    text,
    /** Code blocks of a language, in the order of the page. */
    blocks: (language: string): readonly string[] =>
      matches(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')).map(
        ([, block = '']) => block,
      ),
    /** Code blocks that are a file: the comment in the first line is its path. */
    files: (): ReadonlyMap<string, string> =>
      new Map(
        matches(/^```\w+\n((?:# |\/\/ )([\w.{}/-]+)\n[\s\S]*?)^```/gm).map(
          ([, text = '', path = '']) => [path, text],
        ),
      ),
    sectionOf: (title: string): string => text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '',
    /** First groups of the pattern. */
    all: (pattern: RegExp): readonly string[] => matches(pattern).map(([, found = '']) => found),
    /** Paths of the API that are in the text. `unknown`: those that do not exist. */
    paths() {
      const paths = matches(/(\/api\/v1\/[a-zA-Z/{}-]+)/g).map(([path]) => path)
      return { count: paths.length, unknown: paths.filter((path) => !(path in openapi.paths)) }
    },
    /** Links of the text. `broken`: those whose file or heading does not exist. */
    async links() {
      const links = matches(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)
      const broken: string[] = []
      for (const [link, target = '', anchor] of links) {
        const other = target === '' ? text : await Bun.file(join('docs', target)).text()
        if (anchor !== undefined && !anchorsOf(other).includes(anchor)) broken.push(link)
      }
      return { count: links.length, broken }
    },
  }
}

const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
