/** One instruction of a Dockerfile, continued lines joined. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly from: string
  readonly name: string | null
  readonly instructions: readonly Instruction[]
}

/** The stages of a Dockerfile, in order. */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const stages: (Stage & { instructions: Instruction[] })[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') {
      const [from = '', , alias] = rest.split(/\s+/)
      stages.push({ from, name: alias ?? null, instructions: [] })
      continue
    }
    const stage = stages.at(-1)
    if (stage === undefined) throw new Error(`before any stage: ${line}`)
    stage.instructions.push({ name, text: rest })
  }
  return stages
}

export const textsOf = ({ instructions }: Stage, name: string): readonly string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ text }) => text)
