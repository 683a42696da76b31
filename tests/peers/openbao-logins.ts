import type { OpenBaoApi } from './openbao-api.ts'

type Must = Pick<OpenBaoApi, 'must'>

/** An AppRole with the name `portico`. */
export interface AppRole {
  readonly roleId: string
  readonly makeSecretId: () => Promise<string>
}

/** Makes the auth method at the mount, and the role. */
export async function makeAppRole(
  bao: Must,
  role: { readonly token_policies: readonly string[] } & Readonly<Record<string, unknown>>,
  { mount = 'approle', namespace }: { readonly mount?: string; readonly namespace?: string } = {},
): Promise<AppRole> {
  const inside = namespace === undefined ? {} : { namespace }
  const path = `auth/${mount}/role/portico`
  await bao.must('POST', `sys/auth/${mount}`, { type: 'approle' }, inside)
  await bao.must('POST', path, role, inside)
  const named = await bao.must('GET', `${path}/role-id`, undefined, inside)
  return {
    roleId: (named as { data: { role_id: string } }).data.role_id,
    async makeSecretId() {
      const made = await bao.must('POST', `${path}/secret-id`, undefined, inside)
      return (made as { data: { secret_id: string } }).data.secret_id
    },
  }
}

/** The members of a group of the identity provider get a policy, by an identity group of that name. */
export async function grantGroup(
  bao: Must,
  { mount, group, policy }: { readonly [Name in 'mount' | 'group' | 'policy']: string },
): Promise<void> {
  const methods = (await bao.must('GET', 'sys/auth')) as {
    data: Record<string, { accessor: string }>
  }
  const made = (await bao.must('POST', 'identity/group', {
    name: group,
    type: 'external',
    policies: [policy],
  })) as { data: { id: string } }
  await bao.must('POST', 'identity/group-alias', {
    name: group,
    mount_accessor: methods.data[`${mount}/`]?.accessor,
    canonical_id: made.data.id,
  })
}

/** Accessors of the tokens that are valid. */
export async function accessors(bao: Must): Promise<readonly string[]> {
  const json = await bao.must('GET', 'auth/token/accessors?list=true')
  return (json as { data: { keys: string[] } }).data.keys
}
