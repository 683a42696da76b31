import type { OpenBao } from '#tests/peers/openbao.ts'

/** One thing that a login may or may not do, on an application of its own. */
export interface Act {
  readonly name: string
  /** Exists before: root makes it. */
  readonly given?: 'entry' | 'deleted entry'
  readonly act: (ask: Ask, path: (kind: string) => string) => ReturnType<OpenBao['request']>
}

type Ask = (method: string, path: string, body?: unknown) => ReturnType<OpenBao['request']>

let applications = 0

/** The names of those acts that the policy refuses, in order. Any other failure throws. */
export async function refusedBy(
  openbao: OpenBao,
  hcl: string,
  acts: readonly Act[],
): Promise<readonly string[]> {
  const policy = `tried-${crypto.randomUUID()}`
  await openbao.policy(policy, hcl)
  const refused = await Promise.all(
    acts.map(async ({ name, given, act }) => {
      applications += 1
      const entry = `payments/shop-${applications}/dev/env`
      if (given !== undefined) {
        await openbao.request('POST', `secret/data/${entry}`, { data: { KEPT: 'kept' } })
        if (given === 'deleted entry') await openbao.request('DELETE', `secret/data/${entry}`)
      }
      const token = await openbao.token({ policies: [policy], ttl: '1h' })
      const { status, json } = await act(
        (method, path, body) => openbao.request(method, path, body, { token }),
        (kind) => `secret/${kind}/${entry}`,
      )
      if (status === 403) return [name]
      if (status < 300) return []
      throw new Error(`${name}: ${status} ${JSON.stringify(json)}`)
    }),
  )
  return refused.flat()
}

/** The policy without one of its lines of rights: by that line, `path: capability` or `path: parameter`. */
export function weakenings(hcl: string): readonly (readonly [string, string])[] {
  const blocks = [...hcl.matchAll(/^path "([^"]+)" \{\n([\s\S]*?)^\}\n/gm)]
  return blocks.flatMap(([block, path = '', body = '']) => {
    const without = (line: string, newLine: string): string =>
      hcl.replace(block, block.replace(body, body.replace(line, newLine)))
    const [line = '', list = ''] = /^  capabilities = \[(.*)\]$/m.exec(body) ?? []
    const names = list.split(', ')
    const lessCapable = names.map((name): readonly [string, string] => [
      `${path}: ${JSON.parse(name) as string}`,
      without(line, `  capabilities = [${names.filter((other) => other !== name).join(', ')}]`),
    ])
    const parameters = [...body.matchAll(/^    "(\w+)" = \[.*\]\n/gm)].map(
      ([parameter, name]): readonly [string, string] => [
        `${path}: ${name}`,
        without(parameter, `    "another" = []\n`),
      ],
    )
    return [...lessCapable, ...parameters]
  })
}
