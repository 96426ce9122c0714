import { type ParserType, parse, parserTypeOf, parserTypes } from '@sandglass/parsers'
import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Api, Call } from '../../http/api.ts'
import { LargeTexts } from './large-texts.ts'

/** Texts up to this length take a few milliseconds at most. Models write less than this in a step. */
const maxInlineLength = 4096

export function serveParsing(api: Api): void {
  api.serve(protocol.listParserTypes, async () =>
    parserTypes.map(({ type, spaces, about }) => ({ type, spaces: [...spaces], about })),
  )

  const largeTexts = new LargeTexts()
  api.onClose(() => largeTexts.close())
  const parsed = async (
    { principal, reply }: Pick<Call<string, undefined, undefined>, 'principal' | 'reply'>,
    ...args: Parameters<typeof parse>
  ): Promise<protocol.Parsed | Buffer> => {
    const [, , text] = args
    if (text.length <= maxInlineLength) return parse(...args)
    const serialized = await largeTexts.parse(principal, args)
    reply.type('application/json; charset=utf-8')
    return serialized
  }

  api.serve(protocol.parseModelTextOutput, async call =>
    parsed(call, requireType(call.params.type), 'computer', call.body.textContent, call.body),
  )

  api.serve(protocol.parseMobileUseModelTextOutput, async call =>
    parsed(call, requireType(call.params.type), 'mobile', call.body.textContent, call.body),
  )

  api.serve(protocol.parseModelOutput, async call =>
    parsed(call, call.body.model, 'computer', call.body.textContent, call.body),
  )
}

function requireType(type: string): ParserType {
  const parserType = parserTypeOf(type)
  if (parserType !== undefined) return parserType
  const known = parserTypes.map(parser => parser.type).join(', ')
  throw new ApiError('parser.UNKNOWN_TYPE', {
    message: `There is no parser ${type}; the available parsers are ${known}.`,
  })
}
