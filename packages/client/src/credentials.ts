import { ConfigurationError } from './errors.ts'
import type { SandglassOptions } from './options.ts'

export interface Credentials {
  /** Without a slash at the end. */
  readonly url: string
  readonly orgId: string
  readonly apiKey: string
}

type Known = { readonly [Key in keyof Credentials]?: string | undefined }

/**
 * Finds out which service to use: what the caller gives, SANDGLASS_URL, SANDGLASS_ORG and SANDGLASS_API_KEY, or the credentials file
 * that a service has written to its data directory on this machine (SANDGLASS_DATA, or `data` in this folder or one above).
 */
export async function findCredentials(options: SandglassOptions): Promise<Credentials> {
  const env = globalThis.process?.env ?? {}
  const known: Known = {
    url: options.url ?? env['SANDGLASS_URL'],
    orgId: options.orgId ?? env['SANDGLASS_ORG'],
    apiKey: options.apiKey ?? env['SANDGLASS_API_KEY'],
  }
  const found = isComplete(known) ? known : { ...(await readFile(env['SANDGLASS_DATA'])), ...defined(known) }
  if (!isComplete(found)) throw missing(found)
  return { ...found, url: baseOf(found.url) }
}

function isComplete(known: Known): known is Credentials {
  return Boolean(known.url && known.orgId && known.apiKey)
}

function defined(known: Known): Known {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value))
}

function missing(known: Known): ConfigurationError {
  const names = { url: 'SANDGLASS_URL', orgId: 'SANDGLASS_ORG', apiKey: 'SANDGLASS_API_KEY' }
  const absent = Object.entries(names).filter(([key]) => !known[key as keyof Known])
  const options = absent.map(([key]) => key).join(', ')
  return new ConfigurationError(
    `It is not known which service to use. Set ${absent.map(([, name]) => name).join(', ')}, pass ${options}, or run in ` +
      'a folder in which `npm start` has left data/credentials.json.',
    { code: 'client.NOT_CONFIGURED' },
  )
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new ConfigurationError(
      `The URL of the service is not valid: ${url}. It looks like http://localhost:8080 or https://example.com/sandglass.`,
      { code: 'client.NOT_CONFIGURED' },
    )
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** Where there are no files, as in a browser, everything has to be given. */
async function readFile(dataDir: string | undefined): Promise<Known> {
  if (!globalThis.process?.versions?.node) return {}
  const [files, path] = await Promise.all([load('node:fs/promises'), load('node:path')])
  for (const file of placesOf(path, dataDir)) {
    const text = await files.readFile(file, 'utf8').catch(() => undefined)
    if (text !== undefined) return JSON.parse(text) as Known
  }
  return {}
}

function placesOf(path: typeof import('node:path'), dataDir: string | undefined): string[] {
  if (dataDir) return [path.join(dataDir, 'credentials.json')]
  const places: string[] = []
  for (let folder = process.cwd(), above = ''; folder !== above; folder = path.dirname(folder)) {
    places.push(path.join(folder, 'data', 'credentials.json'))
    above = folder
    if (path.dirname(folder) === folder) break
  }
  return places
}

/** Hides the import from bundlers, which would complain about modules that browsers do not have. */
function load<Name extends 'node:fs/promises' | 'node:path'>(name: Name): Promise<Modules[Name]> {
  return import(/* @vite-ignore */ name)
}

interface Modules {
  'node:fs/promises': typeof import('node:fs/promises')
  'node:path': typeof import('node:path')
}
