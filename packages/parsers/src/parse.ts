import type { Parsed } from '@sandglass/protocol'
import type { UnitChoice } from './express/unit.ts'
import type { Family } from './family.ts'
import { parsePlainText } from './plain-text.ts'
import { Reading } from './reading.ts'
import { recognise } from './recognise.ts'
import { type FamilyName, families } from './registry.ts'
import type { Screen, Space } from './screen.ts'

/** A type that `parse` accepts: a family, an alias of one, or `auto`. */
export type ParserType = FamilyName | 'oai-compute-use' | 'auto'

/** A parser type, as the API lists it. */
export interface ParserInfo {
  readonly type: ParserType
  readonly spaces: readonly Space[]
  readonly about: string
}

const both: readonly Space[] = ['computer', 'mobile']
const automatic = 'Recognises the family from the text.'

/** All parser types with the kinds of machines they support and a description. */
export const parserTypes: readonly ParserInfo[] = [
  ...Object.entries(families).map(([type, { about }]) => ({ type: familyName(type), spaces: both, about })),
  { type: 'oai-compute-use', spaces: both, about: 'Alias of openai on the deprecated path.' },
  { type: 'auto', spaces: both, about: automatic },
]

function familyName(type: string): FamilyName {
  return isFamily(type) ? type : 'ui-tars'
}

function isFamily(type: string): type is FamilyName {
  return Object.hasOwn(families, type)
}

/** Types by name. Returning the known string instead of the request's own makes later lookups faster. */
const typesByName: ReadonlyMap<string, ParserType> = new Map(parserTypes.map(({ type }) => [type, type]))

/** The parser type with this name, if there is one. */
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

/** Parses with the general reader and keeps its pieces and markup, for tests. */
export function trace(type: ParserType, space: Space, text: string): { reading: Reading; parsed: Parsed } {
  const reading = new Reading(text, space, true)
  return { reading, parsed: reading.finish(families[familyFor(type, text)].read(reading), undefined) }
}

/**
 * Parses a model's text into actions. Never throws, and takes time proportional to the length of the text.
 *
 * @example
 * parse('ui-tars', 'computer', "Thought: Open it.\nAction: click(start_box='(412,338)')")
 */
export function parse(type: ParserType, space: Space, text: string, screen?: Screen): Parsed {
  const family: Family = families[familyFor(type, text)]
  const plain = family.plain && parsePlainText(text, family.plain, space, screen)
  if (plain !== undefined) return plain
  const reading = new Reading(text, space)
  return reading.finish(family.read(reading), screen)
}

/** A text that was parsed for a screen. */
export interface ParsedOnScreen {
  readonly parsed: Parsed
  /** The unit of all its coordinates, if it has some. */
  readonly unit: UnitChoice | undefined
  /** The first part that looks like an action, and is none of this kind of machine or has impossible values. */
  readonly refused: string | undefined
}

/** Does the same for a screen of known size, and says how the unit of the coordinates was chosen. */
export function parseOnScreen(type: ParserType, space: Space, text: string, screen: Screen): ParsedOnScreen {
  const family: Family = families[familyFor(type, text)]
  const reading = new Reading(text, space)
  const dialect = family.read(reading)
  const parsed = reading.finish(dialect, screen)
  return { parsed, unit: reading.unitOn(dialect, screen), refused: reading.firstRefused() }
}
