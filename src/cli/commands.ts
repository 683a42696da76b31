import { Command, Option } from 'commander'
import { readConfig, readUsableConfig, settingGroups } from '../config/config.ts'
import { settings } from '../config/table.ts'
import { addClient } from './client/register.ts'
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from './exit-status.ts'
import { readSettings, type SettingMistake } from '../lib/settings/setting.ts'
import type { Result } from '../lib/result.ts'
import { readText } from '../lib/settings/watched-files.ts'
import type { SecretsCopyRequest } from './secrets/copy.ts'
import type { SecretsResealRequest } from './secrets/reseal.ts'
import type { Termination } from '../termination.ts'
import type { ValidateRequest } from './validate/validate.ts'
import { COMMIT, VERSION } from '../version.ts'

/** For a source of settings, which takes an exception for a file that cannot be read. */
function readTextFile(path: string): string {
  const text = readText(path)
  if (!text.ok) throw new Error(text.error)
  return text.value
}

const print = (text: string): void => console.log(text)

const source = { environment: process.env, readFile: readTextFile }

/** Every mistake at once, those in files too. */
async function reportConfiguration(mistakes: readonly SettingMistake[]): Promise<void> {
  const { fileMistakes } = await import('../compose/chosen-ports.ts')
  reportUnusable(await fileMistakes(readUsableConfig(process.env, readTextFile)))
  reportMistakes(mistakes)
}

function reportMistakes(mistakes: readonly SettingMistake[]): void {
  for (const { variable, reason, example } of mistakes) {
    console.error(`${variable} ${reason}; for example ${example}`)
  }
  console.error('`portico config list` explains every variable; `portico demo` needs none of them.')
  process.exitCode = EXIT_CONFIG
}

/** Ends a command that answers whether all went well. */
function conclude(done: Result<boolean, readonly SettingMistake[]>): void {
  if (!done.ok) reportMistakes(done.error)
  else if (!done.value) process.exitCode = EXIT_FAILED
}

function reportUnusable(sentences: readonly string[]): void {
  for (const sentence of sentences) console.error(`portico: ${sentence}`)
  process.exitCode = EXIT_CONFIG
}

/** Runs the command that the arguments of the process name. */
export async function runCommand(termination: Termination): Promise<void> {
  const program = new Command('portico')
    .description('The backend of an internal developer portal in one executable')
    .version(VERSION)
  addService(program, termination)
  addConfig(program)
  addSecrets(program)
  addBackup(program)
  addValidate(program)
  addClient(program)
  addQuestions(program)
  program.hook('preAction', (_, command) => {
    if (!SERVING.includes(command.name())) termination.release()
  })
  await program.parseAsync()
}

/** Commands that end in their own way when they are asked to. */
const SERVING: readonly string[] = ['serve', 'demo']

function addService(program: Command, termination: Termination) {
  // A word that is no command is one that was misspelt, and never an argument of the service.
  const [, , first = '-'] = process.argv
  program
    .command('serve', { isDefault: first.startsWith('-') })
    .description('run the service, configured by environment variables')
    .action(async () => {
      const config = readConfig(process.env, readTextFile)
      if (!config.ok) return reportConfiguration(config.error)
      const { serve } = await import('./serve.ts')
      serve(config.value, termination)
    })

  program
    .command('demo')
    .description(
      'run the service on embedded defaults with made-up data, on the loopback interface',
    )
    .action(async () => {
      const { demo } = await import('../demo/demo.ts')
      demo(process.env, readTextFile, termination)
    })
}

function addConfig(program: Command) {
  const config = program.command('config').description('look at the configuration')

  config
    .command('check')
    .description('report every mistake in the environment, and in the files that it names')
    .option(
      '--connect',
      'try what is configured as well: identity provider, database, git, secret store, clusters',
    )
    .action(async ({ connect }: { readonly connect?: true }) => {
      const read = readConfig(process.env, readTextFile)
      if (!read.ok) return reportConfiguration(read.error)
      const { checkConfiguration, checkConnections } = await import('./connection-check.ts')
      const checked = await (connect === true ? checkConnections : checkConfiguration)(read.value)
      if (!checked.ok) return reportUnusable(checked.error)
      console.log(checked.value.text)
      if (!checked.value.ok) process.exitCode = EXIT_FAILED
    })

  config
    .command('list')
    .description('explain every environment variable')
    .action(() => {
      for (const { title, table } of settingGroups) {
        console.log(`${title}:\n`)
        for (const [variable, { fallback, secret, description, example }] of Object.entries(
          table,
        )) {
          const need = fallback === undefined ? 'required' : `default: ${fallback || 'none'}`
          const file = secret === true ? `, also as ${variable}_FILE` : ''
          console.log(`${variable}  (${need}${file})\n    ${description}`)
          console.log(`    for example ${example}\n`)
        }
      }
    })
}

