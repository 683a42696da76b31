import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** Requests to end: by orchestrators and service managers, by Ctrl-C, and by a terminal that closes. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The signals that ask the process to end, from its first line on. */
export interface Termination {
  /** Calls back for each signal, also for those that came before. */
  handle(onSignal: () => void): void
  /** Gives the signals their usual effect, also those that came before. */
  release(): void
}

/**
 * Catches the signals until a command says what they do. As process 1 of a container a process without handlers ignores SIGTERM; as
 * any other it ends as if it had crashed. A signal that the parent ignores, as `nohup` does with SIGHUP, stays ignored.
 */
export function catchTermination(): Termination {
  const early: NodeJS.Signals[] = []
  let onSignal = (signal: NodeJS.Signals): void => void early.push(signal)
  const listener = (signal: NodeJS.Signals) => onSignal(signal)
  const caught = SIGNALS.filter((signal) => !isIgnored(signal))
  for (const signal of caught) process.on(signal, listener)
  return {
    handle(callback) {
      onSignal = () => callback()
      for (const _ of early.splice(0)) callback()
    },
    release() {
      for (const signal of caught) process.off(signal, listener)
      for (const signal of early.splice(0)) process.kill(process.pid, signal)
    },
  }
}

/** Read from the mask of proc(5). Systems without it, such as macOS, cannot be asked. */
function isIgnored(signal: NodeJS.Signals): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readStatus()) ?? []
    return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n
  } catch {
    return false
  }
}

const readStatus = (): string => readFileSync('/proc/self/status', 'utf8')
