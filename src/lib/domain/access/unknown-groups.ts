import type { Groups, UnknownGroups } from '../../ports/identity.ts'

/** Advice for operators: the change at the provider that makes the groups known. */
const CURES = {
  missing:
    'The identity provider sent no groups claim. Have it put the claim that OIDC_GROUPS_CLAIM names into the ID token or UserInfo (OIDC_GROUPS_FROM) of this application; some providers need a further scope for it (OIDC_SCOPES).',
  too_many:
    'You are in more groups than the identity provider puts into a token. At Entra ID, emit only the groups assigned to the application, or use app roles and set OIDC_GROUPS_CLAIM=roles.',
  unreadable:
    'The groups claim is not a list of names. Have OIDC_GROUPS_CLAIM name a claim that is a list of texts, or a list of objects and OIDC_GROUPS_FIELD the field with the name.',
} as const satisfies Record<UnknownGroups, string>

/** Why everything that needs a group is refused, and what to change; `null` when the groups are known. */
export const unknownGroupsAdvice = (groups: Groups): string | null =>
  groups.kind === 'known' ? null : CURES[groups.reason]
