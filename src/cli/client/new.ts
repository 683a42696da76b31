import { isObject, parseJson } from '../../lib/text/json.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { printable } from '../printable.ts'
import { objectOf } from './api.ts'
import { connect, piecesOf, refusal } from './connection.ts'
import { ClientFailure, usage } from './failure.ts'
import { line } from './print.ts'
import { openQuestions } from './questions.ts'

export interface NewRequest {
  readonly portal?: string
  readonly set: readonly string[]
}

interface Template {
  readonly id: string
  readonly title: string
  readonly parameters?: {
    readonly required?: readonly string[]
    readonly properties?: Readonly<Record<string, Property>>
  }
}

interface Property {
  readonly type?: string
  readonly title?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
}

/** Starts a project. What `--set` does not say is asked for on a terminal. */
export async function start(templateId: string, request: NewRequest): Promise<void> {
  const connection = connect(request)
  const templates = await connection.read<readonly Template[]>('/api/v1/scaffold/templates')
  const template = templates.find(({ id }) => id === templateId)
  if (template === undefined) {
    throw usage(`the template must be one of ${templates.map(({ id }) => id).join(', ')}`)
  }
  const given = objectOf(request.set)
  const body = process.stdin.isTTY ? await ask(template, given) : given
  const response = await connection.send('POST', '/api/v1/scaffold', {
    body: JSON.stringify({ ...body, templateId }),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
  })
  if (!response.ok) throw await refusal(connection.portal, response)
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'step') line(`${textOf(data, 'status').padEnd(12)} ${textOf(data, 'message')}`)
    if (event === 'failed') throw new ClientFailure(textOf(data, 'message'), EXIT_FAILED)
    if (event === 'done') {
      line(`Repository    ${textOf(data, 'repoUrl')}`)
      line(`Pull request  ${textOf(data, 'prUrl')}`)
      return
    }
  }
  throw new ClientFailure('the connection ended; the project goes on, see the portal')
}

const textOf = (data: Readonly<Record<string, unknown>>, name: string): string => {
  const value = data[name]
  return typeof value === 'string' ? value : ''
}

const FIELDS = [
  ['appName', 'Name of the application'],
  ['team', 'Team'],
  ['namespace', 'Namespace'],
  ['description', 'Description (optional)'],
] as const

async function ask(
  { title, parameters }: Template,
  given: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  line(title)
  using questions = openQuestions(new ClientFailure('not every question was answered', EXIT_FAILED))
  const answers: Record<string, unknown> = { ...given }
  for (const [name, question] of FIELDS) {
    if (Object.hasOwn(answers, name)) continue
    const answer = await questions.ask(`${question}: `)
    if (answer !== '') answers[name] = answer
  }
  const own: Record<string, unknown> = isObject(given['parameters'])
    ? { ...given['parameters'] }
    : {}
  for (const [name, property] of Object.entries(parameters?.properties ?? {})) {
    if (Object.hasOwn(own, name)) continue
    const answer = await questions.ask(questionOf(name, property))
    // `1.20` of a version is no number.
    if (answer !== '')
      own[name] = property.type === 'string' ? answer : (parseJson(answer) ?? answer)
  }
  return Object.keys(own).length === 0 ? answers : { ...answers, parameters: own }
}

/** The texts are a template's, and a terminal obeys none of them. */
export function questionOf(name: string, property: Property): string {
  const choice = property.enum === undefined ? '' : ` (${property.enum.join(', ')})`
  const usual = property.default === undefined ? '' : ` [${JSON.stringify(property.default)}]`
  return printable(`${property.title ?? name}${choice}${usual}: `)
}

/** Events of a stream (WHATWG HTML §9.2.6), as our portal writes them. */
async function* eventsOf(response: Response) {
  for await (const block of piecesOf(response, '\n\n')) {
    const lines = block.split('\n')
    const field = (name: string) =>
      lines.find((text) => text.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
    const data = parseJson(field('data'))
    if (isObject(data)) yield { event: field('event'), data }
  }
}
