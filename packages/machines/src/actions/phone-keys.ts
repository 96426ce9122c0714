import { MachineError } from '../contract/errors.ts'
import { androidKeys, phoneKeys } from '../screens/adb/android-keys.ts'
import { keysymsOf } from './keys.ts'

/**
 * Android's key codes (without `KEYCODE_`) of a chord: names joined by `+`, each a key of the protocol such as `ctrl`, a phone
 * key such as `back`, or one of Android's such as `KEYCODE_CAMERA`. A name that a phone has no key for fails with INVALID.
 */
export function androidKeysOf(keys: string): string[] {
  const own = keys.split('+').map(name => ofPhone(name.trim()))
  if (own.every(key => key !== undefined)) return own
  return keys === '+'
    ? ['PLUS']
    : keys.split('+').flatMap((name, index) => own[index] ?? ofKeyboard(name.trim()))
}

function ofPhone(name: string): string | undefined {
  const [, keycode] = /^KEYCODE_([A-Z0-9_]{1,40})$/.exec(name) ?? []
  return keycode ?? phoneKeys[name]
}

function ofKeyboard(name: string): string[] {
  const found = keysymsOf(name).flatMap(keysym => androidKeys(keysym) ?? [])
  if (found.length > 0) return found
  throw new MachineError(
    'INVALID',
    `A phone has no key ${JSON.stringify(name)}: write a key such as Return, back, home or volume_up, or one of Android's such as KEYCODE_CAMERA, and type text by keyboard:type`,
  )
}
