import { type Known, notConfigured } from './credentials.ts'

interface Modules {
  'node:fs/promises': typeof import('node:fs/promises')
  'node:path': typeof import('node:path')
}

/** Reads the file that a service on this machine has written. Where there are no files, as in a browser, there is none. */
export async function readCredentialsFile(dataDir: string | undefined): Promise<Known> {
  if (!globalThis.process?.versions?.node) return {}
  const [files, path] = await Promise.all([load('node:fs/promises'), load('node:path')])
  for (const file of placesOf(path, dataDir)) {
    const text = await files.readFile(file, 'utf8').catch(cause => {
      if (cause.code === 'EACCES')
        throw notConfigured(
          `${file} cannot be read. Run this as the user that runs the service, or set SANDGLASS_API_KEY.`,
          cause,
        )
    })
    if (text !== undefined) return parse(file, text)
  }
  return {}
}

function placesOf(path: typeof import('node:path'), dataDir: string | undefined): string[] {
  if (dataDir) return [path.join(dataDir, 'credentials.json')]
  const places: string[] = []
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    places.push(path.join(folder, 'data', 'credentials.json'))
    if (path.dirname(folder) === folder) return places
  }
}

function parse(file: string, text: string): Known {
  try {
    const { url, orgId, apiKey }: Known = JSON.parse(text)
    return { url, orgId, apiKey }
  } catch (cause) {
    throw notConfigured(
      `${file} is not the credentials file of a service. Start the service again to write it.`,
      cause,
    )
  }
}

/** Hides the import from bundlers, which would complain about modules that browsers do not have. */
function load<Name extends keyof Modules>(name: Name): Promise<Modules[Name]> {
  return import(/* @vite-ignore */ name)
}
