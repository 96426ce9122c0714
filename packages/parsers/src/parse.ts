import type { Parsed } from '@sandglass/protocol'
import type { Family } from './family.ts'
import { parsePlainText } from './plain-text.ts'
import { Reading } from './reading.ts'
import { recognise } from './recognise.ts'
import { type FamilyName, families } from './registry.ts'
import type { Screen, Space } from './screen.ts'

/** A type that `parse` takes: a family, another name of one, or `auto`. */
export type ParserType = FamilyName | 'oai-compute-use' | 'auto'

export interface ParserInfo {
  readonly type: ParserType
  readonly spaces: readonly Space[]
  readonly about: string
}

const both: readonly Space[] = ['computer', 'mobile']
const automatic = 'Recognises the family from the text.'

/** Every type with the spaces it serves and a line about it. */
export const parserTypes: readonly ParserInfo[] = [
  ...Object.entries(families).map(([type, { about }]) => ({ type: familyName(type), spaces: both, about })),
  { type: 'oai-compute-use', spaces: both, about: 'The name of openai on the deprecated path.' },
  { type: 'auto', spaces: both, about: automatic },
]

function familyName(type: string): FamilyName {
  return isFamily(type) ? type : 'ui-tars'
}

function isFamily(type: string): type is FamilyName {
  return Object.hasOwn(families, type)
}

/** The types by their names. The name in a request is a string of its own, which is slower to look anything up by. */
const typesByName: ReadonlyMap<string, ParserType> = new Map(parserTypes.map(({ type }) => [type, type]))

export function parserTypeOf(name: string): ParserType | undefined {
  return typesByName.get(name)
}

export function isParserType(type: string): type is ParserType {
  return typesByName.has(type)
}

function familyFor(type: ParserType, text: string): FamilyName {
  if (type === 'auto') return recognise(text)
  return type === 'oai-compute-use' ? 'openai' : type
}

/** Reads a text with care and keeps how: its pieces and markup, which tests look at. */
export function trace(type: ParserType, space: Space, text: string): { reading: Reading; parsed: Parsed } {
  const reading = new Reading(text, space, true)
  return { reading, parsed: reading.finish(families[familyFor(type, text)].read(reading), undefined) }
}

/** What a model's text says to do. It never throws, and takes time in proportion to the text's length. */
export function parse(type: ParserType, space: Space, text: string, screen?: Screen): Parsed {
  const family: Family = families[familyFor(type, text)]
  const plain = family.plain && parsePlainText(text, family.plain, space, screen)
  if (plain !== undefined) return plain
  const reading = new Reading(text, space)
  return reading.finish(family.read(reading), screen)
}
