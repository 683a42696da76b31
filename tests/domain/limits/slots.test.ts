import { expect, test } from 'bun:test'
import { createSlots } from '#src/lib/domain/limits/slots.ts'

const ann = { issuer: 'https://id.example', subject: 'ann' }
const bob = { issuer: 'https://id.example', subject: 'bob' }
const other = { issuer: 'https://other.example', subject: 'ann' }

test('a person has so many, whatever others have', () => {
  const slots = createSlots({ perPersonMax: 2, max: 10 })
  const [first, second] = [slots.take(ann), slots.take(ann)]
  expect([slots.hasRoom(ann), slots.take(ann)]).toStrictEqual([false, undefined])
  for (const person of [bob, other]) {
    expect([slots.hasRoom(person), typeof slots.take(person)]).toStrictEqual([true, 'function'])
  }
  first?.()
  first?.()
  expect(slots.take(ann)).toBeDefined()
  expect(slots.take(ann)).toBeUndefined()
  second?.()
  expect(slots.hasRoom(ann)).toBe(true)
})

test('everybody together has so many', () => {
  const slots = createSlots({ perPersonMax: 2, max: 3 })
  const release = slots.take(ann)
  slots.take(ann)
  slots.take(bob)
  expect([slots.hasRoom(other), slots.take(other)]).toStrictEqual([false, undefined])
  release?.()
  expect(slots.take(other)).toBeDefined()
})
