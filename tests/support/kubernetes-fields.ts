import * as models from '@kubernetes/client-node'

/**
 * Finds fields that the published models of Kubernetes do not have, such as `Deployment.spec.replica`. The schemas allow
 * additional fields, and an API server silently drops them unless it validates strictly.
 */
export function unknownFields(kind: string, object: unknown): readonly string[] {
  return unknownOf(`V1${kind}`, object, kind)
}

interface Attribute {
  readonly baseName: string
  readonly type: string
}

const modelOf = (type: string): readonly Attribute[] | undefined => {
  const model: unknown = Reflect.get(models, type)
  if (typeof model !== 'function' || !('attributeTypeMap' in model)) return undefined
  return model.attributeTypeMap as readonly Attribute[]
}

function unknownOf(type: string, value: unknown, place: string): readonly string[] {
  const [, item] = /^Array<(.*)>$/.exec(type) ?? []
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${place} (no list)`]
    return value.flatMap((entry, index) => unknownOf(item, entry, `${place}[${index}]`))
  }
  const attributes = modelOf(type)
  if (attributes === undefined) return type.startsWith('V1') ? [`${place} (no model ${type})`] : []
  if (typeof value !== 'object' || value === null) return [`${place} (no object)`]
  return Object.entries(value).flatMap(([name, member]) => {
    const attribute = attributes.find(({ baseName }) => baseName === name)
    if (attribute === undefined) return [`${place}.${name}`]
    return unknownOf(attribute.type, member, `${place}.${name}`)
  })
}
