import type { Progress } from './transfers.ts'

interface UploadOptions {
  readonly orgId: string
  readonly sandboxId: string
  readonly path: string
  readonly report: Progress
  readonly signal: AbortSignal
}

/** Writes a file into the machine. XMLHttpRequest says how far it is, which fetch does not. */
export function upload(file: File, { orgId, sandboxId, path, report, signal }: UploadOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const request = new XMLHttpRequest()
  const query = new URLSearchParams({ path })
  const folder = `/api/orgs/${encodeURIComponent(orgId)}/sandboxes/${encodeURIComponent(sandboxId)}`
  request.open('PUT', `${folder}/files/content?${query}`)
  request.setRequestHeader('x-sandglass-session', '1')
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.upload.onprogress = ({ loaded }) => report(loaded)
  request.onload = () => (request.status === 200 ? resolve() : reject(new Error(problemIn(request))))
  request.onerror = () => reject(new Error('The connection was lost before the file was complete.'))
  request.onabort = () => reject(new Error('Cancelled'))
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
  return promise
}

function problemIn(request: XMLHttpRequest): string {
  try {
    const { message } = JSON.parse(request.responseText) as { readonly message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // A proxy answered with something else.
  }
  return `The file was refused with status ${request.status}.`
}
