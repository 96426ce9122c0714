import { type ParserType, parserTypeOf, parserTypes } from '@sandglass/parsers'
import { ApiError, type Parsed } from '@sandglass/protocol'
import type { Principal } from '../../auth/principal.ts'
import { LargeTexts } from './large-texts.ts'
import { parseText, parseTextToRun, type TextToParse, type TextToRun } from './parse-text.ts'

/** Texts up to this length take a few milliseconds at most. Models write less than this in a step. */
const maxInlineLength = 4096

/** Parses the texts of models: small ones at once, and large ones in a thread of their own. */
export class Texts {
  readonly #large = new LargeTexts()

  /** Returns the result, which is serialized already if the text is large. */
  async parse(caller: Principal, text: TextToParse): Promise<Parsed | Buffer> {
    return isLarge(text) ? this.#large.parse(caller, text) : parseText(...text)
  }

  /** Parses a text whose actions are performed afterwards, unless there are more than `maxActions`. */
  async parseToRun(caller: Principal, text: TextToParse, maxActions: number): Promise<TextToRun> {
    if (!isLarge(text)) return parseTextToRun(maxActions, text)
    const serialized = await this.#large.parseToRun(caller, [maxActions, text])
    // It was serialized by our own thread.
    return JSON.parse(serialized.toString()) as TextToRun
  }

  close(): Promise<void> {
    return this.#large.close()
  }
}

function isLarge([, , text]: TextToParse): boolean {
  return text.length > maxInlineLength
}

/** Returns the parser type, and throws if there is none of this name. */
export function requireParserType(type: string): ParserType {
  const parserType = parserTypeOf(type)
  if (parserType !== undefined) return parserType
  const known = parserTypes.map(parser => parser.type).join(', ')
  throw new ApiError('parser.UNKNOWN_TYPE', {
    message: `There is no parser ${type}; the available parsers are ${known}.`,
  })
}