function addSecrets(program: Command) {
  const secrets = program
    .command('secrets')
    .description('move the secrets of applications, or seal them with another key')

  secrets
    .command('copy')
    .description('copy them from one secret store to another; can be repeated, and shows no value')
    .requiredOption(
      '--from <store>',
      '`file`: the settings of the database and SECRET_STORE_KEYS say where it is',
    )
    .requiredOption('--to <store>', '`vault`: the settings that begin with VAULT say where it is')
    .option('--dry-run', 'say what would be copied, and write nothing', false)
    .option('--overwrite', 'replace values of keys that are there already', false)
    .action(async (options: Omit<SecretsCopyRequest, 'print'>) => {
      const { copySecrets } = await import('./secrets/copy.ts')
      conclude(await copySecrets({ ...options, print }, source))
    })

  secrets
    .command('reseal')
    .description(
      'seal the rows of the store `file` with the first key of SECRET_STORE_KEYS, and say what each key holds; can be repeated, and shows no value',
    )
    .option('--dry-run', 'say what each key holds, and write nothing', false)
    .action(async (options: Omit<SecretsResealRequest, 'print'>) => {
      const { resealSecrets } = await import('./secrets/reseal.ts')
      conclude(await resealSecrets({ ...options, print }, source))
    })
}

function addBackup(program: Command) {
  const report = (done: Result<string, string>) => {
    if (done.ok) return console.log(done.value)
    console.error(`portico: ${done.error}`)
    process.exitCode = EXIT_FAILED
  }
  const backup = program
    .command('backup')
    .description('copy the database, and the repositories of the embedded git host, to a file')

  backup
    .command('create', { isDefault: true, hidden: true })
    .requiredOption('--to <file>', 'replaced when the backup is whole')
    .action(async ({ to }: { readonly to: string }) => {
      const { backUp } = await import('./backup/backup.ts')
      const done = await backUp(to, source)
      if (done.ok) report(done.value)
      else reportMistakes(done.error)
    })

  backup
    .command('verify')
    .description('read a backup to its end, compare every digest, and say what it has')
    .argument('<file>', 'the backup')
    .action(async (file: string) => {
      const { verifyBackup } = await import('./backup/restore.ts')
      report(await verifyBackup(file))
    })

  program
    .command('restore')
    .description('put a backup into an empty data directory and an empty database')
    .argument('<file>', 'the backup')
    .action(async (file: string) => {
      const { restoreBackup } = await import('./backup/restore.ts')
      const done = await restoreBackup(file, source)
      if (done.ok) report(done.value)
      else reportMistakes(done.error)
    })
}

function addValidate(program: Command) {
  program
    .command('validate')
    .description(
      'check a checkout of the gitops or the templates repository, for its CI: exits with 1 when there are errors',
    )
    .argument('<folder>', 'the checkout')
    .addOption(
      new Option('--format <format>', 'the form of the report')
        .choices(['text', 'json', 'github', 'sarif'])
        .default('text'),
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE))
    .action(async (folder: string, { format }: Pick<ValidateRequest, 'format'>) => {
      const { validate } = await import('./validate/validate.ts')
      const valid = await validate({ folder, format, print }, source)
      if (valid.ok) {
        if (!valid.value) process.exitCode = EXIT_FAILED
      } else if (valid.error.kind === 'settings') reportMistakes(valid.error.mistakes)
      else {
        console.error(`portico: ${valid.error.reason}`)
        process.exitCode = EXIT_USAGE
      }
    })
}

/** Commands that need no installation. */
function addQuestions(program: Command) {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () => {
      const { ENVIRONMENTS } = settings
      const read = readSettings({ ENVIRONMENTS }, source)
      if (!read.ok) return reportMistakes(read.error)
      const { openApiText } = await import('../lib/presenters/openapi.ts')
      console.log(openApiText(read.value.ENVIRONMENTS))
    })

  program
    .command('healthcheck')
    .description('ask the service on this machine whether it lives; for container health checks')
    .action(async () => {
      const { isAlive } = await import('./healthcheck.ts')
      if (await isAlive(process.env)) return
      console.error('portico: the service does not answer')
      process.exitCode = EXIT_FAILED
    })

  program
    .command('version')
    .description('print the version, and the commit that the executable was built of')
    .action(() => console.log(COMMIT === null ? VERSION : `${VERSION} ${COMMIT}`))
}
