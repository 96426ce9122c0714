import { parserTypes } from '@sandglass/parsers'
import * as protocol from '@sandglass/protocol'
import type { Api, Call } from '../../http/api.ts'
import type { TextToParse } from './parse-text.ts'
import { requireParserType, type Texts } from './texts.ts'

export function serveParsing(api: Api, texts: Texts): void {
  api.serve(protocol.listParserTypes, async () =>
    parserTypes.map(({ type, spaces, about }) => ({ type, spaces: [...spaces], about })),
  )

  const parsed = async (
    { principal, reply }: Pick<Call<string, undefined, undefined>, 'principal' | 'reply'>,
    ...text: TextToParse
  ): Promise<protocol.Parsed | Buffer> => {
    const result = await texts.parse(principal, text)
    if (Buffer.isBuffer(result)) reply.type('application/json; charset=utf-8')
    return result
  }

  api.serve(protocol.parseModelTextOutput, async call =>
    parsed(call, requireParserType(call.params.type), 'computer', call.body.textContent, call.body),
  )

  api.serve(protocol.parseMobileUseModelTextOutput, async call =>
    parsed(call, requireParserType(call.params.type), 'mobile', call.body.textContent, call.body),
  )

  api.serve(protocol.parseModelOutput, async call =>
    parsed(call, call.body.model, 'computer', call.body.textContent, call.body),
  )
}
