import { describe, expect, test } from 'bun:test'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { challengeOf } from '#tests/support/grants.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { shared } from '#tests/support/shared.ts'

describe.if(hasBrowser || mustHaveAll)('a person and a program', () => {
  const portal = shared(startConsole)

  test('the person allows it in a browser, sees it in their account, and ends it', async () => {
    const { promise: back, resolve } = Promise.withResolvers<URLSearchParams>()
    using program = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        resolve(new URL(request.url).searchParams)
        return new Response('done')
      },
    })
    const redirectUri = `http://127.0.0.1:${program.port}/callback`
    const verifier = 'v'.repeat(43)
    const page = await (await portal().profile({ as: 'dev' })).newPage()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'portico',
      redirect_uri: redirectUri,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      scope: 'catalog:read',
      resource: portal().url,
      state: 's',
    })
    await page.goto(`${portal().url}/oauth/authorize?${query.toString()}`)
    await page.getByRole('heading', { name: 'Allow Portico command line?' }).waitFor()
    await page.getByText('Dana Okafor').waitFor()
    await page.getByRole('combobox').selectOption('payments')
    await page.getByRole('button', { name: 'Allow' }).click()
    // The provider of the demo asks who it is.
    await page.getByRole('button', { name: /Dana Okafor/ }).click()
    const answer = await back
    await page.waitForURL((url) => url.href.startsWith(redirectUri))
    expect(answer.get('iss')).toBe(portal().url)
    const issued = await fetch(`${portal().url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'portico',
        redirect_uri: redirectUri,
        code: answer.get('code') ?? '',
        code_verifier: verifier,
      }),
    })
    const { access_token: token } = (await issued.json()) as { access_token: string }
    const read = () =>
      fetch(`${portal().url}/api/v1/auth/session`, {
        headers: { authorization: `Bearer ${token}` },
      })
    expect(await (await read()).json()).toMatchObject({ subject: 'dev', teams: ['payments'] })

    await page.goto(`${portal().url}/sessions`)
    const own = page.getByRole('region', { name: 'Programs that act for you' })
    await own.getByText('for payments alone').waitFor()
    await own.getByRole('button', { name: 'End Portico command line' }).click()
    await own.getByText('None.').waitFor()
    expect((await read()).status).toBe(401)
  })
})
