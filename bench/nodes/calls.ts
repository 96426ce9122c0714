import type { Row } from '../row.ts'
import type { BenchSandbox } from '../service.ts'
import { besideOwner } from './beside-owner.ts'
import type { Nodes } from './setting.ts'

/** Measures short calls that only the owner can answer: reading from a shell, and an action. */
export async function callRows({ owner, frontUrl }: Nodes, sandbox: BenchSandbox): Promise<Row[]> {
  const { url, headers } = sandbox
  const call = async (base: string, method: string, path: string, body?: object) => {
    const answer = await fetch(url.replace(owner.url, base) + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  }
  const rows = (name: string, method: string, path: string, body?: object) =>
    besideOwner(
      name,
      () => call(frontUrl, method, path, body),
      () => call(owner.url, method, path, body),
    )
  const at = { type: 'px', value: 100 }
  const action = { type: 'mouse:move', x: at, y: at }
  const { sessionId } = await owner.client.createSandboxShell({
    sandboxId: sandbox.id,
    body: { command: 'cat' },
  })
  return [
    ...(await rows('a look at a shell', 'POST', `/shell/${sessionId}/read`)),
    ...(await rows('an action', 'POST', '/actions/execute', { action, includeScreenShot: false })),
  ]
}
