import { lstatSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { settings } from '../../config/table.ts'
import { TEMPLATES_FOLDER } from '../../lib/domain/scaffold/templates.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'
import { type CheckedCheckout, checkCheckout } from './check-checkout.ts'
import { createCheckout } from './checkout.ts'
import { type Format, formats } from './reports.ts'
import { printable } from '../printable.ts'

export interface ValidateRequest {
  readonly folder: string
  readonly format: Format
  readonly print: (text: string) => void
}

export type ValidateFailure =
  | { readonly kind: 'settings'; readonly mistakes: readonly SettingMistake[] }
  /** Nothing is known of the files. `reason` is for the terminal. */
  | { readonly kind: 'unusable_folder'; readonly reason: string }

/** Checks a checkout without a service, and prints what is wrong. Answers whether there is no error. */
export async function validate(
  { folder, format, print }: ValidateRequest,
  source: SettingSource,
): Promise<Result<boolean, ValidateFailure>> {
  const { ENVIRONMENTS, CATALOG_DIRECTORY } = settings
  const read = readSettings({ ENVIRONMENTS, CATALOG_DIRECTORY }, source)
  if (!read.ok) return err({ kind: 'settings', mistakes: read.error })
  const opened = openFolder(folder, [read.value.CATALOG_DIRECTORY, TEMPLATES_FOLDER])
  if (!opened.ok) return opened

  const checked = await checkCheckout(
    createCheckout(opened.value),
    read.value.ENVIRONMENTS.lifecycles,
    read.value.CATALOG_DIRECTORY,
  )
  if (!checked.ok) return unusable(checked.error)
  print(formats[format](checked.value, { given: folder, prefix: prefixOf(opened.value) }))
  return ok(isFine(checked.value))
}

const isFine = ({ problems }: CheckedCheckout): boolean =>
  problems.every(({ severity }) => severity !== 'error')

const unusable = (reason: string) =>
  err({ kind: 'unusable_folder', reason: printable(reason) } as const)

/** The real path of a folder that has at least one of these below it: a check of the wrong folder would find nothing wrong. */
function openFolder(folder: string, oneOf: readonly string[]): Result<string, ValidateFailure> {
  try {
    const root = realpathSync(folder)
    if (!statSync(root).isDirectory()) return unusable(`${folder} is not a folder`)
    return oneOf.some((name) => mayBeFolder(join(root, name)))
      ? ok(root)
      : unusable(`${folder} has neither ${oneOf.join(' nor ')}: name the folder of a checkout`)
  } catch (cause) {
    const errno = errnoOf(cause)
    return unusable(
      errno === 'ENOENT' ? `${folder} does not exist` : `${folder} cannot be read: ${errno}`,
    )
  }
}

/** A link counts: it is not followed, and named. */
function mayBeFolder(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false })
  return found?.isDirectory() === true || found?.isSymbolicLink() === true
}

const errnoOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)

function prefixOf(root: string): string {
  const path = relative(realpathSync('.'), root)
  return isAbsolute(path) || path.split(sep)[0] === '..' ? '' : path.replaceAll(sep, '/')
}
