import { describe, expect, test } from 'bun:test'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { shared } from '#tests/support/shared.ts'

describe.if(hasBrowser || mustHaveAll)('a new project', () => {
  const console = shared(startConsole)

  test('is chosen, filled in with the server’s help, previewed, started and followed', async () => {
    const page = await console().open('/new')
    await page.getByRole('link', { name: 'Bun HTTP service' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bun HTTP service' }).waitFor()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    const start = page.getByRole('button', { name: 'Start the project' })

    // An attempt names every mistake at its field, and leads to the first.
    await page.getByRole('textbox', { name: 'Port' }).fill('12')
    await name.fill('Refund')
    await start.click()
    await page.getByText('must be at least 1024').waitFor()
    await name.and(page.locator(':focus')).waitFor()
    expect(await name.getAttribute('aria-invalid')).toBe('true')

    // The preview says that a name is taken, and shows the files of one that is not.
    await page.getByRole('textbox', { name: 'Port' }).fill('9090')
    await name.fill('payments-api')
    await page.getByText(/^In use: /).waitFor()
    await name.fill('refund-api')
    await page.getByRole('heading', { name: 'Repository refund-api' }).waitFor()
    await page.getByText('README.md', { exact: true }).click()
    await page.getByText('# refund-api').waitFor()
    // Enter in a field starts nothing.
    await name.press('Enter')
    await page.getByText('catalog/payments/components/refund-api.yaml').waitFor()

    await page.getByRole('heading', { level: 1, name: 'Bun HTTP service' }).waitFor()

    await start.click()
    await page.getByRole('heading', { level: 1, name: 'refund-api' }).waitFor()
    await page.getByRole('heading', { name: 'What to do next' }).waitFor()
    await page.getByText('Created acme/refund-api').waitFor()
    const pull = page.getByRole('link', { name: /^Open pull request/ })
    const url = (await pull.getAttribute('href')) ?? ''

    // The page notices the merge by itself.
    const platform = await console().profile({ as: 'platform' })
    const merged = await platform.request.post(`${url}/merge`, {
      headers: { accept: 'application/json' },
    })
    expect(merged.status()).toBe(200)
    await page.getByRole('link', { name: 'Open refund-api' }).waitFor()
    await expectClean(page)

    await page.getByRole('link', { name: 'New project' }).first().click()
    await page.getByRole('link', { name: 'refund-api' }).waitFor()
  })

  test('names what does not exist, on a small screen too', async () => {
    const page = await console().open('/new/nothing-like-it', { as: 'outsider', width: 390 })
    await page.getByText('There is no such template').waitFor()
    await page.getByRole('link', { name: 'All templates' }).click()
    await page.getByRole('link', { name: 'Static site' }).click()
    await page.getByRole('heading', { level: 1, name: 'Static site' }).waitFor()
    const run = await console().open('/runs/01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11', page.context())
    await run.getByText('There is no such run').waitFor()
    await expectClean(run)
  })

  test('that fails says why, and is tried again from its step', async () => {
    const page = await console().open('/new')
    const failure = {
      step: 'push_template',
      code: 'git_host_unreachable',
      message: 'The git host <b>cannot</b> be reached',
      retryable: true,
    }
    const run = {
      id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
      status: 'failed',
      templateId: 'bun-service',
      appName: 'refund-api',
      team: 'payments',
      namespace: 'payments-dev',
      parameters: {},
      createdBy: { subject: 'dev', name: 'Dana' },
      createdAt: '2026-11-21T09:30:00.000Z',
      finishedAt: '2026-11-21T09:31:00.000Z',
      steps: [
        { step: 'create_repo', status: 'complete', message: 'Created acme/refund-api' },
        { step: 'push_template', status: 'failed', message: failure.message },
      ],
      repoUrl: 'javascript:alert(1)',
      prUrl: null,
      prNumber: null,
      failure,
    }
    const api = `/api/v1/scaffold/runs/${run.id}`
    let answer: object = run
    await page.route(`**${api}`, (route) => route.fulfill({ json: answer }))
    await page.route(`**${api}/retry`, async (route) => {
      answer = { ...run, status: 'complete', failure: null, steps: [] }
      await route.fulfill({ status: 202, json: { runId: run.id, status: 'running' } })
    })
    await page.goto(`/runs/${run.id}`)
    await page.getByText(`${failure.message}.`).waitFor()
    await page.getByRole('button', { name: 'Try again from this step' }).click()
    await page.getByRole('heading', { name: 'What to do next' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open the repository' }).count()).toBe(0)
    await expectClean(page)
  })
})
