import type { Inputs } from './inputs.ts'
import { filledRequest } from './inputs.ts'
import type { Values } from './placeholders.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'

interface Sample {
  readonly entry: OperationEntry
  readonly details: OperationDetails
  readonly inputs: Inputs
  readonly values: Values
  /** The address of the service. */
  readonly url: string
}

/** The request for a terminal. Keys are never in it. Undefined if curl cannot send it. */
export function curlSample({ entry, details, inputs, values, url }: Sample): string | undefined {
  if (details.answers === 'socket') return undefined
  const { path, query, headers, body } = filledRequest(entry, details, inputs, values)
  const search = new URLSearchParams(query).toString()
  const target = named(`${url}${path}${search && `?${search}`}`)
  const options = [
    details.access.to !== 'public' && `-H "X-Api-Key: $${keyVariable(details)}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    details.isFollowed &&
      inputs.isFollowed &&
      details.answers !== 'events' &&
      "-H 'Accept: text/event-stream'",
    ...bodyOptions(details, body === null ? null : named(body)),
    details.answers === 'bytes' && '-o FILE',
  ].filter(option => option !== false)
  const method = entry.method === 'GET' ? '' : ` -X ${entry.method}`
  return [`curl${inputs.isFollowed ? ' -N' : ''}${method} ${quoted(target)}`, ...options].join(' \\\n  ')
}

function bodyOptions({ body: accepted }: OperationDetails, body: string | null): string[] {
  if (accepted?.kind === 'form') return ['-F file=@FILE']
  if (accepted?.kind === 'bytes')
    return ["-H 'Content-Type: application/octet-stream'", '--data-binary @FILE']
  return body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]
}

/** The request with the client library. Undefined if the library does not call it. */
export function typeScriptSample({ entry, details, inputs, values, url }: Sample): string | undefined {
  if (details.answers === 'socket') return undefined
  const { query, body } = filledRequest(entry, details, inputs, values)
  const names = [...entry.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'orgId')
  const fields = [
    ...names.map(name => `${name}: ${literal(values[name] || constantOf(name))}`),
    ...Object.entries(query).map(
      ([name, value]) => `${keyOf(name)}: ${parameterLiteral(details, name, named(value))}`,
    ),
    ...bodyField(details, body === null ? null : named(body)),
  ]
  const input = fields.length === 0 ? '' : `{ ${fields.join(', ')} }`
  const followed = `client.stream('${entry.id}'${input && `, ${input}`})`
  const call = inputs.isFollowed
    ? `for await (const event of ${followed}) console.log(event)`
    : resultOf(details, `await client.${entry.id}(${input})`)
  const options = [
    `url: ${literal(url)}`,
    entry.path.includes('{orgId}') && `orgId: ${literal(values['orgId'] || constantOf('orgId'))}`,
    details.access.to !== 'public' && `apiKey: process.env.${keyVariable(details)}`,
  ].filter(option => option !== false)
  const head =
    details.body?.kind === 'bytes' || details.body?.kind === 'form'
      ? "import { openAsBlob } from 'node:fs'\n"
      : ''
  return `${head}import { Sandglass } from 'sandglass'\n\nconst client = new Sandglass({ ${options.join(', ')} })\n${formOf(details)}${call}\n`
}

function resultOf({ answers }: OperationDetails, call: string): string {
  if (answers === 'empty') return call
  if (answers === 'bytes') return `const file = ${call}\nconsole.log((await file.bytes()).length)`
  return `console.log(${call})`
}

function formOf({ body }: OperationDetails): string {
  return body?.kind === 'form'
    ? "const form = new FormData()\nform.append('file', await openAsBlob('FILE'), 'FILE')\n"
    : ''
}

function bodyField({ body: accepted }: OperationDetails, body: string | null): string[] {
  if (accepted?.kind === 'form') return ['body: form']
  if (accepted?.kind === 'bytes') return ["body: await openAsBlob('FILE')"]
  if (body === null) return []
  const value = parsed(body)
  return [`body: ${value === undefined ? '{ /* the JSON of the body */ }' : literal(value)}`]
}

/** Parameters that are numbers are written as such. */
function parameterLiteral({ parameters }: OperationDetails, name: string, value: string): string {
  const type = parameters.find(parameter => parameter.name === name)?.schema.type
  const isNumber = (type === 'number' || type === 'integer' || type === undefined) && /^\d+$/.test(value)
  return isNumber ? value : literal(value)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** A value as it is written in TypeScript. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Array.isArray(value)
    ? value.map(each => literal(each, `${indent}  `))
    : Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${literal(each, `${indent}  `)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const line = parts.join(', ')
  if (line.length < 60 && !line.includes('\n'))
    return Array.isArray(value) || line === '' ? open + line + close : `{ ${line} }`
  return `${open}\n${parts.map(part => `${indent}  ${part},\n`).join('')}${indent}${close}`
}

const keyOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : literal(name))

/** Placeholders without a value become words that people replace: `SANDBOX_ID`. */
function named(text: string): string {
  return text.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => constantOf(name))
}

function constantOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
}

function keyVariable({ access }: OperationDetails): string {
  return access.to === 'operator' ? 'SANDGLASS_OPERATOR_KEY' : 'SANDGLASS_API_KEY'
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
