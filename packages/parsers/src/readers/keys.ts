import { isBlank, isNamePart } from './characters.ts'
import { keysymOf, modifiers } from './key-names.ts'
import { Memo } from './memo.ts'
import type { Value } from './value.ts'

/** Limits that no real key name or chord exceeds. */
const maxNameLength = 32
const maxKeys = 16

/** The xdotool name of a key, or undefined if there is none. */
export function keyOf(name: string): string | undefined {
  if (name.length === 1) return keysymOf(name) ?? (name.charCodeAt(0) > 32 ? name : undefined)
  if (name.length === 0 || name.length > maxNameLength) return undefined
  const known = keysymOf(name) ?? keysymOf(plain(name))
  if (known !== undefined) return known
  return keysymPrefixes.some(prefix => name.startsWith(prefix)) && isName(name) ? name : undefined
}

/** Keysyms with these prefixes are too many to list, so they are accepted unchecked. */
const keysymPrefixes = ['XF86', 'KP_', 'ISO_', 'dead_', 'Hangul_', 'Kana_']

function isName(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (!isNamePart(name.charCodeAt(at))) return false
  return true
}

/** Lowercase without separators between words; a sign at the end is a key of its own. */
function plain(name: string): string {
  const lower = name.toLowerCase()
  if (lower.endsWith('-') || lower.endsWith('_')) return lower
  const isSeparated = lower.includes('_') || lower.includes(' ') || lower.includes('-')
  const kept = isSeparated ? lower.replaceAll('_', '').replaceAll(' ', '').replaceAll('-', '') : lower
  if (kept === '') return lower
  // Some of Android's key names mean another key with this prefix.
  return kept.startsWith('keycode') && keysymOf(kept) === undefined ? kept.slice(7) : kept
}

/**
 * The presses that a model's keys mean, each a chord of xdotool names joined by `+`. Keys are a list or a string
 * separated by `+` or spaces. `down+down+enter` cannot be a chord, so the keys are pressed in turn.
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

/** A name without the remains of a list that was written as a string: `['ctrl'`, `keys=["ctrl"`, `'c']`. */
function bare(name: string): string {
  if (name.length <= 2 || (!name.includes("'") && !name.includes('"'))) return name
  let start = 0
  let end = name.length
  if (name.startsWith('keys=')) start = 5
  while (start < end && isListSign(name.charCodeAt(start))) start++
  while (start < end && isListSign(name.charCodeAt(end - 1))) end--
  return name.slice(start, end)
}

/** Whitespace, quotes and square brackets. */
function isListSign(code: number): boolean {
  return code === 39 || code === 34 || code === 91 || code === 93 || isBlank(code)
}

const chords = new Memo((keys: string) => ({ presses: chord(split(keys, true)) }))

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

/** A chord has no key twice: without a modifier, such keys are pressed in turn. */
function isSequence(keys: readonly string[]): boolean {
  if (keys.length === 1 || keys.some(key => modifiers.has(key))) return false
  return keys.some((key, at) => keys.indexOf(key) < at)
}

/** Splits a string into key names. A `+` with nothing beside it is the plus key. */
function split(keys: string, atBlanks: boolean): string[] {
  if (keys.length > maxNameLength * maxKeys) return []
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

/** Names separated by whitespace or commas. */
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

/** `ctrl-c` is a chord if its first part is a modifier. */
function dashed(name: string): string[] {
  const dash = name.indexOf('-')
  if (dash <= 0 || dash === name.length - 1 || keysymOf(plain(name)) !== undefined) return [name]
  const first = keyOf(name.slice(0, dash))
  return first !== undefined && modifiers.has(first)
    ? [name.slice(0, dash), ...dashed(name.slice(dash + 1))]
    : [name]
}
