import { type ParsedOnScreen, parse, parseOnScreen, type Screen } from '@sandglass/parsers'
import type { Parsed } from '@sandglass/protocol'

/** What is to be parsed: the arguments of the parsers. */
export type TextToParse = Parameters<typeof parse>

/** The actions of a text that is to be run on a screen. */
export interface TextToRun {
  readonly parsed: Parsed
  /** Why the coordinates are on the screen in no unit. */
  readonly misfit?: string
  /** An operation in the text that is no action of this kind of machine. */
  readonly refused?: string
  /** How many actions the text has, if they are more than wanted. They are left out then. */
  readonly tooMany?: number
}

/** Parses a text as the parse operations return it. */
export function parseText(...[type, space, text, screen]: TextToParse): Parsed {
  return hasSize(screen) ? withUnit(parseOnScreen(type, space, text, screen)) : parse(type, space, text)
}

/** Parses a text whose actions are performed afterwards, unless they are too many. */
export function parseTextToRun(maxActions: number, [type, space, text, screen = {}]: TextToParse): TextToRun {
  const found = parseOnScreen(type, space, text, screen)
  const { length } = found.parsed.actions
  if (length > maxActions) return { parsed: { actions: [] }, tooMany: length }
  const { unit, refused } = found
  return {
    parsed: withUnit(found),
    ...(unit?.fits === false && { misfit: unit.reason }),
    ...(refused !== undefined && { refused }),
  }
}

function withUnit({ parsed, unit }: ParsedOnScreen): Parsed {
  return unit ? { ...parsed, coordinates: { unit: unit.unit, reason: unit.reason } } : parsed
}

function hasSize(screen: Screen | undefined): screen is Screen {
  return screen?.screenWidth !== undefined || screen?.imageWidth !== undefined
}
