import { type Command, Option } from 'commander'
import { EXIT_USAGE } from '../exit-status.ts'
import type { ApiRequest } from './api.ts'
import type { Output } from './apps.ts'
import type { LoginRequest } from './login.ts'
import type { LogsRequest } from './logs.ts'
import type { MoveRequest } from './moves.ts'
import type { NewRequest } from './new.ts'

const SCOPES = 'catalog:read clusters:read scaffold:write promotion:write'
const several = (value: string, before: readonly string[]): readonly string[] => [...before, value]

/** The commands for people who use a portal. Each loads what it needs, and nothing of the service. */
export function addClient(program: Command): void {
  const portalOption = () =>
    new Option('--portal <url>', 'the portal; else PORTICO_URL, or that of the last login')
  const outputOption = () =>
    new Option('--output <format>', 'text for people, json for programs')
      .choices(['text', 'json'])
      .default('text')
  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE))

  command('login <url>', 'sign in at a portal, by the browser')
    .option(
      '--paste',
      'show a page, and ask for the code that it gives: where no browser is',
      false,
    )
    .option('--no-browser', 'do not open the page')
    .option('--scopes <scopes>', 'what the command line may do, separated by spaces', SCOPES)
    .action((url: string, options: LoginRequest) =>
      run(async () => (await import('./login.ts')).login(url, options)),
    )
  command('logout', 'end the sign-in, here and at the portal')
    .addOption(portalOption())
    .action((options: Pick<Output, 'portal'>) =>
      run(async () => (await import('./login.ts')).logout(options)),
    )
  command('whoami', 'say who is signed in')
    .addOption(portalOption())
    .action((options: Pick<Output, 'portal'>) =>
      run(async () => (await import('./login.ts')).whoami(options)),
    )
  command('api <method> <path>', 'send a request of the API; errors are words and a status')
    .addOption(portalOption())
    .option('-f, --field <name=value>', 'a member of the body; a.b=1 is nested', several, [])
    .option('--input <file>', 'the body; - is standard input')
    .option('-i, --include', 'show the status and the headers', false)
    .option('--paginate', 'read all pages', false)
    .action((method: string, path: string, options: ApiRequest) =>
      run(async () => (await import('./api.ts')).api(method, path, options)),
    )
  command('list', 'list what runs where')
    .addOption(portalOption())
    .addOption(outputOption())
    .option('--team <team>', 'of a team; else of your teams')
    .action((options: Output & { readonly team?: string }) =>
      run(async () => (await import('./apps.ts')).list(options)),
    )
  command('status <app>', 'show the environments of an application')
    .addOption(portalOption())
    .addOption(outputOption())
    .action((app: string, options: Output) =>
      run(async () => (await import('./apps.ts')).status(app, options)),
    )
  const moving = (name: string, description: string) =>
    command(`${name} <app>`, description)
      .addOption(portalOption())
      .addOption(outputOption())
      .requiredOption('--to <environment>', 'the environment')
      .option('--message <text>', 'for the reviewer')
      .option('--set <name=value>', 'a setting, such as replicas=2', several, [])
      .option('--dry-run', 'show what would be proposed', false)
      .option('--wait', 'wait until it is merged or closed', false)
  const move = (app: string, options: MoveRequest) =>
    run(async () => (await import('./moves.ts')).move(app, options))
  moving('promote', 'propose an application for its next environment, by pull request')
    .option('--image <tag>', 'the image; else that of the environment before')
    .action(move)
  moving('release', 'propose another image or setting where an application runs')
    .option('--image <tag>', 'the image')
    .option('--from <environment>', 'the image that runs there')
    .action(move)
  moving('rollback', 'propose the image that ran before')
    .option('--image <tag>', 'an earlier one')
    .action((app: string, options: MoveRequest) =>
      run(async () => (await import('./moves.ts')).rollback(app, options)),
    )
  command('new <template>', 'start a project, with a question for each parameter')
    .addOption(portalOption())
    .option('--set <name=value>', 'an answer: appName, team, parameters.x, …', several, [])
    .action((template: string, options: NewRequest) =>
      run(async () => (await import('./new.ts')).start(template, options)),
    )
  command('logs <app>', 'show the log of an application')
    .addOption(portalOption())
    .option('--in <environment>', 'the environment; else the first in which you may read it')
    .option('--pod <name>', 'only this pod; else all of them')
    .option('--container <name>', 'only the containers of this name')
    .option('-f, --follow', 'go on with new lines', false)
    .option('--tail <lines>', 'how many earlier lines', '200')
    .action((app: string, options: LogsRequest) =>
      run(async () => (await import('./logs.ts')).logs(app, options)),
    )
  command('open <app>', 'open the page of an application')
    .addOption(portalOption())
    .action((app: string, options: Pick<Output, 'portal'>) =>
      run(async () => (await import('./logs.ts')).open(app, options)),
    )
  command(
    'credential <operation>',
    "give git the login's token: a credential helper, see gitcredentials(7)",
  ).action((operation: string) =>
    run(async () => (await import('./credential.ts')).credential(operation)),
  )
  command('completion <shell>', 'print a script that completes commands: bash, zsh, fish').action(
    (shell: string) =>
      run(async () => console.log((await import('./completion.ts')).completion(shell, program))),
  )
}

/** Expected failures are a sentence and a status. */
async function run(work: () => Promise<void>): Promise<void> {
  const { failureOf } = await import('./failure.ts')
  try {
    await work()
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    const { printable } = await import('../printable.ts')
    console.error(`portico: ${printable(failure.message)}`)
    process.exitCode = failure.exitStatus
  }
}
