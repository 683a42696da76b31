import { type Machine, machineOf } from './machine.ts'

/** User-agent client hints (https://wicg.github.io/ua-client-hints/), which TypeScript does not know and Chromium alone has. */
interface ClientHints {
  readonly platform: string
  getHighEntropyValues(hints: readonly string[]): Promise<{ readonly architecture?: string }>
}

/** The browser has the object as a whole, or not at all. */
function clientHints(): ClientHints | undefined {
  const value: unknown = Reflect.get(navigator, 'userAgentData')
  const isThere = typeof value === 'object' && value !== null && 'getHighEntropyValues' in value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return isThere ? (value as unknown as ClientHints) : undefined
}

export async function readMachine(): Promise<Machine> {
  const hints = clientHints()
  const detailed = await hints?.getHighEntropyValues(['architecture']).catch(() => undefined)
  return machineOf({
    platform: hints?.platform ?? '',
    architecture: detailed?.architecture ?? '',
    userAgent: navigator.userAgent,
  })
}
