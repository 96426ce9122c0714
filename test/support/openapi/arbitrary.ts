import fc from 'fast-check'
import type { JsonSchema, PublishedDocument } from './document.ts'

/** Anything at all, including what no schema of ours allows. */
const anything = fc.oneof(
  fc.jsonValue({ noUnicodeString: false }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    '',
    null,
    -1,
    0,
    1e308,
    2 ** 53,
    'a\u0000b',
    'x'.repeat(5000),
    [],
    {},
    '__proto__',
  ),
)

/** Names of things that exist in every test service. */
const known = fc.constantFrom('linux-desktop', 'unlimited', 'member', 'seed', '127.0.0.1:3000')

/** Addresses that are valid but lead nowhere, because nothing may be sent to other hosts. */
const addresses = fc.constantFrom(
  'http://127.0.0.1:9/x',
  'https://localhost:1/y',
  'ftp://localhost/',
  'nowhere',
)

/**
 * Values close to a schema. Most are valid; now and then a part of them is something else or missing, so that the
 * others are still read.
 */
export function near(document: PublishedDocument, schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const exact = matching(document, document.resolve(schema), depth)
  return fc.oneof({ weight: 12, arbitrary: exact }, { weight: 1, arbitrary: anything })
}

function matching(document: PublishedDocument, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, type } = schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (depth > 6) return anything
  const choices = type === undefined ? (oneOf ?? anyOf) : undefined
  if (choices) return fc.oneof(...choices.map(choice => near(document, choice, depth + 1)))
  if (type === 'object') return objects(document, schema, depth)
  if (type === 'array')
    return fc.array(near(document, schema.items ?? {}, depth + 1), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.max(schema.minItems ?? 0, 3),
    })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer' || type === 'number') return numbers(schema)
  return type === 'string' ? strings(schema) : anything
}

function objects(
  document: PublishedDocument,
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  depth: number,
): fc.Arbitrary<unknown> {
  if (typeof additionalProperties === 'object' && Object.keys(properties).length === 0)
    return fc.dictionary(fc.string({ maxLength: 10 }), near(document, additionalProperties, depth + 1), {
      maxKeys: 3,
    })
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, near(document, property, depth + 1)]),
  )
  return fc.oneof(
    { weight: 9, arbitrary: fc.record(fields, { requiredKeys: required.filter(name => name in fields) }) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  )
}

function numbers({ type, minimum = -10, maximum = minimum + 1000 }: JsonSchema): fc.Arbitrary<unknown> {
  const max = Math.min(maximum, minimum + 1000)
  const inside =
    type === 'integer' ? fc.integer({ min: minimum, max }) : fc.double({ min: minimum, max, noNaN: true })
  return fc.oneof(
    { weight: 9, arbitrary: inside },
    { weight: 1, arbitrary: fc.constantFrom(minimum - 1, maximum + 1, 0.5) },
  )
}

function strings({ pattern, format, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<unknown> {
  if (format === 'uri') return addresses
  const text = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 60)),
  })
  const fitting = pattern === undefined ? text : fromPattern(pattern, text)
  return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: known })
}

/** fast-check does not know every kind of pattern. */
function fromPattern(pattern: string, otherwise: fc.Arbitrary<string>): fc.Arbitrary<string> {
  try {
    return fc.oneof(fc.stringMatching(new RegExp(pattern)), otherwise)
  } catch {
    return otherwise
  }
}
