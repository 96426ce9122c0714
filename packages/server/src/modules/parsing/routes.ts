import { type ParserType, parse, parserTypeOf, parserTypes } from '@sandglass/parsers'
import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Api } from '../../http/api.ts'

export function serveParsing(api: Api): void {
  api.serve(protocol.listParserTypes, async () =>
    parserTypes.map(({ type, spaces, about }) => ({ type, spaces: [...spaces], about })),
  )

  api.serve(protocol.parseModelTextOutput, async ({ params, body }) =>
    parse(requireType(params.type), 'computer', body.textContent, body),
  )

  api.serve(protocol.parseMobileUseModelTextOutput, async ({ params, body }) =>
    parse(requireType(params.type), 'mobile', body.textContent, body),
  )

  api.serve(protocol.parseModelOutput, async ({ body }) =>
    parse(body.model, 'computer', body.textContent, body),
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
