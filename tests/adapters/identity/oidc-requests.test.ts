import { expect, test } from 'bun:test'
import {
  ACCESS_TOKEN,
  CLIENT_ID,
  CLIENT_SECRET,
  openFakeIssuer,
  PROD,
  REFRESH_TOKEN,
} from './fake-issuer.ts'

const BASIC = `Basic ${btoa(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET).replaceAll('-', '%2D')}`)}`

test('a refresh asks for what the person agreed to, no more', async () => {
  await using at = await openFakeIssuer()
  await at.refresh()
  expect(at.asked).toStrictEqual([
    {
      form: { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN },
      authorization: BASIC,
    },
  ])
})

test('an exchange asks as RFC 8693 has it, for one audience', async () => {
  await using at = await openFakeIssuer()
  await at.exchange()
  expect(at.asked).toStrictEqual([
    {
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: ACCESS_TOKEN,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: PROD,
      },
      authorization: BASIC,
    },
  ])
})

test('the secret is in the form for a provider that wants it there', async () => {
  await using at = await openFakeIssuer()
  at.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  await at.refresh()
  expect(at.asked).toMatchObject([
    { form: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }, authorization: null },
  ])
})

test('the secret is in the header for a provider that takes either', async () => {
  await using at = await openFakeIssuer()
  at.metadata = {
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  }
  await at.refresh()
  expect(at.asked).toMatchObject([{ authorization: BASIC }])
})

test('a public client says who it is', async () => {
  await using at = await openFakeIssuer({ clientSecret: '' })
  await at.refresh()
  expect(at.asked).toStrictEqual([
    {
      form: { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN, client_id: CLIENT_ID },
      authorization: null,
    },
  ])
})
