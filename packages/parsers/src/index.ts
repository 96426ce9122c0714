export { isParserType, type ParserInfo, type ParserType, parse, parserTypeOf, parserTypes } from './parse.ts'
export type { Screen, Space } from './screen.ts'
