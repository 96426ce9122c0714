import { Readable } from 'node:stream'
import type { Answer, TestService } from './test-service.ts'

export interface Importing {
  readonly name: string
  readonly shapeName?: string
  /** The organization that imports; the first one by default. */
  readonly by?: { readonly orgId: string; readonly apiKey: string }
}

/** Calls importMachineImage. A file that is given in pieces is sent as they are needed. */
export async function importImage(
  { service }: TestService,
  file: Uint8Array | AsyncIterable<Uint8Array>,
  { by = service.credentials, ...query }: Importing,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const search = new URLSearchParams(query)
  const response = await fetch(`${service.url}/api/orgs/${by.orgId}/machine-images/import?${search}`, {
    method: 'POST',
    headers: { 'x-api-key': by.apiKey, 'content-type': 'application/octet-stream' },
    body: file instanceof Uint8Array ? new Uint8Array(file) : Readable.toWeb(Readable.from(file)),
    duplex: 'half',
  })
  return { status: response.status, body: await response.json() }
}

/** Calls exportMachineImage. */
export async function exportImage(
  { service }: TestService,
  imageId: string,
  { orgId, apiKey }: { orgId: string; apiKey: string } = service.credentials,
  signal?: AbortSignal,
): Promise<Response> {
  return await fetch(`${service.url}/api/orgs/${orgId}/machine-images/${imageId}/export`, {
    headers: { 'x-api-key': apiKey },
    ...(signal && { signal }),
  })
}

/** The status and the code of a response that is an error. */
export async function refusalOf(response: Response): Promise<[number, unknown]> {
  return [response.status, JSON.parse(await response.text()).code]
}
