import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Action, DoubleTap, elementActions, type RequestedAction } from '@sandglass/protocol'
import { type DesktopAction, desktopActionTypes } from './perform-on-desktop.ts'
import { phoneActionTypes } from './perform-on-phone.ts'
import type { PhoneAction } from './phone-action.ts'

type Unperformed = Exclude<RequestedAction['type'], (DesktopAction | PhoneAction)['type']>

/** The compiler refuses this if the protocol has an action that neither a desktop nor a phone performs. */
const unperformed: [Unperformed] extends [never] ? [] : [Unperformed] = []

const requested = [...Action.options, DoubleTap, ...elementActions].map(({ shape }) => shape.type.value)

test('every action of the protocol is performed by a desktop, a phone or both', () => {
  assert.deepEqual(unperformed, [])
  const performed = new Set([...desktopActionTypes, ...phoneActionTypes])
  assert.deepEqual([...performed].sort(), [...requested].sort())
})

test('a desktop performs no gestures of a finger, and a phone no keys that are held across calls', () => {
  assert.ok(!desktopActionTypes.some(type => /^(touch|mobile|android):/.test(type)))
  assert.ok(!phoneActionTypes.some(type => type.startsWith('key:')))
})
