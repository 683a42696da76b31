import { type TProperties, type TSchema, Type } from 'typebox'

/** The schemas of events, by name. */
type EventSchemas = Readonly<Record<string, TSchema>>

/**
 * The OpenAPI description of an event stream. OpenAPI 3.1 knows a stream as a text only; `itemSchema` of OpenAPI 3.2 describes one
 * event, here as an extension that becomes the keyword.
 */
export const eventContent = (
  name: string,
  events: EventSchemas,
  { description, example }: { readonly description: string; readonly example: string },
) => ({
  contentType: 'text/event-stream',
  schema: Type.String({ description }),
  example,
  itemSchema: variants(name, 'event', events, (data) => ({
    id: Type.String({ description: 'For `Last-Event-ID`' }),
    data: Type.String({ contentMediaType: 'application/json', contentSchema: data }),
  })),
})

/**
 * A union of objects, discriminated by a constant member. Each object is a component, for which client generators make a type. The
 * union is no component, because the unions that they generate ignore constants.
 */
export const variants = (
  name: string,
  member: string,
  schemas: EventSchemas,
  others: (schema: TSchema) => TProperties,
) =>
  Type.Union(
    Object.entries(schemas).map(([value, schema]) =>
      Type.Object(
        { [member]: Type.Literal(value), ...others(schema) },
        { $id: `${name}${value.charAt(0).toUpperCase()}${value.slice(1)}` },
      ),
    ),
  )
