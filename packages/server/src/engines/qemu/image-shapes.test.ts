import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerOf } from './image-shapes.ts'

const windows = { name: 'windows-11', os: 'windows', diskMiB: 65_536 } as const

test('an image of an operator becomes a shape that says what it is', () => {
  const { note, shapes } = offerOf([windows, { name: 'bsd', os: 'other', diskMiB: 4096 }], 'kvm', true)
  assert.equal(note, undefined)
  assert.deepEqual(shapes, [
    {
      name: 'bsd',
      description: 'A virtual machine, made from the image bsd.',
      os: 'Linux',
      virtualization: 'KVM',
      image: 'bsd',
      cpus: 2,
      memoryMiB: 2048,
      diskMiB: 4096,
    },
    {
      name: 'windows-11',
      description: 'A virtual machine with Windows, made from the image windows-11.',
      os: 'Windows',
      virtualization: 'KVM',
      image: 'windows-11',
      cpus: 2,
      memoryMiB: 4096,
      diskMiB: 65_536,
    },
  ])
})

test('people learn that machines are emulated, and whether that was chosen', () => {
  const { note, shapes } = offerOf([windows], 'emulation', true)
  assert.match(note ?? '', /emulated, because KVM does not work here/)
  assert.match(shapes[0]?.description ?? '', /windows-11\. Its machines are emulated, because KVM/)
  const chosen = offerOf([windows], 'emulation', false)
  assert.match(chosen.note ?? '', /^Its machines are emulated, so/)
})

test('the newest image of a name decides, and an image that needs more memory gets it', () => {
  const newer = { ...windows, diskMiB: 100, memoryMiB: 8192 }
  const { shapes } = offerOf([newer, windows], 'kvm', true)
  assert.deepEqual(
    shapes.map(({ diskMiB, memoryMiB }) => [diskMiB, memoryMiB]),
    [[100, 8192]],
  )
})
