export type { Unit, UnitChoice } from './express/unit.ts'
export {
  isParserType,
  type ParsedOnScreen,
  type ParserInfo,
  type ParserType,
  parse,
  parseOnScreen,
  parserTypeOf,
  parserTypes,
} from './parse.ts'
export type { Screen, Space } from './screen.ts'
