export interface ReceivedEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads a stream of events (WHATWG HTML §9.2.6) as a browser does, as they come. Comments are left out. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent, void, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ')
          return [line.slice(0, colon), line.slice(colon + 2)] as const
        }),
      )
      const data = fields.get('data')
      if (data === undefined) continue
      yield {
        id: fields.get('id'),
        event: fields.get('event') ?? 'message',
        data: JSON.parse(data) as Record<string, unknown>,
      }
    }
  }
}

export const allEvents = (response: Response): Promise<ReceivedEvent[]> =>
  Array.fromAsync(eventsOf(response))

/** `step status` of each step event, and the name of any other: what a run did, at a glance. */
export const storyOf = (events: readonly ReceivedEvent[]): readonly string[] =>
  events.map(({ event, data }) =>
    event === 'step' ? `${String(data['step'])} ${String(data['status'])}` : event,
  )
