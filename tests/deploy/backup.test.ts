import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import type { ICronJob } from 'kubernetes-models/batch/v1'
import { VERSION } from '#src/version.ts'
import { unknownFields } from '#tests/support/kubernetes-fields.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { type PodSpec, restricted } from '#tests/support/pod-security.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const objects = loadAll(await Bun.file('deploy/backup/cron-job.yaml').text()) as readonly {
  readonly kind: string
}[]

test('the job of a backup is one that Kubernetes takes, without rights, of this version', () => {
  expect(objects.flatMap((each) => unknownFields(each.kind, each))).toStrictEqual([])
  const job = objects.find(({ kind }) => kind === 'CronJob') as ICronJob
  const pod = job.spec?.jobTemplate.spec?.template.spec
  for (const [name, keeps] of Object.entries(restricted)) {
    expect([name, keeps(pod as PodSpec)]).toStrictEqual([name, true])
  }
  expect(pod?.containers[0]).toMatchObject({
    image: `registry.example.org/portico:${VERSION}`,
    args: ['backup', '--to', '/backup/portico.tar'],
  })
})

test.if(Bun.which('systemd-analyze') !== null || mustHaveAll)(
  'the unit of a backup is one that systemd takes, and calls hardened',
  async () => {
    await using place = await openFolder()
    const service = join(place.path, 'portico-backup.service')
    const text = await Bun.file('deploy/backup/portico-backup.service').text()
    // The user is not on this machine.
    await Bun.write(service, text.replace('User=portico', 'User=daemon'))
    const timer = join(place.path, 'portico-backup.timer')
    await Bun.write(timer, Bun.file('deploy/backup/portico-backup.timer'))
    await Bun.$`systemd-analyze verify ${timer} ${service}`.quiet()
    await Bun.$`systemd-analyze security --offline=true --threshold=20 ${service}`.quiet()
  },
)
