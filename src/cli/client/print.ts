import { printable, printableJson } from '../printable.ts'

/** Writes a line. Texts of a portal are never obeyed by the terminal. */
export const line = (text: string): void => console.log(printable(text))

export const printJson = (value: unknown): void => console.log(printableJson(value))

export type Tone = 'good' | 'bad' | 'soft'

const CODES: Readonly<Record<Tone, string>> = { good: '32', bad: '31', soft: '2' }

const hasColours = (): boolean =>
  process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'

const coloured = (text: string, tone: Tone | undefined): string =>
  tone !== undefined && hasColours() ? `\u001B[${CODES[tone]}m${text}\u001B[0m` : text

export interface Cell {
  readonly text: string
  readonly tone?: Tone
}

/** Columns as wide as their longest cell. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
): void {
  const cells = [head.map((text) => ({ text, tone: 'soft' as const })), ...rows].map((row) =>
    row.map((cell): Cell => {
      const { text, tone }: Cell = typeof cell === 'string' ? { text: cell } : cell
      return { text: printable(text), ...(tone !== undefined && { tone }) }
    }),
  )
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => Bun.stringWidth(row[column]?.text ?? ''))),
  )
  for (const row of cells) {
    const padded = row.map(({ text, tone }, column) => {
      const gap = ' '.repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(text)))
      return `${coloured(text, tone)}${column === row.length - 1 ? '' : gap}`
    })
    console.log(padded.join('  '))
  }
}
