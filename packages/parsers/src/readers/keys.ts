import { isBlank, isNamePart } from './characters.ts'
import { keysymOf, modifiers } from './key-names.ts'
import { Remembered } from './remembered.ts'
import type { Value } from './value.ts'

/** No key name is longer, and no chord has more keys. */
const maxName = 32
const maxKeys = 16

/** One key as xdotool names it, or undefined for what cannot be a key. */
export function keyOf(name: string): string | undefined {
  if (name.length === 1) return keysymOf(name) ?? (name.charCodeAt(0) > 32 ? name : undefined)
  if (name.length === 0 || name.length > maxName) return undefined
  const known = keysymOf(name) ?? keysymOf(plain(name))
  if (known !== undefined) return known
  return keysymPrefixes.some(prefix => name.startsWith(prefix)) && isName(name) ? name : undefined
}

/** Keysyms of these kinds are too many to list; they are taken at their word. */
const keysymPrefixes = ['XF86', 'KP_', 'ISO_', 'dead_', 'Hangul_', 'Kana_']

function isName(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (!isNamePart(name.charCodeAt(at))) return false
  return true
}

/** Small letters, without what models put between the words of a name; a sign at the end is a key of its own. */
function plain(name: string): string {
  const lower = name.toLowerCase()
  if (lower.endsWith('-') || lower.endsWith('_')) return lower
  const parted = lower.includes('_') || lower.includes(' ') || lower.includes('-')
  const kept = parted ? lower.replaceAll('_', '').replaceAll(' ', '').replaceAll('-', '') : lower
  if (kept === '') return lower
  // Some of Android's names mean another key with this before them.
  return kept.startsWith('keycode') && keysymOf(kept) === undefined ? kept.slice(7) : kept
}

/**
 * The presses that a model's keys mean, each a chord of xdotool names joined by `+`. Keys come as a list
 * or as one string parted by `+` or blanks. `down+down+enter` can be no chord: it is one press after the other.
 */
export function pressesOf(
  value: Value | undefined,
  blank: 'chord' | 'sequence',
): readonly string[] | undefined {
  if (typeof value === 'number') return pressesOf(String(value), blank)
  if (typeof value === 'string') {
    if (value.length > 2 && value.startsWith('[') && value.endsWith(']'))
      return pressesOf(value.slice(1, -1).split(',', maxKeys + 1), blank)
    if (blank === 'chord') return chordOf(value)
    if (keyOf(value) !== undefined) return chordOf(value)
    const presses: string[] = []
    for (const part of value.trim().split(' ').slice(0, maxKeys)) {
      const press = chord(split(part, false))
      if (press === undefined) return undefined
      presses.push(...press)
    }
    return presses.length > 0 ? presses : undefined
  }
  if (!Array.isArray(value)) return undefined
  const names: string[] = []
  for (const item of value.slice(0, maxKeys + 1)) {
    if (typeof item !== 'string' && typeof item !== 'number') return undefined
    names.push(...split(bare(String(item)), true))
  }
  return chord(names)
}

/** A name without what is left around it of a list that was written out: `['ctrl'`, `keys=["ctrl"`, `'c']`. */
function bare(name: string): string {
  if (name.length <= 2 || (!name.includes("'") && !name.includes('"'))) return name
  let start = 0
  let end = name.length
  if (name.startsWith('keys=')) start = 5
  while (start < end && isListSign(name.charCodeAt(start))) start++
  while (start < end && isListSign(name.charCodeAt(end - 1))) end--
  return name.slice(start, end)
}

/** Blanks, quotes and square brackets. */
function isListSign(code: number): boolean {
  return code === 39 || code === 34 || code === 91 || code === 93 || isBlank(code)
}

const chords = new Remembered((keys: string) => ({ presses: chord(split(keys, true)) }))

function chordOf(keys: string): readonly string[] | undefined {
  return chords.of(keys).presses
}

function chord(names: readonly string[]): string[] | undefined {
  if (names.length === 0 || names.length > maxKeys) return undefined
  const keys: string[] = []
  for (const name of names) {
    const key = keyOf(name)
    if (key === undefined) return undefined
    keys.push(keys.length === 0 && names.length === 1 ? key : key.length === 1 ? key.toLowerCase() : key)
  }
  return isSequence(keys) ? keys : [keys.join('+')]
}

/** No chord has a key twice: without a key to hold they are pressed in turn. */
function isSequence(keys: readonly string[]): boolean {
  if (keys.length === 1 || keys.some(key => modifiers.has(key))) return false
  return keys.some((key, at) => keys.indexOf(key) < at)
}

/** Parts a string into key names. Where nothing stands between two `+`, or around one, it is the key itself. */
function split(keys: string, atBlanks: boolean): string[] {
  if (keys.length > maxName * maxKeys) return []
  if (keys.length <= 1 || isKnown(keys)) return keys === '' ? [] : [keys]
  const names: string[] = []
  const parts = keys.split('+')
  for (let at = 0; at < parts.length; at++) {
    const part = (parts[at] ?? '').trim()
    if (part === '') {
      if (at + 1 === parts.length ? names.length > 0 : parts[at + 1]?.trim() === '') {
        names.push('+')
        at++
      }
    } else if (isKnown(part) || !atBlanks) names.push(...dashed(part))
    else for (const word of words(part)) names.push(...dashed(word))
  }
  return names
}

function isKnown(name: string): boolean {
  return (keysymOf(name) ?? keysymOf(plain(name))) !== undefined
}

/** Names parted by blanks or commas. */
function words(part: string): string[] {
  const found: string[] = []
  let start = 0
  for (let at = 0; at <= part.length; at++) {
    const code = part.charCodeAt(at)
    if (at < part.length && !isBlank(code) && code !== 44) continue
    if (at > start) found.push(part.slice(start, at))
    start = at + 1
  }
  return found.length === 0 ? [part] : found
}

/** `ctrl-c` is a chord where its first part is a modifier. */
function dashed(name: string): string[] {
  const dash = name.indexOf('-')
  if (dash <= 0 || dash === name.length - 1 || keysymOf(plain(name)) !== undefined) return [name]
  const first = keyOf(name.slice(0, dash))
  return first !== undefined && modifiers.has(first)
    ? [name.slice(0, dash), ...dashed(name.slice(dash + 1))]
    : [name]
}
