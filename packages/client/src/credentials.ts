import { readCredentialsFile } from './credentials-file.ts'
import { ConfigurationError } from './errors.ts'
import type { SandglassOptions } from './options.ts'

export interface Credentials {
  /** Without a slash at the end. */
  readonly url: string
  readonly orgId: string
  readonly apiKey: string
}

export type Known = { readonly [Key in keyof Credentials]?: string | undefined }

const variables = { url: 'SANDGLASS_URL', orgId: 'SANDGLASS_ORG', apiKey: 'SANDGLASS_API_KEY' } as const

/**
 * Finds out which service to use: what the caller gives, SANDGLASS_URL, SANDGLASS_ORG and SANDGLASS_API_KEY, or the credentials file
 * that a service has written to its data directory on this machine (SANDGLASS_DATA, or `data` in this folder or one above).
 */
export async function findCredentials(options: SandglassOptions): Promise<Credentials> {
  const given: Known = {
    url: options.url || variable(variables.url),
    orgId: options.orgId || variable(variables.orgId),
    apiKey: options.apiKey || variable(variables.apiKey),
  }
  const found = isComplete(given)
    ? given
    : complete(given, await readCredentialsFile(variable('SANDGLASS_DATA')))
  if (!isComplete(found)) throw missing(found)
  return { url: baseOf(found.url), orgId: found.orgId.trim(), apiKey: usable(found.apiKey.trim()) }
}

/** Deno asks before it shows a variable, and may be told not to. */
function variable(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name]
  } catch {
    return undefined
  }
}

/** The key of the service on this machine is not sent to another one. */
function complete(given: Known, file: Known): Known {
  const isElsewhere = given.url && (!file.url || baseOf(given.url) !== baseOf(file.url))
  const own: Known = isElsewhere ? {} : file
  return {
    url: given.url || own.url,
    orgId: given.orgId || own.orgId,
    apiKey: given.apiKey || own.apiKey,
  }
}

function isComplete(known: Known): known is Credentials {
  return Boolean(known.url && known.orgId && known.apiKey)
}

function missing(known: Known): ConfigurationError {
  const absent = (Object.keys(variables) as (keyof Credentials)[]).filter(key => !known[key])
  return notConfigured(
    `It is not known which service to use. Set ${absent.map(key => variables[key]).join(', ')}, pass ${absent.join(', ')}, ` +
      'or run in a folder in which `npm start` has left data/credentials.json.',
  )
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw notConfigured(
      'The URL of the service is not valid. It looks like http://localhost:8080 or https://example.com/sandglass, without a user ' +
        `name or a password${url?.password ? '' : `, and was ${JSON.stringify(text)}`}.`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Otherwise `fetch` would refuse it, and show it in its error. */
function usable(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw notConfigured('The API key (SANDGLASS_API_KEY) has characters that no key has. Copy it again.')
}

export function notConfigured(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { code: 'client.NOT_CONFIGURED', cause })
}
