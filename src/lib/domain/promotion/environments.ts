import { EnvironmentName, LifecycleName } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  createPipeline,
  DEPRECATED,
  type EnvironmentRow,
  FIRST,
  type Pipeline,
} from './pipeline.ts'

const ENVIRONMENTS_MAX = 10

const RESERVED: readonly string[] = [FIRST, DEPRECATED]
/** Environments and lifecycles that the specification gives to managers. */
const FOR_MANAGERS: readonly string[] = ['staging', 'production']

/** `name:lifecycle:role` per environment, in the order of promotion. Every mistake is reported, by its row. */
export function parseEnvironments(given: string): Result<Pipeline, string> {
  const texts = given.split(',').map((row) => row.trim())
  if (texts.length > ENVIRONMENTS_MAX) {
    return err(`may have at most ${ENVIRONMENTS_MAX} environments, and has ${texts.length}`)
  }
  const rows: EnvironmentRow[] = []
  const mistakes: string[] = []
  for (const [index, text] of texts.entries()) {
    const row = parseRow(text, rows)
    if (row.ok) rows.push(row.value)
    else mistakes.push(`row ${index + 1} ${row.error}`)
  }
  const [first, ...others] = rows
  return first === undefined || mistakes.length > 0
    ? err(`must be name:lifecycle:role, one row per environment: ${mistakes.join('; ')}`)
    : ok(createPipeline([first, ...others]))
}

function parseRow(text: string, before: readonly EnvironmentRow[]): Result<EnvironmentRow, string> {
  const [name, lifecycleText, promotedBy, ...rest] = text.split(':')
  const environment = EnvironmentName.parse(name)
  const lifecycle = LifecycleName.parse(lifecycleText)
  if (promotedBy === undefined || rest.length > 0) return err('needs three parts')
  if (environment === undefined) {
    return err(
      `needs as its name up to ${EnvironmentName.maxLength} lower-case letters, digits and inner dashes`,
    )
  }
  if (lifecycle === undefined) {
    return err(
      `needs as its lifecycle up to ${LifecycleName.maxLength} lower-case letters, digits and inner dashes`,
    )
  }
  if (promotedBy !== 'member' && promotedBy !== 'manager') {
    return err('needs as its role member or manager')
  }
  if (RESERVED.includes(lifecycle)) {
    return err(`has a lifecycle that is reserved: ${RESERVED.join(' and ')}`)
  }
  if (promotedBy === 'member' && [environment, lifecycle].some(isForManagers)) {
    return err(`is ${FOR_MANAGERS.join(' or ')}, which only managers may promote to`)
  }
  if (before.some((row) => row.environment === environment)) return err('repeats a name')
  if (before.some((row) => row.lifecycle === lifecycle)) return err('repeats a lifecycle')
  return ok({ environment, lifecycle, promotedBy })
}

const isForManagers = (name: string): boolean => FOR_MANAGERS.includes(name)
