import type { ApiObject, NamespacedMetadata } from '../objects.ts'

export type OwnerReference = NonNullable<NamespacedMetadata['ownerReferences']>[number]

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

/** What an object says of the one that made it and will remove it. */
export const referenceTo = ({ apiVersion, kind, metadata }: Owner): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export const ownerOf = ({ metadata }: ApiObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)

export const isOwnedBy = (object: ApiObject, { metadata: { uid } }: Owner): boolean =>
  ownerOf(object)?.uid === uid
