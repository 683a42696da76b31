import { addAccount } from './calls/accounts.ts'
import { startGitHub, type GitHub, type GitHubOptions } from './github.ts'
import { seedRepository } from './seed.ts'
import type { Credential } from './state.ts'

export const REPOSITORY = '/repos/acme/gitops'
const TOKEN = 'ghp_test'
export const text = (content: string) => new TextEncoder().encode(content)

export interface Told {
  readonly status: number
  readonly headers: Headers
  /** Member of the JSON by its dotted path; of a list, that member of every item. */
  readonly at: (path: string) => unknown
}

function memberAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => {
    if (Array.isArray(node) && !/^\d+$/.test(key) && key !== 'length')
      return node.map((each) => memberAt(each, key))
    return (node as Readonly<Record<string, unknown>> | undefined)?.[key]
  }, json)
}

export async function openTestGitHub(
  options: GitHubOptions = {},
  credential: Partial<Credential> = {},
) {
  const github = await startGitHub(options)
  const account = addAccount(github.state, 'ada', 'User')
  github.addCredential(TOKEN, { account, ...credential })
  const repository = await seedRepository(github, 'acme', 'gitops', [
    { path: 'README.md', bytes: text('hello\n') },
    { path: 'a/b/c.txt', bytes: text('c\n') },
    { path: '.gitattributes', bytes: text('secret.txt export-ignore\n') },
    { path: 'secret.txt', bytes: text('s\n') },
    { path: 'run', bytes: text('#!/bin/sh\n'), executable: true },
  ])
  const ask = requester(github)
  const main = async () =>
    String((await ask('GET', '/repos/acme/gitops/git/ref/heads/main')).at('object.sha'))
  return {
    github,
    repository,
    account,
    ask,
    main,
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  }
}

const requester =
  (github: GitHub) =>
  async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Told> => {
    const response = await fetch(`${github.apiUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${TOKEN}`, 'user-agent': 'portico', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answered = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const json: unknown = isJson ? JSON.parse(answered) : answered
    return {
      status: response.status,
      headers: response.headers,
      at: (member) => memberAt(json, member),
    }
  }
