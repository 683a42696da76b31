import { describe, expect, test } from 'bun:test'
import type { Environment } from '#src/console/pages/catalog/applications.ts'
import { stateWords, tagOf } from '#src/console/pages/catalog/deployed.ts'

const environment = (of: Partial<Environment> = {}): Environment => ({
  name: 'dev',
  state: 'live',
  image: { tag: '1.2.0', digest: null },
  pullRequest: null,
  behind: null,
  ...of,
})

describe('an environment of an application', () => {
  test.each([
    [environment(), undefined],
    [environment({ behind: 'dev' }), 'behind dev'],
    [environment({ image: null }), 'no image'],
    [environment({ pullRequest: 3, behind: 'dev' }), '#3 in review'],
    [environment({ state: 'pr_open', image: null, pullRequest: 7 }), '#7 in review'],
    [environment({ state: 'pr_open', image: null }), 'in review'],
    [environment({ state: 'ready_to_confirm' }), 'to confirm'],
    [environment({ state: 'none', image: null }), undefined],
  ])('%j says %p', (of, words) => {
    expect(stateWords(of)).toBe(words)
  })

  test.each([
    [{ tag: '1.2.0', digest: 'sha256:0123456789abcdef' }, '1.2.0'],
    [{ tag: null, digest: 'sha256:0123456789abcdef' }, 'sha256:0123456789ab'],
    [{ tag: null, digest: null }, undefined],
    [null, undefined],
  ])('with the image %j has the tag %p', (image, tag) => {
    expect(tagOf(environment({ image }))).toBe(tag)
  })
})
