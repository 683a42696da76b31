import { type TSchema, Type } from 'typebox'

/** The schemas of events, by name. */
type EventSchemas = Readonly<Record<string, TSchema>>

/**
 * The OpenAPI description of an event stream. OpenAPI 3.1 knows a stream as a text only; `itemSchema` of OpenAPI 3.2 describes one
 * event, here as an extension that becomes the keyword.
 */
export const eventContent = (
  events: EventSchemas,
  { description, example }: { readonly description: string; readonly example: string },
) => ({
  contentType: 'text/event-stream',
  schema: Type.String({ description }),
  example,
  itemSchema: Type.Union(
    Object.entries(events).map(([event, data]) =>
      Type.Object({
        id: Type.String({ description: 'For `Last-Event-ID`' }),
        event: Type.Literal(event),
        data: Type.String({ contentMediaType: 'application/json', contentSchema: data }),
      }),
    ),
  ),
})
