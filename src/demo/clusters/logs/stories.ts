import { paymentsStories } from './payments-stories.ts'
import { shippingStories } from './shipping-stories.ts'
import type { Story } from './story.ts'

const stories = new Map<string, Story>(Object.entries({ ...paymentsStories, ...shippingStories }))

/** Of a program that nobody knows. */
const UNKNOWN: Story = {
  boot: [({ time }) => `${time} started`],
  steady: [({ time, index }) => `${time} still here (${index})`],
  everyMs: 10_000,
  last: [],
}

/** By the last part of the image's name; `/job` is what a program says as a job. */
export function storyOf(image: string, isJob: boolean): Story {
  const name = /[^/:]+(?=:[^/]*$|$)/.exec(image)?.[0] ?? ''
  return stories.get(isJob ? `${name}/job` : name) ?? UNKNOWN
}
